import { absent, type Levels, partial } from "../facts.js";

/** What a document can tell. */
export const LEVELS: Levels = {
  shell_digests: partial("only the newest system prompt is kept, and no tool definitions"),
  shell_deltas: absent("Cline does not record changes of its tools and instructions"),
  miss_reasons: absent("Cline records no reasons for missed caches"),
  local_cache: absent("Cline records no local cache"),
  divergences: absent("Cline records no semantic cache"),
  compactions: absent("Cline rewrites its messages in place, and does not say when it shortened them"),
  checkpoint_text: absent("Cline does not mark checkpoints"),
  subagents: absent("subagents write sessions of their own, without naming their parent"),
  contracts: partial("no schemas are recorded; violations are computed from calls and results"),
};

/** `shell`: the document holds the system prompt. */
export function levelsOf(shell: boolean): Levels {
  if (shell) return LEVELS;
  return { ...LEVELS, shell_digests: absent("the document holds neither system prompt nor tool definitions") };
}
