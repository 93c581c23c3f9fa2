import type { Kysely } from "kysely";
import type { PriceBook } from "../pricing/book.js";
import { ratesOf } from "../pricing/price.js";
import type { Tables } from "../store/schema.js";
import type { Selection } from "../store/scope.js";
import { type LaneCompaction, laneCompactions, requestsAfter } from "./compacted-lanes.js";
import { measured, type Value } from "./value.js";

/** After how many requests one compaction has earned what it cost. */
export interface CompactionPayback {
  compaction: LaneCompaction;
  /** If the summarising request read the context from the cache, and if it had to send it anew; null when unknown. */
  ifCached: number | null;
  ifRebuilt: number | null;
  /** Requests that followed in the compacted context. */
  requests: number;
  /** Why there is no figure; null when there is one. */
  why: "no_tokens" | "unpriced" | "nothing_saved" | null;
}

/** Median of `ifRebuilt`, in requests; the cautious of the two. */
export interface Payback extends Value {
  ifCached: number | null;
  /** Compactions that earned their cost even if the context had to be sent anew, and those that never can. */
  paidBack: number;
  never: number;
  unpriced: number;
}

/**
 * Payback: after how many requests a compaction has saved what it cost.
 *
 *     payback = (summarising + after × (write − read)) / ((before − after) × read)     (requests, lower is better)
 *     summarising = before × (read, or plain input) + checkpoint × output
 *
 * - At the price of the model that went on. Agents rarely record the summarising request, so both cases are given: the
 *   cached one and the one that rebuilt the prompt.
 * - A checkpoint whose tokens were not recorded counts as its bytes / 4. Writes are taken to live 5 minutes.
 * - A context that did not shrink, or that nobody used again, never pays.
 */
export async function payback(
  db: Kysely<Tables>,
  selection: Selection,
  prices: PriceBook,
): Promise<CompactionPayback[]> {
  const found: CompactionPayback[] = [];
  for (const compaction of await laneCompactions(db, selection)) found.push(await paybackOf(db, compaction, prices));
  return found;
}

/** The figure over some compactions. */
export function paybackFigure(compactions: CompactionPayback[]): Payback {
  const known = compactions.filter(({ ifRebuilt }) => ifRebuilt !== null);
  return {
    ...measured({
      method: "compaction.payback_requests/1",
      evidence: "token counts and prices",
      unit: "requests",
      value: median(known.map(({ ifRebuilt }) => ifRebuilt!)),
      count: known.length,
      of: compactions.length,
      nUnit: "compactions",
      coverage: { observed: known.length, expected: compactions.length },
      unseen: "compactions without token counts, without a price, or that saved nothing",
      nothing: "no compaction",
    }),
    ifCached: median(known.map(({ ifCached }) => ifCached!)),
    paidBack: known.filter(({ ifRebuilt, requests }) => requests >= ifRebuilt!).length,
    never: compactions.filter(({ why, requests }) => why === "nothing_saved" || (why === null && requests === 0))
      .length,
    unpriced: compactions.filter(({ why }) => why === "unpriced").length,
  };
}

async function paybackOf(
  db: Kysely<Tables>,
  compaction: LaneCompaction,
  prices: PriceBook,
): Promise<CompactionPayback> {
  const { tokensBefore: before, tokensAfter: after, summaryTokens, atMs } = compaction;
  const requests = await requestsAfter(db, compaction);
  const [next] = requests;
  const open = (why: CompactionPayback["why"]) => ({
    compaction,
    ifCached: null,
    ifRebuilt: null,
    requests: requests.length,
    why,
  });
  if (before === null || after === null || summaryTokens === null) return open("no_tokens");
  if (after >= before) return open("nothing_saved");
  const price =
    next === undefined ? null : prices.priceOf({ provider: next.provider, model: next.model, atMs: atMs ?? next.atMs });
  const rates = price === null ? null : ratesOf(price, before, null).rates;
  if (rates === null || rates.read === null || rates.read === 0n) return open("unpriced");
  const [plain, read, output] = [Number(rates.uncached), Number(rates.read), Number(rates.output)];
  const write = Number(rates.write5m ?? rates.uncached);
  const saved = (before - after) * read;
  const needed = (perToken: number) => (before * perToken + summaryTokens * output + after * (write - read)) / saved;
  return { ...open(null), ifCached: needed(read), ifRebuilt: needed(plain) };
}

function median(values: number[]): number | null {
  if (values.length === 0) return null;
  const sorted = [...values].sort((a, b) => a - b);
  const middle = sorted.length >> 1;
  return sorted.length % 2 === 1 ? sorted[middle]! : (sorted[middle - 1]! + sorted[middle]!) / 2;
}
