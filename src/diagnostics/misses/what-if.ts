import type { Kysely } from "kysely";
import { type PriceBook, priceBook } from "../../pricing/book.js";
import { costOf } from "../../pricing/cost.js";
import { type Rates, ratesOf } from "../../pricing/price.js";
import type { Tables } from "../../store/schema.js";
import type { Selection } from "../../store/scope.js";
import { counted } from "../figure.js";
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
  /** Why nothing was simulated; null when it was. */
  reason: string | null;
  actual: Simulated | null;
  /** Every entry kept for an hour: pauses up to an hour lose nothing, and every write costs the 1-hour price. */
  hourLong: Simulated | null;
  /** Every pause up to an hour bridged by reading the entry again each time it was about to lapse. */
  keptWarm: Simulated | null;
}

const HOUR_MS = 3_600_000;

/**
 * What the input would have cost if cache entries had outlived pauses: `cache.what_if`, simulated.
 *
 *     hour long: a loss whose only cause is a pause of at most an hour is read instead; all writes at the 1-hour price
 *     kept warm: the same loss is read instead; the entry is read once more for every lifetime that the pause outlasts
 *
 * - Shown always as cost and as read ratio: a better ratio can cost more.
 * - What could be read is what the request before had read or written; its own uncached tail was never kept.
 * - Kept warm is the best case: nobody knows beforehand which pause will end within the hour, and a read that keeps an
 *   entry alive costs some output too. Its extra reads are in the cost, not in the ratio.
 * - Nothing when a request has no price for a bucket it uses, when the rules do not fit the record (a request read more
 *   than its predecessor could have left), or when there is no request: `reason` says which.
 * - Input only. Assumes the same requests at the same times. Another order of tools and further breakpoints are not
 *   simulated: that takes digests of single blocks.
 */
export async function whatIf(
  db: Kysely<Tables>,
  selection: Selection,
  prices: PriceBook = priceBook(),
): Promise<WhatIf> {
  const rows = await requestsOf(db, selection);
  if (rows.length === 0) return not("no request whose provider reports caching");
  const odd = rows.filter((row) => row.potential !== null && row.read_tokens > row.potential + 1_024).length;
  if (odd > 0) return againstTheRules(odd);
  const actual = summed(rows, prices, asItWas);
  const hourLong = summed(rows, prices, keptForAnHour);
  const keptWarm = summed(rows, prices, keptWarmInPauses);
  if (actual === null || hourLong === null || keptWarm === null)
    return not("some requests have no price for all they used");
  return { label: "simulated", reason: null, actual, hourLong, keptWarm };
}

/** Nothing is simulated where so many requests read more than their predecessors could have left. */
export function againstTheRules(requests: number): WhatIf {
  return not(`${counted(requests, "request")} read more than the rules used here allow`);
}

function not(reason: string): WhatIf {
  return { label: "simulated", reason, actual: null, hourLong: null, keptWarm: null };
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
type Buckets = { uncached: number; read: number; write5m: number; write1h: number; readBetween?: number };

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

function keptWarmInPauses(row: Row): Buckets {
  const { uncached, read, write5m, write1h } = asItWas(row);
  if (!lapsedOnly(row)) return { uncached, read, write5m, write1h };
  const before = row.cached_before ?? 0;
  const kept = Math.min(write5m + write1h, Math.max(0, before - read));
  const short = Math.max(0, write5m - kept);
  const long = write5m + write1h - kept - short;
  const times = Math.ceil(row.gap_ms! / row.ttl_ms!) - 1;
  return { uncached, read: read + kept, write5m: short, write1h: long, readBetween: before * times };
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

/** Costs are added up per rates: what pays the same costs together what it costs one by one. */
function summed(rows: Row[], prices: PriceBook, buckets: (row: Row) => Buckets): Simulated | null {
  const byRates = new Map<Rates, Required<Buckets>>();
  let promptTokens = 0;
  for (const row of rows) {
    const price = prices.priceOf({ provider: row.provider, model: row.model, atMs: row.at_ms });
    if (price === null) return null;
    const { rates } = ratesOf(price, row.prompt, null);
    const sum = byRates.get(rates) ?? { uncached: 0, read: 0, write5m: 0, write1h: 0, readBetween: 0 };
    const own = buckets(row);
    for (const name of BUCKETS) sum[name] += own[name] ?? 0;
    byRates.set(rates, sum);
    promptTokens += row.prompt;
  }
  let picos = 0n;
  let readTokens = 0;
  let writtenTokens = 0;
  for (const [rates, { readBetween, ...tokens }] of byRates) {
    const cost = costOf({ ...tokens, read: tokens.read + readBetween, writeUnsplit: 0, output: 0 }, rates);
    if (cost.unpricedTokens > 0) return null;
    picos += cost.picos;
    readTokens += tokens.read;
    writtenTokens += tokens.write5m + tokens.write1h;
  }
  return { costMicros: Number(picos / 1_000n) / 1_000, readTokens, writtenTokens, promptTokens };
}

const BUCKETS = ["uncached", "read", "write5m", "write1h", "readBetween"] as const;
