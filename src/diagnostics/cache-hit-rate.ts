import { type Kysely, type RawBuilder, sql } from "kysely";
import type { Tables } from "../store/schema.js";
import { besideTurns, inScope, type Selection } from "../store/scope.js";
import { measured, type Value } from "./value.js";
import { unseenIn, whyUnseen } from "./visibility.js";

export interface CacheHitRate extends Value {
  /** Turns with a hit that sent no request, and turns with both. */
  localOnly: number;
  withRequest: number;
  /** Turns with a hit ÷ turns with a request, as the describing system has it; can exceed 1. */
  originalFormula: { hits: number; requests: number; ratio: number | null };
}

/**
 * Cache hit rate: turns served at least once from a local cache, out of turns that were served or sent a request.
 *
 *     hit rate = |turns with a served hit| / |turns with a served hit or a request|      (0..1, higher is better)
 *
 * - Counts turns, not requests: ten requests and one hit make one turn with a hit.
 * - A hit is served: found but not used as the answer is no hit. All local layers count; the provider's prefix cache
 *   is not one of them (see `cache.read_ratio`).
 * - A turn belongs to the window of its start and to its lane; equal prompts in two lanes are two turns.
 * - Turns of sessions whose sources cannot tell local hits (another agent's transcripts) are left out and counted.
 * - No such turn in scope: no value, and that is not 0 %.
 * - Says nothing about tokens or money.
 */
export async function cacheHitRate(db: Kysely<Tables>, selection: Selection): Promise<CacheHitRate> {
  const turns = db
    .selectFrom("turns")
    .select([
      turnIn(selection, "cache_events", sql`and cache_events.served = 1`).as("hit"),
      turnIn(selection, "requests", sql``).as("sent"),
      sql<number>`not ${unseenIn(selection, "local_cache", "turns.session")}`.as("told"),
    ])
    .where(inScope(selection, "turns"));
  const sum = await db
    .selectFrom(turns.as("turn"))
    .select([
      total(sql`hit or sent`).as("turns"),
      total(sql`told and (hit or sent)`).as("told"),
      total(sql`told and hit`).as("hits"),
      total(sql`told and sent`).as("requests"),
      total(sql`told and hit and sent`).as("both"),
    ])
    .executeTakeFirstOrThrow();
  return {
    ...measured({
      method: "cache.hit_rate/1",
      evidence: "local cache events",
      count: sum.hits,
      of: sum.told,
      nUnit: "turns",
      coverage: { observed: sum.told, expected: sum.turns },
      unseen: (await whyUnseen(db, selection, "local_cache")) ?? "no source in scope records local cache hits",
      nothing: "no turn with a request or a local hit",
    }),
    localOnly: sum.hits - sum.both,
    withRequest: sum.both,
    originalFormula: {
      hits: sum.hits,
      requests: sum.requests,
      ratio: sum.requests === 0 ? null : sum.hits / sum.requests,
    },
  };
}

/** Looked up as a set, once: several times faster than grouping all events by turn. */
function turnIn(selection: Selection, table: "cache_events" | "requests", and: RawBuilder<unknown>) {
  return sql<number>`turns.id in (
    select turn from ${sql.table(table)} where turn is not null and ${besideTurns(selection, `${table}.session`)} ${and})`;
}

function total(condition: RawBuilder<unknown>): RawBuilder<number> {
  return sql<number>`ifnull(sum(${condition}), 0)`;
}
