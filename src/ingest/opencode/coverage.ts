import { absent, type Levels, partial } from "../../events/facts.js";

/** What sessions can tell. */
export const LEVELS: Levels = {
  shell_digests: absent("opencode stores neither system prompt nor tool definitions"),
  shell_deltas: absent("opencode does not record changes of its tools and instructions"),
  miss_reasons: absent("opencode stores no reasons for missed caches"),
  local_cache: absent("opencode has no local cache"),
  divergences: absent("opencode has no semantic cache"),
  contracts: partial("no schemas are recorded; violations are computed from calls and results"),
};
