import { test } from "uvu";
import * as assert from "uvu/assert";
import { type Simulated, whatIf } from "../../src/diagnostics/misses/what-if.js";
import { writeAmplification } from "../../src/diagnostics/write-amplification.js";
import type { SessionEvent } from "../../src/events/event.js";
import { priceBook } from "../../src/pricing/book.js";
import { select } from "../../src/store/scope.js";
import { compaction, NOON, request } from "../support/events.js";
import { storeOf, type TestStore } from "../support/store.js";

const prices = priceBook([
  { model: "model-a", provider: null, fromMs: null, untilMs: null, rates: [5, 25, 0.5, 6.25, 10], longContext: [] },
]);

async function asked<T>(
  events: SessionEvent[],
  question: (store: TestStore, selection: Awaited<ReturnType<typeof select>>) => Promise<T>,
): Promise<T> {
  const store = storeOf(...events);
  try {
    return await question(store, await select(store.db, {}));
  } finally {
    store.cleanup();
  }
}

const sent = (id: string, atS: number, read: number, written: number, more: Parameters<typeof request>[0] = {}) =>
  request({ id, atMs: NOON + atS * 1000, uncachedTokens: 2, readTokens: read, write5mTokens: written, ...more });
const worked = [
  sent("r1", 0, 0, 20_000),
  sent("r2", 60, 20_000, 2_000),
  sent("r3", 120, 22_000, 3_000),
  sent("r4", 820, 0, 26_000),
  sent("r5", 860, 0, 27_000, { declaredChanges: ["tools"] }),
  sent("r6", 900, 27_000, 1_000),
];
const simulate = (events: SessionEvent[], book = prices) =>
  asked(events, ({ db }, selection) => whatIf(db, selection, book));

const ratio = ({ readTokens, promptTokens }: Simulated) => (readTokens / promptTokens).toFixed(3);
const dollars = ({ costMicros }: Simulated) => (costMicros / 1e6).toFixed(5);

test("an hour's lifetime raises the read ratio from 46.6 % to 63.5 % and the bill from $0.528 to $0.587", async () => {
  const { label, reason, actual, hourLong } = await simulate(worked);
  assert.equal([label, reason], ["simulated", null]);
  assert.equal([ratio(actual!), dollars(actual!)], ["0.466", "0.52831"]);
  assert.equal([hourLong!.writtenTokens, hourLong!.readTokens], [54_000, 94_000]);
  assert.equal([ratio(hourLong!), dollars(hourLong!)], ["0.635", "0.58706"]);
});

test("a pause of 700 s is bridged by two reads of the 25,000 tokens, and its 25,000 are read, not written", async () => {
  const { actual, keptWarm } = await simulate(worked);
  assert.equal([keptWarm!.writtenTokens, keptWarm!.readTokens], [54_000, 94_000]);
  const saved = 25_000 * (6.25 - 0.5) - 2 * 25_000 * 0.5;
  assert.is(Math.round(actual!.costMicros - keptWarm!.costMicros), Math.round(saved));
});

test("a pause of more than an hour is saved neither by an hour nor by reading", async () => {
  const { actual, hourLong, keptWarm } = await simulate([sent("r1", 0, 0, 9_000), sent("r2", 3_700, 0, 9_500)]);
  assert.equal([hourLong!.readTokens, keptWarm], [actual!.readTokens, actual]);
});

test("without a price, without requests, or against the rules nothing is simulated, and the reason is told", async () => {
  const reasonOf = async (...given: Parameters<typeof simulate>) => {
    const { actual, hourLong, keptWarm, reason } = await simulate(...given);
    assert.equal([actual, hourLong, keptWarm], [null, null, null]);
    return reason;
  };
  assert.is(await reasonOf(worked, priceBook([])), "some requests have no price for all they used");
  assert.is(await reasonOf([]), "no request whose provider reports caching");
  const odd = [sent("r1", 0, 0, 5_000), sent("r2", 60, 90_000, 10)];
  assert.is(await reasonOf(odd), "1 request read more than the rules used here allow");
});

const amplification = (events: SessionEvent[]) =>
  asked(events, ({ db }, selection) => writeAmplification(db, selection));

test("writing 79,000 tokens of a prompt that grew to 28,002 is 2.82 times", async () => {
  const { value, count, of } = await amplification(worked);
  assert.equal([value!.toFixed(2), count, of], ["2.82", 79_000, 28_002]);
});

test("after a compaction the new prompt is new", async () => {
  const events = [sent("r1", 0, 0, 50_000), compaction({ atMs: NOON + 30_000 }), sent("r2", 60, 0, 20_000)];
  assert.equal((await amplification(events)).of, 70_004);
});

test("a provider that reports no writes has no amplification", async () => {
  const silent = { write5mTokens: null, write1hTokens: null, writeUnsplitTokens: null };
  const { value, state } = await amplification([sent("r1", 0, 0, 0, silent), sent("r2", 60, 900, 0, silent)]);
  assert.equal([value, state], [null, "not_reported"]);
});

test.run();
