import type { PriceBook } from "../pricing/book.js";
import { type Cost, costOf, type Tokens } from "../pricing/cost.js";
import { type Picos, type Price, ratesOf } from "../pricing/price.js";
import { type Cell, REPORTED, type Told } from "./cells.js";

/** Tokens and money of any number of requests. Money is in picodollars and exact. */
export interface Account {
  requests: number;
  /** Null: no request tells, which is not 0. */
  tokens: Told & {
    /** Part of output. */
    reasoning: number | null;
  };
  /** How the requests stand with the price list; the four add up to `requests`. */
  basis: {
    priced: number;
    free: number;
    /** Their model has no price; never free, never priced as another model. */
    unpriced: number;
    /** Their usage is missing or contradicts itself. */
    withoutUsage: number;
  };
  /** Of the priced requests. A floor as soon as any of `missing` is not 0. */
  cost: Omit<Cost, "unpricedTokens">;
  /** Why the cost can be a lower bound: what is counted here is not, or not wholly, in it. */
  missing: {
    unpriced: number;
    withoutUsage: number;
    /** An unknown part of the prompt or output. */
    partial: number;
    /** Output counted while still streaming. */
    unsureOutput: number;
    /** Tokens of a bucket that the model's price does not cover. */
    unpricedTokens: number;
    /** Web searches by the provider, which it charges apart. */
    searches: number;
  };
  /** Requests that are priced, but by an assumption. */
  assumed: {
    /** Cache writes without a lifetime, priced as 5 minutes. */
    unsplitWrites: number;
    /** A service tier without a price of its own, priced as the plain one. */
    services: number;
    /** No time, priced as today, though the price has changed. */
    timeless: number;
  };
  /** Prompts of requests with whole usage whose provider reports caching, and how much of them was read. */
  caching: { requests: number; promptTokens: number; readTokens: number };
  /** Names of the unpriced models with their requests, most first; null is a request that names no model. */
  unpricedModels: { model: string | null; provider: string | null; requests: number }[];
  /** Service tiers that have no price of their own, with their requests. */
  unpricedServices: { service: string; requests: number }[];
  /** What the provider or the agent said itself; kept apart, never mixed in. */
  reported: { picos: Picos; requests: number };
}

/**
 * Account: tokens and money of the requests in scope.
 *
 *     cost         = Σ tokens × price, per request, by its model, time, prompt size and service tier
 *     baseline     = the same with the whole prompt at the plain input price: nothing cached
 *     saving       = baseline - cost = saved by reads - paid for writes       (can be negative)
 *     saved ratio  = 1 - cost / baseline
 *
 * - A model without a price makes the cost a floor and is named. So do missing, partial and provisional usage.
 * - Free is said by a price list or the user; unpriced is not free.
 * - A long prompt is priced at the higher tier as a whole, by the size of that one request, never of a day.
 * - Writes without a lifetime are priced as 5 minutes and counted as an assumption; 1-hour writes cost twice the input.
 * - What the agent reported as cost stands beside it and is never added.
 * - A subscription is not a bill: the cost is what the same tokens cost at list price.
 */
