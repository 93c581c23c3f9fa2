import { absent, type Levels, partial } from "../facts.js";

/** `shell`: a system prompt was seen; `alone`: every request has its own counts. */
export function levelsOf(shell: boolean, alone: boolean): Levels {
  const sums = "Copilot CLI tells input and cached tokens as sums when a session ends, not per request";
  return {
    ...(alone ? {} : { usage: partial(sums), cache_counters: absent(sums) }),
    shell_digests: shell
      ? partial("the system prompt is recorded, the tools are not")
      : absent("neither the system prompt nor the tools are recorded"),
    shell_deltas: absent("Copilot CLI does not record changes of its tools and instructions"),
    miss_reasons: absent("Copilot CLI records no reasons for missed caches"),
    local_cache: absent("Copilot CLI records no local cache"),
    divergences: absent("Copilot CLI records no semantic cache"),
    subagents: partial("requests of subagents stand among those of the session"),
    contracts: partial("no schemas are recorded; violations are computed from calls and results"),
  };
}
