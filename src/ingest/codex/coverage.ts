import {
  absent,
  coverageFacts,
  FULL,
  fullSince,
  type Header,
  type Levels,
  partial,
  share,
} from "../../events/facts.js";
import type { Say } from "../importer.js";
import type { FileState, Seen } from "./state.js";

/** What a rollout can tell. */
export const LEVELS = {
  usage: fullSince("Codex recorded no usage before rollouts had envelopes (September 2025)"),
  shell_digests: partial(
    "base instructions and dynamic tools have a digest; definitions of built-in tools are not recorded",
  ),
  shell_deltas: absent("Codex does not record changes of its tools and instructions"),
  miss_reasons: absent("Codex rollouts hold no reasons for missed caches"),
  start_time: absent("rollouts tell when a response was complete, not when the request was sent"),
  local_cache: absent("Codex rollouts record no local cache"),
  divergences: absent("Codex rollouts record no semantic cache"),
  tool_calls: partial("whether a call failed is recorded for patches and MCP servers only"),
  contracts: partial("no schemas are recorded; violations are computed from calls and results"),
  checkpoint_text: fullSince("checkpoints made by the provider are encrypted"),
} satisfies Levels;

/** What this file can tell about its session, as far as it was read. */
export function sayCoverage(file: FileState, header: Header, say: Say): void {
  const { seen } = file;
  const levels: Levels = {
    ...LEVELS,
    usage: usageLevel(file),
    cache_counters: share(seen.withoutCounters, seen.requests, "some rows of the counter leave the cache out"),
    shell_digests:
      seen.requests > 0 && seen.withoutShell === seen.requests
        ? absent("this file does not hold the base instructions")
        : LEVELS.shell_digests,
    checkpoint_text: share(seen.encrypted, seen.compactions, LEVELS.checkpoint_text.why!),
    tenant: header.tenant === null ? absent("import with --tenant") : FULL,
  };
  for (const fact of coverageFacts(header, levels)) say(fact);
}

function usageLevel({ bare, seen }: { bare: boolean; seen: Seen }) {
  if (bare) return absent(LEVELS.usage.why!);
  if (seen.requests === 0 && seen.unreadable > 0) return absent("the counter has a form that is not understood");
  if (seen.inherited)
    return partial("the counter began with requests of another session, which this file does not show");
  if (seen.merged > 0) return partial("the counter holds a request that was not logged by itself");
  return FULL;
}
