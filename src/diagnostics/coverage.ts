import { type Kysely, type RawBuilder, type SqlBool, sql } from "kysely";
import type { Tables } from "../store/schema.js";
import { besideTurns, inScope, isWhole, ofSessions, type Selection } from "../store/scope.js";
import { comparisons } from "./semantic-precision.js";
import { anythingOf } from "./sessions-in-scope.js";
import type { Coverage } from "./value.js";

export interface CoverageReport {
  /** First and last time of anything in scope; null when there is none. */
  firstAtMs: number | null;
  lastAtMs: number | null;
  /** How many of the records carry what the figures need. */
  records: {
    turnsWithRequest: Coverage;
    requestsInTurns: Coverage;
    completeUsage: Coverage;
    finalOutput: Coverage;
    cacheCounters: Coverage;
    shellDigests: Coverage;
    startTimes: Coverage;
    tenants: Coverage;
    judgedCompactions: Coverage;
    comparedHits: Coverage;
  };
  /** What sources say they cannot tell, in sessions. A fact nobody spoke of is not listed. */
  facts: { fact: string; full: number; partial: number; absent: number; why: string[] }[];
  sources: { format: string; kind: string; sources: number; linesSkipped: number; parserVersions: number[] }[];
  /** Oddities that the sources in scope reported. */
  notes: { note: string; name: string | null; count: number }[];
}

/**
 * Coverage: on how many records the figures rest, and what the sources cannot tell at all.
 *
 *     observed of expected, per kind of record
 *
 * - Shown before any figure: a figure is worth what its coverage is worth.
 * - `facts` is about sources: what a format or a version never records. `records` is about rows: what this one lacks.
 */
export async function coverage(db: Kysely<Tables>, selection: Selection): Promise<CoverageReport> {
  const requests = await requestCoverage(db, selection);
  const turns = await turnCoverage(db, selection);
  const compactions = await compactionCoverage(db, selection);
  const { classes, hits } = await comparisons(db, selection);
  const { unclassified, ...classed } = classes;
  const compared = Object.values(classed).reduce((sum, times) => sum + times, 0);
  const times = [requests, turns, compactions];
  const of = (observed: number, expected = requests.all): Coverage => ({ observed, expected });
  return {
    firstAtMs: extreme(
      Math.min,
      times.map(({ first }) => first),
    ),
    lastAtMs: extreme(
      Math.max,
      times.map(({ last }) => last),
    ),
    records: {
      turnsWithRequest: of(turns.served, turns.all),
      requestsInTurns: of(requests.inTurns),
      completeUsage: of(requests.completeUsage),
      finalOutput: of(requests.finalOutput),
      cacheCounters: of(requests.cacheCounters),
      shellDigests: of(requests.shellDigests),
      startTimes: of(requests.startTimes),
      tenants: of(requests.tenants),
      judgedCompactions: of(compactions.judged, compactions.all),
      comparedHits: of(compared, Math.max(hits, compared)),
    },
    facts: await factCoverage(db, selection),
    sources: await sourcesOf(db, selection),
    notes: await notesOf(db, selection),
  };
}

const count = (condition: string) => sql<number>`ifnull(sum(${sql.raw(condition)}), 0)`;
const times = {
  all: sql<number>`count(*)`.as("all"),
  first: sql<number | null>`min(at_ms)`.as("first"),
  last: sql<number | null>`max(at_ms)`.as("last"),
};

function requestCoverage(db: Kysely<Tables>, selection: Selection) {
  return db
    .selectFrom("requests")
    .select([
      times.all,
      times.first,
      times.last,
      count("turn is not null").as("inTurns"),
      count("usage_state = 'ok' and uncached_tokens is not null").as("completeUsage"),
      count("output_quality = 'final'").as("finalOutput"),
      count("cache_reported").as("cacheCounters"),
      count("shell_digest is not null").as("shellDigests"),
      count("at_ms is not null and time_quality in ('exact', 'recorded')").as("startTimes"),
      count("tenant is not null").as("tenants"),
    ])
    .where(inScope(selection, "requests"))
    .executeTakeFirstOrThrow();
}

