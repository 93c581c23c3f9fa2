import { type Kysely, sql } from "kysely";
import type { Tables } from "../store/schema.js";
import { inScope, type Selection } from "../store/scope.js";
import { measured, type Value } from "./value.js";
import { whyUnseen } from "./visibility.js";

export interface ReadRatio extends Value {
  /** Share of requests that read anything from the provider's cache; null without one. */
  byRequests: number | null;
  /** Mean of the single requests' ratios: the typical request, however small its prompt. */
  typical: number | null;
  /** Requests left out because their usage is partial or contradicts itself. */
  leftOut: { partial: number; contradictory: number };
}

/**
 * Provider read ratio: prompt tokens that the provider took from its prefix cache.
 *
 *     read ratio = Σ read / Σ (uncached + read + written)      (0..1 of tokens, higher is better)
 *
 * - Over requests whose provider reports caching, even if it reports 0; others are counted as not telling.
 * - Requests with partial or contradictory usage are left out and counted.
 * - Weighted by tokens; `byRequests` and `typical` weigh every request alike.
 * - No reporting request: not reported, which is not 0.
 * - Says nothing about money: a higher ratio can cost more (writes are dearer than plain input).
 */
export async function readRatio(db: Kysely<Tables>, selection: Selection): Promise<ReadRatio> {
  const prompts = db
    .selectFrom("requests")
    .select([
      "usage_state",
      sql<number>`cache_reported = 1 and usage_state = 'ok'`.as("told"),
      sql<number>`ifnull(read_tokens, 0)`.as("read"),
      sql<number>`ifnull(uncached_tokens, 0) + ifnull(read_tokens, 0) + ifnull(write_5m_tokens, 0)
        + ifnull(write_1h_tokens, 0) + ifnull(write_unsplit_tokens, 0)`.as("prompt"),
    ])
    .where(inScope(selection, "requests"));
  const sum = await db
    .selectFrom(prompts.as("request"))
    .select([
      sql<number>`count(*)`.as("requests"),
      sql<number>`ifnull(sum(told), 0)`.as("told"),
      sql<number>`ifnull(sum(told * read), 0)`.as("read"),
      sql<number>`ifnull(sum(told * prompt), 0)`.as("prompt"),
      sql<number | null>`avg(iif(told, read > 0, null))`.as("byRequests"),
      sql<number | null>`avg(iif(told and prompt > 0, read * 1.0 / prompt, null))`.as("typical"),
      sql<number>`ifnull(sum(usage_state = 'partial'), 0)`.as("partial"),
      sql<number>`ifnull(sum(usage_state = 'contradictory'), 0)`.as("contradictory"),
    ])
    .executeTakeFirstOrThrow();
  return {
    ...measured({
      method: "cache.read_ratio/1",
      evidence: "usage",
      count: sum.read,
      of: sum.prompt,
      nUnit: "tokens",
      coverage: { observed: sum.told, expected: sum.requests },
      unseen: (await whyUnseen(db, selection, "cache_counters")) ?? "requests without complete cache counters",
      nothing: "no request with a prompt",
    }),
    byRequests: sum.byRequests,
    typical: sum.typical,
    leftOut: { partial: sum.partial, contradictory: sum.contradictory },
  };
}
