import { absent, type Levels, partial } from "../../events/facts.js";

const SUMS = "Copilot CLI tells input and cached tokens as sums when a session ends, not per request";

/** What a file can tell: the sums of a session with a single request are those of the request. */
export const LEVELS: Levels = {
  usage: partial(SUMS),
  cache_counters: partial(SUMS),
  shell_digests: partial("the system prompt is recorded, the tools are not"),
  shell_deltas: absent("Copilot CLI does not record changes of its tools and instructions"),
  miss_reasons: absent("Copilot CLI records no reasons for missed caches"),
  local_cache: absent("Copilot CLI records no local cache"),
  divergences: absent("Copilot CLI records no semantic cache"),
  subagents: partial("older versions do not tell which requests were a subagent's"),
  contracts: partial("no schemas are recorded; violations are computed from calls and results"),
};

/** `shell`: a system prompt was seen; `alone`: every request has its own counts. */
export function levelsOf(shell: boolean, alone: boolean): Levels {
  const { usage: _, cache_counters: __, ...always } = LEVELS;
  return {
    ...always,
    ...(alone ? {} : { usage: partial(SUMS), cache_counters: absent(SUMS) }),
    ...(shell ? {} : { shell_digests: absent("neither the system prompt nor the tools are recorded") }),
  };
}
