import { join } from "node:path";
import type { CoverageFact, CoveredFact } from "../../events/event.js";
import { absent, FULL, fullSince, type Level, partial } from "../../events/facts.js";
import { eventIdOf } from "../../events/identity.js";
import type { Cleanup, Surroundings } from "../importer.js";
import { settingIn } from "../setting.js";
import { AGENT } from "./place.js";
import type { FileState, OpenRequest, Seen, SessionState } from "./state.js";

/** First versions that record something, as seen in real transcripts. */
const DELTAS_SINCE = "2.1.92";
const DIAGNOSTICS_SINCE = "2.1.205";

/** What transcripts can tell. */
export const LEVELS = {
  local_cache: absent("Claude Code transcripts record no local cache"),
  divergences: absent("Claude Code transcripts record no semantic cache"),
  shell_digests: absent("transcripts hold neither system prompt nor tool definitions; OTLP with tool definitions does"),
  start_time: absent("transcripts tell when parts of an answer arrived, not when the request was sent"),
  contracts: partial("no schemas are recorded; violations are computed from calls and results"),
  final_output: fullSince(
    "output counts of unfinished lines are lower bounds; Claude Code 2.1.60 and later mostly record the final ones",
  ),
  shell_deltas: fullSince(`Claude Code ${DELTAS_SINCE} and later record changes of tools, skills and instructions`),
  miss_reasons: fullSince(`Claude Code ${DIAGNOSTICS_SINCE} and later record the provider's reasons for missed caches`),
} satisfies Partial<Record<CoveredFact, Level>>;

/** Claude Code deletes transcripts that were not written to for 30 days, unless its settings say otherwise. */
export function cleanup({ home, variables }: Surroundings): Cleanup {
  const [stated] = (variables.CLAUDE_CONFIG_DIR ?? "").split(",").map((path) => path.trim());
  const file = join(stated || join(home, ".claude"), "settings.json");
  const days = settingIn(file, "cleanupPeriodDays");
  const said = typeof days === "number";
  return { days: said ? days : 30, setting: "cleanupPeriodDays", file: said ? file : null };
}

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
  const { final_output, shell_deltas, miss_reasons } = LEVELS;
  return {
    ...LEVELS,
    tenant: tenant === null ? absent("import with --tenant") : FULL,
    usage: share(seen.withoutUsage, seen.requests, "some responses were recorded without usage"),
    cache_counters: share(seen.withoutCounters, seen.requests, "some responses carry no cache counters"),
    final_output: share(seen.provisional, seen.requests, final_output.why!, "partial"),
    shell_deltas: since(DELTAS_SINCE, seen, shell_deltas.why!),
    miss_reasons:
      seen.requests === 0
        ? since(DIAGNOSTICS_SINCE, seen, miss_reasons.why!)
        : share(seen.undiagnosed, seen.requests, miss_reasons.why!),
    tool_calls: FULL,
    compactions: FULL,
    checkpoint_text: FULL,
    subagents: FULL,
  };
}

function share(lacking: number, of: number, why: string, whenAll: "absent" | "partial" = "absent"): Level {
  if (lacking === 0) return FULL;
  return { level: lacking === of ? whenAll : "partial", why };
}

function since(version: string, { oldest, newest }: Seen, why: string): Level {
  if (newest === null || isOlder(newest, version)) return absent(why);
  return oldest !== null && isOlder(oldest, version) ? partial(why) : FULL;
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
