import { absent, type Levels, partial } from "../../events/facts.js";

const SHORTENED =
  "messages are rewritten in place: only the newest checkpoint is kept, and what was cut without one is not told";

/** What a document can tell. */
export const LEVELS: Levels = {
  shell_digests: partial("only the newest system prompt is kept, and no tool definitions"),
  shell_deltas: absent("Cline does not record changes of its tools and instructions"),
  miss_reasons: absent("Cline records no reasons for missed caches"),
  local_cache: absent("Cline records no local cache"),
  divergences: absent("Cline records no semantic cache"),
  compactions: partial(SHORTENED),
  subagents: absent("subagents write sessions of their own, without naming their parent"),
  contracts: partial("no schemas are recorded; violations are computed from calls and results"),
};

/** `shell`: the document holds the system prompt; `compacted`: it holds a checkpoint. */
export function levelsOf(shell: boolean, compacted: boolean): Levels {
  return {
    ...LEVELS,
    ...(shell ? {} : { shell_digests: absent("the document holds neither system prompt nor tool definitions") }),
    ...(compacted ? {} : { compactions: absent(SHORTENED) }),
  };
}

/** What a task of the editor's extension can tell. `deleted`: some of its requests were taken back, and summed up. */
export function taskLevels(deleted: boolean): Levels {
  return {
    ...LEVELS,
    ...(deleted ? { usage: partial("requests that were taken back are told as one sum, which is left out") } : {}),
    shell_digests: absent("tasks hold neither system prompt nor tool definitions"),
    compactions: partial("what was cut from the history without a checkpoint is not told"),
    tool_calls: partial("calls that the model writes as text are not told"),
  };
}
