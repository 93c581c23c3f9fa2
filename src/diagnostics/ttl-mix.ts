import { type Kysely, sql } from "kysely";
import type { Tables } from "../store/schema.js";
import { inScope, type Selection } from "../store/scope.js";
import type { DayOf } from "./groups.js";

/** Cache writes of one client version, by lifetime. */
export interface TtlShare {
  agent: string;
  /** Null: not recorded. */
  version: string | null;
  firstAtMs: number | null;
  /** Requests that wrote for a lifetime that is told. */
  requests: number;
  write5mTokens: number;
  write1hTokens: number;
  /** Share of the tokens written for an hour; null when nothing was written. */
  hourShare: number | null;
}

/** The same of one day. */
export interface TtlDay extends TtlShare {
  day: string;
}

/** The client keeps its cache for a shorter time since this version: pauses cost more. */
export interface TtlFall {
  agent: string;
  from: Pick<TtlShare, "version" | "hourShare" | "requests">;
  to: Pick<TtlShare, "version" | "hourShare" | "requests">;
}

export interface TtlMix {
  /** In order of the version's first request, agent by agent. */
  versions: TtlShare[];
  falls: TtlFall[];
  /** By day and version; null unless days were asked for. Requests without a time are in none. */
  days: TtlDay[] | null;
}

const FALL = 0.5;
/** Fewer say nothing about a version: a fall of more than half between two such samples is no accident. */
const LEAST_REQUESTS = 20;

/**
 * Lifetime mix: which share of the cache writes was kept for an hour, by client version, and by day.
 *
 *     hour share = tokens written for 1 hour / tokens written for 5 minutes or 1 hour
 *
 * - A fall: the share is more than 50 points lower than in the version that was seen before it, and both wrote in at
 *   least 20 requests. A version with fewer is shown and compared with nothing.
 * - Over requests of parent lanes: subagents are written for 5 minutes by versions that write the rest for an hour.
 * - Writes with an untold lifetime are left out.
 * - Says what changed with the version, not why: a client may choose by account, too.
 */
export async function ttlMix(db: Kysely<Tables>, selection: Selection, dayOf: DayOf | null): Promise<TtlMix> {
  const rows = await writesOf(db, selection, dayOf !== null);
  const versions = summed(rows, ({ agent, version }) => JSON.stringify([agent, version]));
  versions.sort((a, b) => order(a.agent, b.agent) || (a.firstAtMs ?? Infinity) - (b.firstAtMs ?? Infinity));
  return { versions, falls: fallsOf(versions), days: dayOf === null ? null : daysOf(rows, dayOf) };
}

function fallsOf(versions: TtlShare[]): TtlFall[] {
  const before = new Map<string, TtlShare>();
  const falls: TtlFall[] = [];
  for (const to of versions) {
    if (to.version === null || to.hourShare === null || to.requests < LEAST_REQUESTS) continue;
    const from = before.get(to.agent);
    if (from !== undefined && from.hourShare! - to.hourShare > FALL)
      falls.push({ agent: to.agent, from: side(from), to: side(to) });
    before.set(to.agent, to);
  }
  return falls;
}

function side({ version, hourShare, requests }: TtlShare): TtlFall["from"] {
  return { version, hourShare, requests };
}

function daysOf(rows: TtlShare[], dayOf: DayOf): TtlDay[] {
  const timed = rows.flatMap((row) => (row.firstAtMs === null ? [] : [{ ...row, day: dayOf(row.firstAtMs).key }]));
  const days = summed(timed, ({ day, agent, version }) => JSON.stringify([day, agent, version]));
  return days.sort((a, b) => order(a.day, b.day) || order(a.agent, b.agent) || a.firstAtMs! - b.firstAtMs!);
}

/** Rows added up by key. */
function summed<Row extends TtlShare>(rows: Row[], keyOf: (row: Row) => string): Row[] {
  const sums = new Map<string, Row>();
  for (const row of rows) {
    const sum = sums.get(keyOf(row));
    if (sum === undefined) sums.set(keyOf(row), { ...row });
    else {
      for (const count of ["requests", "write5mTokens", "write1hTokens"] as const) sum[count] += row[count];
      if (row.firstAtMs !== null) sum.firstAtMs = Math.min(sum.firstAtMs ?? row.firstAtMs, row.firstAtMs);
    }
  }
  return [...sums.values()].map((sum) => {
    const written = sum.write5mTokens + sum.write1hTokens;
    return { ...sum, hourShare: written === 0 ? null : sum.write1hTokens / written };
  });
}

/** No zone's day begins within a quarter of an hour. */
const SLOT_MS = 900_000;

async function writesOf(db: Kysely<Tables>, selection: Selection, inSlots: boolean): Promise<TtlShare[]> {
  const slot = inSlots ? sql<number | null>`requests.at_ms / ${sql.lit(SLOT_MS)}` : sql<null>`null`;
  const rows = await db
    .selectFrom("requests")
    .innerJoin("lanes", "lanes.id", "requests.lane")
    .leftJoin("turns", "turns.id", "requests.turn")
    .leftJoin("words as version", "version.id", "turns.client_version")
    .innerJoin("sessions", "sessions.id", "requests.session")
    .innerJoin("words as agent", "agent.id", "sessions.agent")
    .select([
      "agent.text as agent",
      "version.text as version",
      slot.as("slot"),
      sql<number | null>`min(requests.at_ms)`.as("firstAtMs"),
      sql<number>`count(*)`.as("requests"),
      sql<number>`ifnull(sum(requests.write_5m_tokens), 0)`.as("write5mTokens"),
      sql<number>`ifnull(sum(requests.write_1h_tokens), 0)`.as("write1hTokens"),
    ])
    .where(inScope(selection, "requests"))
    .where("lanes.kind", "=", "parent")
    .where(sql<boolean>`(requests.write_5m_tokens > 0 or requests.write_1h_tokens > 0)`)
    .groupBy(["agent.text", "version.text", "slot"])
    .execute();
  return rows.map(({ slot: _, ...row }) => ({ ...row, hourShare: null }));
}

function order(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
