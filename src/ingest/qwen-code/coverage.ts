import { absent, type Levels, partial } from "../../events/facts.js";

/** What sessions can tell. */
export const LEVELS: Levels = {
  shell_digests: absent("Qwen Code's sessions hold neither system prompt nor tool definitions"),
  shell_deltas: absent("Qwen Code does not record changes of its tools and instructions"),
  miss_reasons: absent("Qwen Code's sessions hold no reasons for missed caches"),
  local_cache: absent("Qwen Code's sessions record no local cache"),
  divergences: absent("Qwen Code's sessions record no semantic cache"),
  subagents: absent("requests of subagents are not in the session's file"),
  contracts: partial("no schemas are recorded; violations are those that the client names"),
};
