import { type Kysely, sql } from "kysely";
import { hexOf } from "../events/identity.js";
import type { PriceBook } from "../pricing/book.js";
import type { Tables } from "../store/schema.js";
import { inScope, type Scope, select } from "../store/scope.js";
import { cacheMisses, type Miss } from "./misses/cache-misses.js";
import { promptOf } from "./misses/pairs.js";

/** A request that was written to the store a moment ago. */
export interface LiveRequest {
  agent: string;
  session: string;
  lane: string | null;
  model: string | null;
  atMs: number | null;
  /** Null when usage is not known. */
  promptTokens: number | null;
  /** Null when the provider reports no cache counters. */
  readTokens: number | null;
  writtenTokens: number | null;
  outputTokens: number | null;
  /** True when the output was counted while it was still streaming: a lower bound. */
  provisional: boolean;
  /** Null when the source does not say how much fits. */
  contextWindowTokens: number | null;
  /** What it could have read from the cache and did not; null when there is nothing to say against it. */
  miss: Miss | null;
}

/** Key of the newest request; 0 in an empty store. */
export async function newestRequest(db: Kysely<Tables>): Promise<number> {
  const { id } = await db
    .selectFrom("requests")
    .select(({ fn }) => fn.max("id").as("id"))
    .executeTakeFirstOrThrow();
  return id ?? 0;
}

/** Requests written after the one with this key, in order of time, and the key to go on from. */
export async function requestsAfter(
  db: Kysely<Tables>,
  scope: Scope,
  after: number,
  prices: PriceBook,
): Promise<{ requests: LiveRequest[]; newest: number }> {
  const selection = await select(db, scope);
  const rows = await db
    .selectFrom("requests")
    .innerJoin("sessions", "sessions.id", "requests.session")
    .innerJoin("words as agent", "agent.id", "sessions.agent")
    .leftJoin("lanes", "lanes.id", "requests.lane")
    .leftJoin("words as model", "model.id", "requests.model")
    .select([
      "requests.id",
      "requests.event_id",
      "agent.text as agent",
      "sessions.session_id as session",
      "lanes.lane_id as lane",
      "model.text as model",
      "requests.at_ms as atMs",
      sql<number | null>`iif(requests.uncached_tokens is null, null, ${promptOf("requests")})`.as("promptTokens"),
      "requests.read_tokens as readTokens",
      sql<
        number | null
      >`coalesce(requests.write_5m_tokens + requests.write_1h_tokens, requests.write_5m_tokens, requests.write_1h_tokens, requests.write_unsplit_tokens)`.as(
        "writtenTokens",
      ),
      "requests.output_tokens as outputTokens",
      "requests.output_quality as quality",
      "requests.context_window_tokens as contextWindowTokens",
    ])
    .where("requests.id", ">", after)
    .where(inScope(selection, "requests"))
    .orderBy("requests.at_ms")
    .orderBy("requests.id")
    .execute();
  const misses = new Map<string, Miss>();
  const sessions = new Map(rows.map((row) => [`${row.agent}\0${row.session}`, row]));
  for (const { agent, session } of sessions.values()) {
    const own = rows.filter((row) => row.agent === agent && row.session === session);
    const sinceMs = Math.min(...own.map(({ atMs }) => atMs ?? Number.POSITIVE_INFINITY));
    if (!Number.isFinite(sinceMs)) continue;
    const { all } = await cacheMisses(db, await select(db, { ...scope, agent, session, sinceMs }), prices);
    for (const miss of all) misses.set(miss.eventId, miss);
  }
  return {
    newest: rows.reduce((newest, { id }) => Math.max(newest, id), after),
    requests: rows.map(({ id: _, event_id, quality, ...row }) => ({
      ...row,
      provisional: quality === "provisional",
      miss: misses.get(hexOf(event_id)) ?? null,
    })),
  };
}
