import type { Kysely } from "kysely";
import { hexOf } from "../../events/identity.js";
import type { Tables } from "../../store/schema.js";
import type { ScopedTable, Selection } from "../../store/scope.js";

/**
 * - `pass`: looked at, and as it should be.
 * - `violated`: at least one record breaks the rule; evidence names it.
 * - `unmeasured`: too little was recorded to say.
 * - `not_applicable`: what the check is about could have been seen and did not occur.
 */
export type Verdict = "pass" | "violated" | "unmeasured" | "not_applicable";

export const CHECKS = ["shell_stability", "tenant_scope", "retention_floor", "return_contract"] as const;
export type CheckId = (typeof CHECKS)[number];

/** One record that speaks for or against the verdict. `noted` ones are listed and do not count. */
export interface Evidence {
  outcome: "violation" | "unmeasured" | "noted";
  eventId: string;
  atMs: number | null;
  lane: string | null;
  source: string;
  line: number | null;
  message: string;
}

export interface CheckResult {
  id: CheckId;
  verdict: Verdict;
  violations: number;
  unmeasured: number;
  /** The verdict in one sentence, and what it rests on. */
  summary: string;
  /** What would help, most useful first. */
  tries: string[];
  /** The first 10,000; `violations` and `unmeasured` are whole. */
  evidence: Evidence[];
}

export interface CheckOptions {
  /** The tenant that every row should have. */
  tenant?: string | undefined;
  /** Lowest acceptable retention; 0.70 unless said otherwise. */
  floor: number;
  judge?: string | undefined;
  allowUnjudged: boolean;
  allowLostConstraints: boolean;
  /** Declared changes of the shell are violations too. */
  strictDeclared: boolean;
  /** Checks that must be measured: not applicable becomes unmeasured. */
  require: CheckId[];
  /** The moment against which waivers expire. */
  nowMs: number;
}

export type Check = (db: Kysely<Tables>, selection: Selection, options: CheckOptions) => Promise<CheckResult>;

/** A row that the check found, not yet with its place. */
export interface Finding {
  table: ScopedTable;
  id: number;
  outcome: Evidence["outcome"];
  message: string;
}

const LISTED = 10_000;

/** The findings with event, time, lane, source and line: violations first, then unmeasured, then noted, each by time. */
export async function evidenceOf(db: Kysely<Tables>, findings: Finding[]): Promise<Evidence[]> {
  const places = new Map<string, Omit<Evidence, "outcome" | "message">>();
  const ranked = [...findings].sort((a, b) => RANK[a.outcome] - RANK[b.outcome]).slice(0, LISTED);
  for (const table of new Set(ranked.map((finding) => finding.table))) {
    const ids = ranked.filter((finding) => finding.table === table).map((finding) => finding.id);
    for (const row of await placesOf(db, table, ids)) places.set(`${table} ${row.id}`, placeOf(row));
  }
  return ranked
    .map(({ table, id, outcome, message }) => ({ outcome, ...places.get(`${table} ${id}`)!, message }))
    .sort(
      (a, b) => RANK[a.outcome] - RANK[b.outcome] || (a.atMs ?? 0) - (b.atMs ?? 0) || (a.line ?? 0) - (b.line ?? 0),
    );
}

const RANK = { violation: 0, unmeasured: 1, noted: 2 };

function placesOf(db: Kysely<Tables>, table: ScopedTable, ids: number[]) {
  return db
    .selectFrom(`${table as "requests"} as fact`)
    .innerJoin("sources", "sources.id", "fact.source")
    .leftJoin("lanes", "lanes.id", "fact.lane")
    .select([
      "fact.id",
      "fact.event_id",
      "fact.at_ms as atMs",
      "lanes.lane_id as lane",
      "sources.locator as source",
      "fact.source_line as line",
    ])
    .where("fact.id", "in", ids)
    .execute();
}

function placeOf(row: Awaited<ReturnType<typeof placesOf>>[number]) {
  return { eventId: hexOf(row.event_id), atMs: row.atMs, lane: row.lane, source: row.source, line: row.line };
}