function turnCoverage(db: Kysely<Tables>, selection: Selection) {
  const served = sql<number>`ifnull(sum(turns.id in (
    select turn from requests where turn is not null and ${besideTurns(selection, "requests.session")})), 0)`;
  return db
    .selectFrom("turns")
    .select([times.all, times.first, times.last, served.as("served")])
    .where(inScope(selection, "turns"))
    .executeTakeFirstOrThrow();
}

function compactionCoverage(db: Kysely<Tables>, selection: Selection) {
  const judged = sql<number>`ifnull(sum(exists (
    select 1 from judgments where judgments.compaction = compactions.event_id and judgments.counted = 1)), 0)`;
  return db
    .selectFrom("compactions")
    .select([times.all, times.first, times.last, judged.as("judged")])
    .where(inScope(selection, "compactions"))
    .where("form", "=", "full")
    .where("outcome", "in", ["applied", "indeterminate"])
    .executeTakeFirstOrThrow();
}

async function factCoverage(db: Kysely<Tables>, selection: Selection): Promise<CoverageReport["facts"]> {
  const perSession = db
    .selectFrom("coverage")
    .select(["fact", "session", sql<string>`min(level)`.as("least"), sql<string>`max(level)`.as("most")])
    .where(ofSessions(selection, "coverage.session"))
    .where(anythingOf(selection, ["turns", "requests"], "coverage.session"))
    .groupBy(["fact", "session"]);
  const facts = await db
    .selectFrom(perSession.as("said"))
    .select([
      "fact",
      count("least = 'full' and most = 'full'").as("full"),
      count("least = 'absent' and most = 'absent'").as("absent"),
      sql<number>`count(*)`.as("all"),
    ])
    .groupBy("fact")
    .orderBy("fact")
    .execute();
  const reasons = await db
    .selectFrom("coverage")
    .select(["fact", "why"])
    .distinct()
    .where(ofSessions(selection, "coverage.session"))
    .where(anythingOf(selection, ["turns", "requests"], "coverage.session"))
    .where("why", "is not", null)
    .where("level", "<>", "full")
    .orderBy("why")
    .execute();
  return facts.map(({ fact, full, absent, all }) => ({
    fact,
    full,
    partial: all - full - absent,
    absent,
    why: reasons.filter((reason) => reason.fact === fact).map((reason) => reason.why!),
  }));
}

/** True for the sources that said anything in scope. */
function spoke(selection: Selection, source: string): RawBuilder<SqlBool> {
  if (isWhole(selection)) return sql`1`;
  return sql`${sql.ref(source)} in (
    select source from turns where ${inScope(selection, "turns")}
    union select source from requests where ${inScope(selection, "requests")})`;
}

async function sourcesOf(db: Kysely<Tables>, selection: Selection): Promise<CoverageReport["sources"]> {
  const rows = await db
    .selectFrom("sources")
    .select([
      "format",
      "kind",
      sql<number>`count(*)`.as("sources"),
      sql<number>`ifnull(sum(lines_skipped), 0)`.as("linesSkipped"),
      sql<string | null>`group_concat(distinct parser_version)`.as("versions"),
    ])
    .where(spoke(selection, "sources.id"))
    .groupBy(["format", "kind"])
    .orderBy("format")
    .orderBy("kind")
    .execute();
  return rows.map(({ format, kind, sources, linesSkipped, versions }) => ({
    format,
    kind: kind!,
    sources,
    linesSkipped,
    parserVersions: (versions ?? "")
      .split(",")
      .filter(Boolean)
      .map(Number)
      .sort((a, b) => a - b),
  }));
}

function notesOf(db: Kysely<Tables>, selection: Selection): Promise<CoverageReport["notes"]> {
  return db
    .selectFrom("notes")
    .innerJoin("words as note", "note.id", "notes.kind")
    .leftJoin("words as name", "name.id", "notes.name")
    .select(["note.text as note", "name.text as name", sql<number>`sum(notes.count)`.as("count")])
    .where(spoke(selection, "notes.source"))
    .groupBy(["note.text", "name.text"])
    .orderBy("note.text")
    .orderBy("name.text")
    .execute();
}

function extreme(pick: (...times: number[]) => number, times: (number | null)[]): number | null {
  const known = times.filter((time) => time !== null);
  return known.length === 0 ? null : pick(...known);
}
