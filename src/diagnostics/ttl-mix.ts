import { type Kysely, sql } from "kysely";
import type { Tables } from "../store/schema.js";
import { inScope, type Selection } from "../store/scope.js";

/** Cache writes of one client version, by lifetime. */
export interface TtlShare {
  agent: string;
  version: string;
  firstAtMs: number | null;
  requests: number;
  write5mTokens: number;
  write1hTokens: number;
  /** Share of the tokens written for an hour; null when nothing was written. */
  hourShare: number | null;
  /** True when the share fell by more than 50 points against the version that was seen before it. */
  collapsed: boolean;
}

const FALL = 0.5;

/**
 * Lifetime mix: which share of the cache writes was kept for an hour, by client version.
 *
 *     hour share = tokens written for 1 hour / tokens written for 5 minutes or 1 hour
 *
 * - In order of the version's first request. A version whose share fell by more than 50 points against the one before
 *   is marked: the client has changed how long its cache lives, and pauses cost more since then.
 * - Over requests of turns whose client version is known; writes with an untold lifetime are left out.
 */
export async function ttlMix(db: Kysely<Tables>, selection: Selection): Promise<TtlShare[]> {
  const rows = await db
    .selectFrom("requests")
    .innerJoin("turns", "turns.id", "requests.turn")
    .innerJoin("words as version", "version.id", "turns.client_version")
    .innerJoin("sessions", "sessions.id", "requests.session")
    .innerJoin("words as agent", "agent.id", "sessions.agent")
    .select([
      "agent.text as agent",
      "version.text as version",
      sql<number | null>`min(requests.at_ms)`.as("firstAtMs"),
      sql<number>`count(*)`.as("requests"),
      sql<number>`ifnull(sum(requests.write_5m_tokens), 0)`.as("write5mTokens"),
      sql<number>`ifnull(sum(requests.write_1h_tokens), 0)`.as("write1hTokens"),
    ])
    .where(inScope(selection, "requests"))
    .groupBy(["agent.text", "version.text"])
    .orderBy("agent.text")
    .orderBy(sql`min(requests.at_ms)`)
    .execute();
  const before = new Map<string, number>();
  return rows.map((row) => {
    const written = row.write5mTokens + row.write1hTokens;
    const hourShare = written === 0 ? null : row.write1hTokens / written;
    const last = before.get(row.agent);
    if (hourShare !== null) before.set(row.agent, hourShare);
    return { ...row, hourShare, collapsed: hourShare !== null && last !== undefined && last - hourShare > FALL };
  });
}
