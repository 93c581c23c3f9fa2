import type { CoverageFact, CoveredFact } from "../../events/event.js";
import { eventIdOf } from "../../events/identity.js";
import { AGENT } from "./place.js";
import type { FileState, OpenRequest, Seen, SessionState } from "./state.js";

/** First versions that record something, as seen in real transcripts. */
const DELTAS_SINCE = "2.1.92";
const DIAGNOSTICS_SINCE = "2.1.205";

type Level = Pick<CoverageFact, "level" | "why">;

/**
 * What this file can tell about a session, when it has been read up to `offset`: a later word replaces an earlier one.
 * Kinds that are always full are not mentioned.
 */
export function sayCoverage(
  file: FileState,
  session: SessionState,
  tenant: string | null,
  offset: number,
  say: (event: CoverageFact) => void,
): void {
  const levels = Object.entries(levelsOf(seenWithOpen(file, session), tenant)) as [CoveredFact, Level][];
  for (const [fact, { level, why }] of levels) {
    if (level === "full" && !OPEN.includes(fact)) continue;
    say({
      kind: "coverage",
      eventId: eventIdOf("coverage", AGENT, session.id, fact),
      agent: AGENT,
      session: session.id,
      lane: "main",
      turn: null,
      tenant,
      atMs: null,
      timeQuality: "inherited",
      line: null,
      offset,
      fact,
      level,
      why,
    });
  }
}

/** Kinds that the next line may still change, and those whose being full is evidence that nothing happened. */
const OPEN: CoveredFact[] = ["usage", "cache_counters", "final_output", "shell_deltas", "miss_reasons"];

function levelsOf(seen: Seen, tenant: string | null): Record<CoveredFact, Level> {
  const none = seen.requests === 0;
  return {
    local_cache: ABSENT("Claude Code transcripts record no local cache"),
    divergences: ABSENT("Claude Code transcripts record no semantic cache"),
    shell_digests: ABSENT(
      "transcripts hold neither system prompt nor tool definitions; OTLP with tool definitions does",
    ),
    start_time: ABSENT("transcripts tell when parts of an answer arrived, not when the request was sent"),
    contracts: PARTIAL("no schemas are recorded; violations are computed from calls and results"),
    tenant: tenant === null ? ABSENT("import with --tenant") : FULL,
    usage: share(seen.withoutUsage, seen.requests, "some responses were recorded without usage"),
    cache_counters: share(seen.withoutCounters, seen.requests, "some responses carry no cache counters"),
    final_output: share(
      seen.provisional,
      seen.requests,
      "output counts of unfinished lines are lower bounds; Claude Code 2.1.60 and later mostly record the final ones",
      "partial",
    ),
    shell_deltas: since(DELTAS_SINCE, seen, "changes of tools, skills and instructions"),
    miss_reasons: none
      ? since(DIAGNOSTICS_SINCE, seen, "the provider's reasons for missed caches")
      : share(
          seen.undiagnosed,
          seen.requests,
          `Claude Code ${DIAGNOSTICS_SINCE} and later record the provider's reasons for missed caches`,
        ),
    tool_calls: FULL,
    compactions: FULL,
    checkpoint_text: FULL,
    subagents: FULL,
  };
}

const FULL: Level = { level: "full", why: null };
const ABSENT = (why: string): Level => ({ level: "absent", why });
const PARTIAL = (why: string): Level => ({ level: "partial", why });

function share(lacking: number, of: number, why: string, whenAll: "absent" | "partial" = "absent"): Level {
  if (lacking === 0) return FULL;
  return { level: lacking === of ? whenAll : "partial", why };
}

function since(version: string, { oldest, newest }: Seen, what: string): Level {
  const why = `Claude Code ${version} and later record ${what}`;
  if (newest === null || isOlder(newest, version)) return ABSENT(why);
  return oldest !== null && isOlder(oldest, version) ? PARTIAL(why) : FULL;
}

/** The counts with the newest request of each lane, which has not been counted. */
function seenWithOpen({ lanes }: FileState, session: SessionState): Seen {
  const seen = { ...session.seen };
  for (const { request } of lanes.values()) if (request?.fact.session === session.id) sawRequest(seen, request);
  return seen;
}

export function sawRequest(seen: Seen, { fact, diagnosed }: OpenRequest): void {
  seen.requests += 1;
  seen.withoutUsage += fact.status === "missing" ? 1 : 0;
  seen.withoutCounters += fact.cacheReported ? 0 : 1;
  seen.provisional += fact.outputQuality === "final" ? 0 : 1;
  seen.undiagnosed += diagnosed ? 0 : 1;
}

/** Remembers the oldest and the newest client version. */
export function sawVersion(seen: Seen, version: string | null): void {
  if (version === null) return;
  if (seen.oldest === null || isOlder(version, seen.oldest)) seen.oldest = version;
  if (seen.newest === null || isOlder(seen.newest, version)) seen.newest = version;
}

/** Compares dotted numbers. */
function isOlder(a: string, b: string): boolean {
  const [left, right] = [a, b].map((version) => version.split(/[.+-]/).map((part) => Number.parseInt(part, 10) || 0));
  for (let i = 0; i < 3; i += 1) {
    const difference = (left![i] ?? 0) - (right![i] ?? 0);
    if (difference !== 0) return difference < 0;
  }
  return false;
}
