import type { Kysely } from "kysely";
import type { PriceBook } from "../../pricing/book.js";
import { costOf } from "../../pricing/cost.js";
import { ratesOf } from "../../pricing/price.js";
import type { Tables } from "../../store/schema.js";
import type { Selection } from "../../store/scope.js";
import { causeOf } from "./causes.js";
import { cachePairsOf } from "./pairs.js";

/** Input cost and read ratio of one session, as it was or as it would have been. Money in millionths of a dollar. */
export interface Simulated {
  costMicros: number;
  readTokens: number;
  writtenTokens: number;
  promptTokens: number;
}

export interface WhatIf {
  /** Always `simulated`: behaviour is assumed not to change. */
  label: "simulated";
  actual: Simulated;
  /** Every entry kept for an hour: pauses up to an hour lose nothing, and every write costs the 1-hour price. */
  hourLong: Simulated;
}

const HOUR_MS = 3_600_000;

/**
 * What the input would have cost if every cache entry lived for an hour: `cache.what_if_1h`, simulated.
 *
 *     a loss whose only cause is a pause of at most an hour is read instead; all writes are paid at the 1-hour price
 *
 * - Shown always as cost and as read ratio: a better ratio can cost more.
 * - What could be read is what the request before had read or written; its own uncached tail was never kept.
 * - Null when a request has no price for a bucket it uses, when the rules do not fit the record (a request read more
 *   than its predecessor could have left), or when there is no request.
 * - Input only. Assumes the same requests at the same times.
 */
export async function whatIf(db: Kysely<Tables>, selection: Selection, prices: PriceBook): Promise<WhatIf | null> {
  const rows = await requestsOf(db, selection);
  if (rows.length === 0 || rows.some((row) => row.potential !== null && row.read_tokens > row.potential + 1_024))
    return null;
  const actual = summed(rows, prices, asItWas);
  const hourLong = summed(rows, prices, keptForAnHour);
  return actual === null || hourLong === null ? null : { label: "simulated", actual, hourLong };
}

function requestsOf(db: Kysely<Tables>, selection: Selection) {
  return db
    .selectFrom(cachePairsOf(db, selection).as("pair"))
    .innerJoin("requests", "requests.id", "pair.id")
    .leftJoin("words as model", "model.id", "requests.model")
    .leftJoin("words as provider", "provider.id", "requests.provider")
    .selectAll("pair")
    .select([
      "model.text as model",
      "provider.text as provider",
      "requests.uncached_tokens",
      "requests.write_5m_tokens",
      "requests.write_1h_tokens",
      "requests.write_unsplit_tokens",
    ])
    .execute();
}

type Row = Awaited<ReturnType<typeof requestsOf>>[number];
type Buckets = { uncached: number; read: number; write5m: number; write1h: number };

function asItWas(row: Row): Buckets {
  return {
    uncached: row.uncached_tokens ?? 0,
    read: row.read_tokens,
    write5m: (row.write_5m_tokens ?? 0) + (row.write_unsplit_tokens ?? 0),
    write1h: row.write_1h_tokens ?? 0,
  };
}

function keptForAnHour(row: Row): Buckets {
  const { uncached, read, write5m, write1h } = asItWas(row);
  const written = write5m + write1h;
  const kept = lapsedOnly(row) ? Math.min(written, Math.max(0, (row.cached_before ?? 0) - read)) : 0;
  return { uncached, read: read + kept, write5m: 0, write1h: written - kept };
}

/** True when nothing but a pause of at most an hour lost the cache. */
function lapsedOnly(row: Row): boolean {
  if (row.gap_ms === null || row.gap_ms > HOUR_MS || row.lost === 0) return false;
  const { cause, coCauses } = causeOf({
    providerReason: row.reason,
    declared: row.declared?.split(",") ?? [],
    compacted: row.compacted === 1,
    modelChanged: row.model_changed === 1,
    gapMs: row.gap_ms,
    ttlMs: row.ttl_ms,
  });
  return cause === "ttl_lapse" && coCauses.length === 0;
}

function summed(rows: Row[], prices: PriceBook, buckets: (row: Row) => Buckets): Simulated | null {
  const sum = { readTokens: 0, writtenTokens: 0, promptTokens: 0 };
  let picos = 0n;
  for (const row of rows) {
    const tokens = buckets(row);
    const price = prices.priceOf({ provider: row.provider, model: row.model, atMs: row.at_ms });
    if (price === null) return null;
    const cost = costOf({ ...tokens, writeUnsplit: 0, output: 0 }, ratesOf(price, row.prompt, null).rates);
    if (cost.unpricedTokens > 0) return null;
    picos += cost.picos;
    sum.readTokens += tokens.read;
    sum.writtenTokens += tokens.write5m + tokens.write1h;
    sum.promptTokens += row.prompt;
  }
  return { costMicros: Number(picos / 1_000n) / 1_000, ...sum };
}
