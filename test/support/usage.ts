/** One look at the ledger of a made-up history. */
import type { SessionEvent } from "../../src/events/event.js";
import { type Usage, type UsageOptions, usage } from "../../src/ledger/usage.js";
import { priceBook } from "../../src/pricing/book.js";
import { userPrices } from "../../src/pricing/user-prices.js";
import type { Scope } from "../../src/store/scope.js";
import { NOON } from "./events.js";
import { storeOf } from "./store.js";

/** One dollar a token, so that a cost reads like a count; `free-model` is free, anything else unpriced. */
export const BOOK = priceBook(
  userPrices({
    "model-a": { input: 1e6, output: 5e6, read: 1e5, write: 1.25e6, write1h: 2e6 },
    "model-b": {
      input: 2e6,
      output: 1e6,
      read: 2e5,
      write: 2.5e6,
      above: { tokens: 272_000, input: 4e6, output: 2e6 },
    },
    "free-model": "free",
  }),
);

export const PLAIN_USAGE: UsageOptions = { timezone: "UTC", nowMs: NOON, book: BOOK };

export async function used(
  events: SessionEvent[],
  options: Partial<UsageOptions> = {},
  scope: Scope = {},
): Promise<Usage> {
  const store = storeOf(...events);
  try {
    return await usage(store.db, scope, { ...PLAIN_USAGE, ...options });
  } finally {
    store.cleanup();
  }
}

/** Whole dollars of an amount. */
export const dollarsOf = (picos: bigint) => Number(picos) / 1e12;
