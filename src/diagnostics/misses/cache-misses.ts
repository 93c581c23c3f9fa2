import { type Kysely, sql } from "kysely";
import { hexOf } from "../../events/identity.js";
import type { PriceBook } from "../../pricing/book.js";
import { ratesOf } from "../../pricing/price.js";
import type { Tables } from "../../store/schema.js";
import type { Selection } from "../../store/scope.js";
import { measured, type Value } from "../value.js";
import { blindTo } from "../visibility.js";
import { type Agreement, agreementOf } from "./agreement.js";
import { ABOUT, type Actor, type Attribution, type Cause, causeOf } from "./causes.js";
import { cachePairsOf } from "./pairs.js";

export interface Miss extends Attribution {
  eventId: string;
  session: string;
  lane: string | null;
  atMs: number | null;
  source: string;
  line: number | null;
  model: string | null;
  promptTokens: number;
  readTokens: number;
  lostTokens: number;
  /** The provider's own estimate of the missed tokens; a magnitude, not a billing figure. */
  providerTokens: number | null;
  providerReason: string | null;
  gapMs: number | null;
  ttlMs: number | null;
  /** What the loss cost above reading, in millionths of a dollar; null when the model has no price. */
  costMicros: number | null;
}

export interface CauseSum {
  cause: Cause;
  actor: Actor;
  meaning: string;
  fix: string;
  requests: number;
  lostTokens: number;
  /** Of all unexpected losses; null for expected ones. */
  share: number | null;
  /** Known costs only; `unpricedTokens` are not in it. */
  costMicros: number;
  unpricedTokens: number;
  dearest: Miss;
}

export interface CacheMisses extends Value {
  causes: CauseSum[];
  /** Losses that had to be: after a compaction. Outside the total. */
  expected: CauseSum[];
  /** Small losses (under 1,024 tokens and under 1 % of the prompt): the tail after the last breakpoint. */
  tail: { requests: number; tokens: number };
  /** Requests that read more than their predecessor could have left: the rules used here do not hold for them. */
  violations: number;
  agreement: Agreement;
  /** The dearest first, unexpected ones only. */
  misses: Miss[];
  /** Expected ones too, in order of time. */
  all: Miss[];
}

const NOISE_TOKENS = 1_024;
const NOISE_SHARE = 0.01;

/**
 * Cache misses: input tokens that a request could have read from the provider's cache and did not, by cause.
 *
 *     missed = Σ lost / Σ potential        potential = min(prompt before, prompt now), lost = potential − read
 *     (share of tokens, lower is better; per lane, between consecutive requests)
 *
 * - Evidence `provider`: the provider recorded its own reason. `usage`: drawn from usage, times and recorded changes;
 *   it knows no point of divergence. `unknown` is a cause of its own, counted and shown.
 * - Expected losses (the first request after a compaction) stand apart. A lane's first request has nothing to lose.
 * - Losses under 1,024 tokens and under 1 % of the prompt are the uncached tail, not a miss.
 * - Money: lost tokens × (price paid for what this request did not read − price of a read). A model without a price
 *   adds tokens and no money, and is counted.
 * - A service tier (batch, fast) is not taken into account: the plain price stands in for it.
 * - Says what was paid again, not whether it could have been avoided.
 */
export async function cacheMisses(db: Kysely<Tables>, selection: Selection, prices: PriceBook): Promise<CacheMisses> {
  const pairs = await cachePairsOf(db, selection).execute();
  const isMiss = ({ lost, prompt }: Pair) => lost > 0 && (lost >= NOISE_TOKENS || lost >= NOISE_SHARE * prompt);
  const tail = pairs.filter((pair) => pair.lost > 0 && !isMiss(pair));
  const all = (await detailed(db, pairs.filter(isMiss))).map((row) => missOf(row, prices));
  const expected = all.filter(({ cause }) => ABOUT[cause].actor === "nobody");
  const misses = all.filter(({ cause }) => ABOUT[cause].actor !== "nobody").sort(dearestFirst);
  const lost = misses.reduce((sum, { lostTokens }) => sum + lostTokens, 0);
  const forgiven = expected.reduce((sum, { lostTokens }) => sum + lostTokens, 0);
  const potential = pairs.reduce((sum, pair) => sum + (pair.potential ?? 0), 0);
  return {
    ...measured({
      method: "cache.misses/1",
      evidence: misses.some(({ evidence }) => evidence === "provider") ? "usage and provider" : "usage",
      count: lost,
      of: potential - forgiven,
      nUnit: "tokens",
      coverage: { observed: pairs.length, expected: pairs.length },
      blind: pairs.length > 0 ? null : await blindTo(db, selection, "cache_counters"),
      nothing: "no lane with two requests whose provider reports caching",
    }),
    causes: summed(misses, lost),
    expected: summed(expected, null),
    tail: { requests: tail.length, tokens: tail.reduce((sum, pair) => sum + pair.lost, 0) },
    violations: pairs.filter((pair) => pair.read_tokens > (pair.potential ?? Infinity) + NOISE_TOKENS).length,
    agreement: agreementOf(misses),
    misses,
    all,
  };
}

