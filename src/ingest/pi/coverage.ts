import {
  absent,
  coverageFacts,
  FULL,
  type Header,
  type Level,
  type Levels,
  partial,
  share,
} from "../../events/facts.js";
import type { Say } from "../importer.js";
import type { FileState } from "./state.js";

/** What a session's file can tell. */
export const LEVELS: Levels = {
  shell_digests: absent("pi's sessions hold neither system prompt nor tool definitions"),
  shell_deltas: absent("pi does not record changes of its tools and instructions"),
  miss_reasons: absent("pi's sessions hold no reasons for missed caches"),
  local_cache: absent("pi's sessions record no local cache"),
  divergences: absent("pi's sessions record no semantic cache"),
  contracts: partial("no schemas are recorded; violations are computed from calls and results"),
  subagents: absent("subagents of extensions write sessions of their own, without naming their parent"),
};

/** What this file can tell about its session, as far as it was read. */
export function sayCoverage({ seen }: FileState, header: Header, say: Say): void {
  const { requests } = seen;
  const levels: Levels = {
    ...LEVELS,
    usage: share(seen.withoutUsage, requests, "some answers were recorded without usage"),
    cache_counters: share(seen.withoutCounters, requests, "some answers carry no cache counters"),
    final_output: cutOff(seen.cutOff),
    tenant: header.tenant === null ? absent("import with --tenant") : FULL,
  };
  for (const fact of coverageFacts(header, levels)) say(fact);
}

function cutOff(answers: number): Level {
  return answers === 0 ? FULL : partial("output counts of answers that were cut off are lower bounds");
}