export function account(cells: Cell[], book: PriceBook): Account {
  const sum = nothing();
  const models = new Map<string, Account["unpricedModels"][number]>();
  const services = new Map<string, number>();
  for (const cell of cells) {
    const { requests, flags } = cell;
    sum.requests += requests;
    sum.reported.picos += BigInt(cell.providerCostMicros ?? 0) * 1_000_000n;
    sum.reported.requests += cell.providerCosts;
    if (flags & REPORTED.unusable) {
      sum.basis.withoutUsage += requests;
      sum.missing.withoutUsage += requests;
      continue;
    }
    for (const name of BUCKETS) sum.tokens[name] = added(sum.tokens[name], cell[name]);
    if (flags & REPORTED.partial) sum.missing.partial += requests;
    if (flags & REPORTED.outputUnsure) sum.missing.unsureOutput += requests;
    sum.missing.searches += cell.searches;
    if (flags & REPORTED.caching) addCaching(sum, cell);
    const price = book.priceOf(cell);
    if (price !== null) {
      addPriced(sum, cell, price, services);
      if (cell.atMs === null && book.changesOf(cell).length > 0) sum.assumed.timeless += requests;
      continue;
    }
    sum.basis.unpriced += requests;
    sum.missing.unpriced += requests;
    const { provider, model } = cell;
    const key = JSON.stringify([provider, model]);
    models.set(key, { provider, model, requests: (models.get(key)?.requests ?? 0) + requests });
  }
  sum.unpricedModels = [...models.values()].sort(
    (a, b) => b.requests - a.requests || String(a.model).localeCompare(String(b.model)),
  );
  sum.unpricedServices = [...services].map(([service, requests]) => ({ service, requests }));
  return sum;
}

/** True when the cost is the whole cost of these requests. */
export function isWholeCost({ missing }: Account): boolean {
  return Object.values(missing).every((count) => count === 0);
}

const BUCKETS = ["uncached", "read", "write5m", "write1h", "writeUnsplit", "output", "reasoning"] as const;
const COSTS = [
  "picos",
  "uncached",
  "read",
  "write",
  "output",
  "baseline",
  "savedByReads",
  "paidForWrites",
] as const satisfies (keyof Account["cost"])[];

function added(one: number | null, other: number | null): number | null {
  return one === null ? other : one + (other ?? 0);
}

/** What counts towards sums of several buckets: a bucket that is not told adds nothing. */
function countedTokens({ uncached, read, write5m, write1h, writeUnsplit, output }: Cell): Tokens {
  return {
    uncached: uncached ?? 0,
    read: read ?? 0,
    write5m: write5m ?? 0,
    write1h: write1h ?? 0,
    writeUnsplit: writeUnsplit ?? 0,
    output: output ?? 0,
  };
}

function addCaching({ caching }: Account, cell: Cell): void {
  const { uncached, read, write5m, write1h, writeUnsplit } = countedTokens(cell);
  caching.requests += cell.requests;
  caching.readTokens += read;
  caching.promptTokens += uncached + read + write5m + write1h + writeUnsplit;
}

function addPriced(sum: Account, cell: Cell, price: Price, services: Map<string, number>): void {
  const { rates, serviceKnown } = ratesOf(price, cell.promptTokens, cell.service);
  const { unpricedTokens, ...cost } = costOf(countedTokens(cell), rates);
  for (const name of COSTS) sum.cost[name] += cost[name];
  sum.missing.unpricedTokens += unpricedTokens;
  sum.basis[price.state] += cell.requests;
  if (cell.flags & REPORTED.unsplit && rates.write1h !== null && price.state === "priced")
    sum.assumed.unsplitWrites += cell.requests;
  if (!serviceKnown && cell.service !== null) {
    sum.assumed.services += cell.requests;
    services.set(cell.service, (services.get(cell.service) ?? 0) + cell.requests);
  }
}

function nothing(): Account {
  return {
    requests: 0,
    tokens: {
      uncached: null,
      read: null,
      write5m: null,
      write1h: null,
      writeUnsplit: null,
      output: null,
      reasoning: null,
    },
    basis: { priced: 0, free: 0, unpriced: 0, withoutUsage: 0 },
    cost: {
      picos: 0n,
      uncached: 0n,
      read: 0n,
      write: 0n,
      output: 0n,
      baseline: 0n,
      savedByReads: 0n,
      paidForWrites: 0n,
    },
    missing: { unpriced: 0, withoutUsage: 0, partial: 0, unsureOutput: 0, unpricedTokens: 0, searches: 0 },
    assumed: { unsplitWrites: 0, services: 0, timeless: 0 },
    caching: { requests: 0, promptTokens: 0, readTokens: 0 },
    unpricedModels: [],
    unpricedServices: [],
    reported: { picos: 0n, requests: 0 },
  };
}