type Pair = Awaited<ReturnType<ReturnType<typeof cachePairsOf>["execute"]>>[number];

/** What a miss is told with: where it stands, and what was paid; in order of time. */
async function detailed(db: Kysely<Tables>, pairs: Pair[]) {
  const ids = JSON.stringify(pairs.map(({ id }) => id));
  const details = await db
    .selectFrom("requests")
    .innerJoin("sessions", "sessions.id", "requests.session")
    .innerJoin("sources", "sources.id", "requests.source")
    .leftJoin("lanes", "lanes.id", "requests.lane")
    .leftJoin("words as model", "model.id", "requests.model")
    .leftJoin("words as provider", "provider.id", "requests.provider")
    .select([
      "requests.id",
      "requests.event_id",
      "sessions.session_id",
      "lanes.lane_id",
      "sources.locator",
      "requests.source_line",
      "model.text as model",
      "provider.text as provider",
      "requests.uncached_tokens",
      "requests.write_5m_tokens",
      "requests.write_1h_tokens",
      "requests.write_unsplit_tokens",
    ])
    .where(sql<boolean>`requests.id in (select value from json_each(${ids}))`)
    .orderBy("requests.at_ms")
    .orderBy("requests.event_id")
    .execute();
  const byId = new Map(pairs.map((pair) => [pair.id, pair]));
  return details.map((detail) => ({ ...byId.get(detail.id)!, ...detail }));
}

type Row = Awaited<ReturnType<typeof detailed>>[number];

function missOf(row: Row, prices: PriceBook): Miss {
  const signs = {
    providerReason: row.reason,
    declared: row.declared?.split(",") ?? [],
    compacted: row.compacted === 1,
    modelChanged: row.model_changed === 1,
    gapMs: row.gap_ms,
    ttlMs: row.ttl_ms,
  };
  return {
    ...causeOf(signs),
    eventId: hexOf(row.event_id),
    session: row.session_id,
    lane: row.lane_id,
    atMs: row.at_ms,
    source: row.locator,
    line: row.source_line,
    model: row.model,
    promptTokens: row.prompt,
    readTokens: row.read_tokens,
    lostTokens: row.lost,
    providerTokens: row.missed_tokens,
    providerReason: row.reason,
    gapMs: row.gap_ms,
    ttlMs: row.ttl_ms,
    costMicros: costMicrosOf(row, prices),
  };
}

/** Lost tokens × (what this request paid per token it did not read − the price of a read). */
function costMicrosOf(row: Row, prices: PriceBook): number | null {
  const price = prices.priceOf({ provider: row.provider, model: row.model, atMs: row.at_ms });
  if (price === null) return null;
  const { rates } = ratesOf(price, row.prompt, null);
  const { uncached_tokens: plain, write_5m_tokens: short, write_1h_tokens: long, write_unsplit_tokens: unsplit } = row;
  const shortTokens = BigInt((short ?? 0) + (unsplit ?? 0));
  const [plainTokens, longTokens] = [BigInt(plain ?? 0), BigInt(long ?? 0)];
  const tokens = plainTokens + shortTokens + longTokens;
  if (rates.read === null || tokens === 0n) return null;
  if ((shortTokens > 0n && rates.write5m === null) || (longTokens > 0n && rates.write1h === null)) return null;
  const paid = plainTokens * rates.uncached + shortTokens * (rates.write5m ?? 0n) + longTokens * (rates.write1h ?? 0n);
  const picos = (BigInt(row.lost) * (paid - tokens * rates.read)) / tokens;
  return Number(picos / 1_000n) / 1_000;
}

function dearestFirst(a: Miss, b: Miss): number {
  return (b.costMicros ?? 0) - (a.costMicros ?? 0) || b.lostTokens - a.lostTokens || a.eventId.localeCompare(b.eventId);
}

/** By cause, the most lost tokens first. */
function summed(misses: Miss[], lost: number | null): CauseSum[] {
  return [...new Set(misses.map(({ cause }) => cause))]
    .map((cause) => {
      const own = misses.filter((miss) => miss.cause === cause);
      const tokens = own.reduce((sum, { lostTokens }) => sum + lostTokens, 0);
      return {
        cause,
        ...ABOUT[cause],
        requests: own.length,
        lostTokens: tokens,
        share: lost === null || lost === 0 ? null : tokens / lost,
        costMicros: own.reduce((sum, { costMicros }) => sum + (costMicros ?? 0), 0),
        unpricedTokens: own.reduce(
          (sum, { costMicros, lostTokens }) => sum + (costMicros === null ? lostTokens : 0),
          0,
        ),
        dearest: [...own].sort(dearestFirst)[0]!,
      };
    })
    .sort((a, b) => b.lostTokens - a.lostTokens);
}
