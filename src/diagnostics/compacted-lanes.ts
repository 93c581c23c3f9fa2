import { type Kysely, sql } from "kysely";
import type { Tables } from "../store/schema.js";
import { inScope, type Selection } from "../store/scope.js";
import { promptOf } from "./misses/pairs.js";

/** A compaction with what went on in its lane before and after it. */
export interface LaneCompaction {
  id: number;
  session: number;
  lane: number | null;
  sessionId: string;
  recipe: string;
  version: string | null;
  countMethod: string | null;
  atMs: number | null;
  tokensBefore: number | null;
  tokensAfter: number | null;
  summaryTokens: number | null;
  /** Moments of the lane's compactions before and after this one; the ends of time where there is none. */
  previousMs: number;
  nextMs: number;
}

/** Full compactions in scope that were applied, in order of time. Neighbours count although they lie outside. */
export async function laneCompactions(db: Kysely<Tables>, selection: Selection): Promise<LaneCompaction[]> {
  const rows = await db
    .selectFrom("compactions")
    .innerJoin("sessions", "sessions.id", "compactions.session")
    .innerJoin("words as recipe", "recipe.id", "compactions.recipe")
    .leftJoin("words as version", "version.id", "compactions.recipe_version")
    .leftJoin("words as method", "method.id", "compactions.count_method")
    .select([
      "compactions.id",
      "compactions.session",
      "compactions.lane",
      "sessions.session_id as sessionId",
      "recipe.text as recipe",
      "version.text as version",
      "method.text as countMethod",
      "compactions.at_ms as atMs",
      "compactions.tokens_before as tokensBefore",
      "compactions.tokens_after as tokensAfter",
      sql<number | null>`ifnull(compactions.summary_tokens, (compactions.summary_bytes + 3) / 4)`.as("summaryTokens"),
      neighbour("max", "<").as("previousMs"),
      neighbour("min", ">").as("nextMs"),
    ])
    .where(inScope(selection, "compactions"))
    .where("compactions.form", "=", "full")
    .where("compactions.outcome", "=", "applied")
    .orderBy("compactions.at_ms")
    .orderBy("compactions.event_id")
    .execute();
  return rows.map((row) => ({
    ...row,
    previousMs: row.previousMs ?? Number.NEGATIVE_INFINITY,
    nextMs: row.nextMs ?? Number.POSITIVE_INFINITY,
  }));
}

function neighbour(which: "max" | "min", side: "<" | ">") {
  return sql<number | null>`(select ${sql.raw(which)}(other.at_ms) from compactions other
    where other.session = compactions.session and other.lane is compactions.lane and other.form = 'full'
      and other.outcome = 'applied' and other.at_ms ${sql.raw(side)} compactions.at_ms)`;
}

/** A request of the lane, as far as the context's size and price need it. */
export interface LaneRequest {
  atMs: number;
  promptTokens: number;
  provider: string | null;
  model: string | null;
}

/** Requests after the compaction and before the lane's next one, in order. */
export async function requestsAfter(db: Kysely<Tables>, compaction: LaneCompaction): Promise<LaneRequest[]> {
  const { session, lane, atMs, nextMs } = compaction;
  if (atMs === null) return [];
  const rows = await db
    .selectFrom("requests")
    .leftJoin("words as provider", "provider.id", "requests.provider")
    .leftJoin("words as model", "model.id", "requests.model")
    .select([
      sql<number>`requests.at_ms`.as("atMs"),
      promptOf("requests").as("promptTokens"),
      "provider.text as provider",
      "model.text as model",
    ])
    .where("requests.session", "=", session)
    .where(sql<boolean>`requests.lane is ${lane}`)
    .where("requests.status", "=", "reported")
    .where("requests.at_ms", ">=", atMs)
    .where("requests.at_ms", "<=", Number.isFinite(nextMs) ? nextMs : Number.MAX_SAFE_INTEGER)
    // A session that was read from several files has a row of each.
    .groupBy("requests.event_id")
    .orderBy("requests.at_ms")
    .orderBy("requests.source_line")
    .orderBy("requests.event_id")
    .execute();
  return rows;
}
