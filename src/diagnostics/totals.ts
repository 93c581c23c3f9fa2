import { type Kysely, sql } from "kysely";
import type { Tables } from "../store/schema.js";
import { type Excluded, excluded, inScope, type Selection } from "../store/scope.js";
import { sessionsInScope } from "./sessions-in-scope.js";

/** Tokens of the requests in scope, in disjoint buckets; reasoning is part of output. Null: no request told. */
interface Tokens {
  uncached: number | null;
  read: number | null;
  write5m: number | null;
  write1h: number | null;
  writeUnsplit: number | null;
  output: number | null;
  reasoning: number | null;
}

export interface Totals {
  /** Distinct sessions; these do not add up over windows. */
  sessions: number;
  /** Turns of parent lanes. */
  turns: number;
  requests: number;
  toolCalls: number;
  /** Full compactions that took place, and clearings of single tool results. */
  compactions: number;
  microcompactions: number;
  tokens: Tokens;
  /** Requests that make a bucket a lower bound: their part of it is unknown, or was written while still streaming. */
  lowerBound: { input: number; output: number };
  excluded: Excluded & {
    /** Requests whose usage contradicts itself: counted as requests, left out of the tokens. */
    contradictory: number;
  };
}

/**
 * Totals: how much there is in scope.
 *
 * - Each thing once, however many sources hold a copy of it.
 * - Tokens are sums of what was reported. A request with an unknown or provisional part makes them lower bounds, and
 *   is counted as such.
 * - Requests that the records do not hold (a compaction's own request in some agents) are not in the totals.
 */
export async function totals(db: Kysely<Tables>, selection: Selection): Promise<Totals> {
  const requests = await requestTotals(db, selection);
  const sessions = await sessionsInScope(db, selection)
    .select(sql<number>`count(*)`.as("sessions"))
    .executeTakeFirstOrThrow();
  const turns = await db
    .selectFrom("turns")
    .innerJoin("lanes", "lanes.id", "turns.lane")
    .select(sql<number>`count(*)`.as("turns"))
    .where(inScope(selection, "turns"))
    .where("lanes.kind", "=", "parent")
    .executeTakeFirstOrThrow();
  const calls = await db
    .selectFrom("tool_calls")
    .select(sql<number>`count(*)`.as("calls"))
    .where(inScope(selection, "tool_calls"))
    .where("use_seen", "=", 1)
    .executeTakeFirstOrThrow();
  const compactions = await db
    .selectFrom("compactions")
    .select([
      sql<number>`ifnull(sum(form = 'full'), 0)`.as("full"),
      sql<number>`ifnull(sum(form = 'micro'), 0)`.as("micro"),
    ])
    .where(inScope(selection, "compactions"))
    .where("outcome", "in", ["applied", "indeterminate"])
    .executeTakeFirstOrThrow();
  const { uncached, read, write5m, write1h, writeUnsplit, output, reasoning } = requests;
  return {
    sessions: sessions.sessions,
    turns: turns.turns,
    requests: requests.requests,
    toolCalls: calls.calls,
    compactions: compactions.full,
    microcompactions: compactions.micro,
    tokens: { uncached, read, write5m, write1h, writeUnsplit, output, reasoning },
    lowerBound: { input: requests.unknownInput, output: requests.unsureOutput },
    excluded: { ...(await excluded(db, selection)), contradictory: requests.contradictory },
  };
}

function requestTotals(db: Kysely<Tables>, selection: Selection) {
  const sum = (column: string) =>
    sql<number | null>`sum(iif(usage_state <> 'contradictory', ${sql.ref(column)}, null))`;
  return db
    .selectFrom("requests")
    .select([
      sql<number>`count(*)`.as("requests"),
      sum("uncached_tokens").as("uncached"),
      sum("read_tokens").as("read"),
      sum("write_5m_tokens").as("write5m"),
      sum("write_1h_tokens").as("write1h"),
      sum("write_unsplit_tokens").as("writeUnsplit"),
      sum("output_tokens").as("output"),
      sum("reasoning_tokens").as("reasoning"),
      sql<number>`ifnull(sum(usage_state <> 'ok' or uncached_tokens is null), 0)`.as("unknownInput"),
      sql<number>`ifnull(sum(usage_state = 'contradictory' or output_quality <> 'final'), 0)`.as("unsureOutput"),
      sql<number>`ifnull(sum(usage_state = 'contradictory'), 0)`.as("contradictory"),
    ])
    .where(inScope(selection, "requests"))
    .executeTakeFirstOrThrow();
}
