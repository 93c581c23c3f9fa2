import { test } from "uvu";
import * as assert from "uvu/assert";
import type { SessionEvent } from "../../src/events/event.js";
import { priceBook } from "../../src/pricing/book.js";
import { avoidableJson, avoidableLines, whatIfLines } from "../../src/report/avoidable.js";
import { statsWithSpend } from "../support/ask.js";
import { compaction, coverage, NOON, request } from "../support/events.js";

const prices = priceBook([
  { model: "model-a", provider: null, fromMs: null, untilMs: null, rates: [5, 25, 0.5, 6.25, 10], longContext: [] },
]);
const PAGE = { width: 200, colour: false, timezone: "UTC" };
const spendOf = async (events: SessionEvent[], book = prices) =>
  (await statsWithSpend(events, {}, { prices: book })).spend;

const sent = (id: string, atS: number, read: number, written: number, more: Parameters<typeof request>[0] = {}) =>
  request({
    id,
    atMs: NOON + atS * 1000,
    uncachedTokens: 2,
    readTokens: read,
    write5mTokens: written,
    outputTokens: 0,
    ...more,
  });
/** A lapse of 25,000 tokens and a change of tools of 26,000, of an input that cost $0.52831. */
const worked = [
  sent("r1", 0, 0, 20_000),
  sent("r2", 60, 20_000, 2_000),
  sent("r3", 120, 22_000, 3_000),
  sent("r4", 820, 0, 26_000),
  sent("r5", 860, 0, 27_000, { declaredChanges: ["tools"] }),
  sent("r6", 900, 27_000, 1_000),
];

test("$0.2933 of a bill of $0.5283 were avoidable: 55.5 %, by who can act", async () => {
  const spend = await spendOf(worked);
  assert.equal([(spend.count / 1e6).toFixed(4), (spend.of / 1e6).toFixed(4)], ["0.2933", "0.5283"]);
  assert.equal([spend.value!.toFixed(3), spend.state, spend.coverage], ["0.555", "ok", { observed: 6, expected: 6 }]);
  assert.equal(
    spend.by.map(({ actor, causes, lostTokens, costMicros, share }) => [
      actor,
      causes,
      lostTokens,
      (costMicros / 1e6).toFixed(4),
      share!.toFixed(3),
    ]),
    [
      ["harness", ["tools"], 26_002, "0.1495", "0.283"],
      ["user", ["ttl_lapse"], 25_002, "0.1438", "0.272"],
    ],
  );
});

test("what was written after a compaction is nobody's fault and in no share", async () => {
  const spend = await spendOf([
    sent("r1", 0, 0, 90_000),
    compaction({ atMs: NOON + 30_000 }),
    sent("r2", 60, 0, 30_000),
  ]);
  assert.equal([spend.value, spend.by], [0, []]);
});

test("output is part of the bill", async () => {
  const spend = await spendOf(worked.map((event) => ({ ...event, outputTokens: 10_000 })));
  assert.is((spend.of / 1e6).toFixed(4), (0.52831 + 6 * 0.25).toFixed(4));
});

test("without a price there are tokens and no money", async () => {
  const spend = await spendOf(worked, priceBook([]));
  assert.equal([spend.value, spend.state, spend.reason], [null, "not_reported", "no request has a price"]);
  assert.equal([spend.lostTokens, spend.unpricedTokens], [51_004, 51_004]);
  const text = avoidableLines(spend, PAGE);
  assert.match(text, /all +– +– +51,004 tokens +the bill is not known/);
  assert.not.match(text, /\$/);
  const { usd, by, bill } = avoidableJson(spend);
  assert.equal([usd, by[0]!.usd, bill], [null, null, { state: "unknown", usd: null, atLeastUsd: null }]);
});

test("beside a model without a price both sums are floors, and the share says on how many requests it rests", async () => {
  const other = [sent("u1", 0, 0, 20_000), sent("u2", 60, 0, 21_000)].map((event) => ({
    ...event,
    session: "s2",
    model: "mystery",
  }));
  const spend = await spendOf([...worked, ...other]);
  assert.equal([spend.state, spend.coverage], ["partial", { observed: 6, expected: 8 }]);
  assert.match(
    avoidableLines(spend, PAGE),
    /all +≥ \$0\.2933 +55\.5 % +71,006 tokens +of ≥ \$0\.5283; rests on 6 of 8 requests with a price/,
  );
  assert.match(avoidableLines(spend, PAGE), /provider +– +0\.0 % +20,002 tokens +unknown/);
});

test("a source that tells nothing of caching tells nothing of what was avoidable", async () => {
  const spend = await spendOf([
    coverage({ fact: "cache_counters", level: "absent", why: "no counters" }),
    sent("r1", 0, 0, 0, { cacheReported: false, readTokens: null, write5mTokens: null }),
  ]);
  assert.equal([spend.value, spend.state, spend.reason], [null, "not_reported", "no counters"]);
});

test("what-ifs stand as cost and ratio, or say why they do not", async () => {
  const text = whatIfLines((await spendOf(worked)).whatIf, PAGE);
  assert.match(text, /input as it was +\$0\.5283 +read ratio 0\.466/);
  assert.match(text, /every entry kept for an hour +\$0\.5871 +read ratio 0\.635/);
  assert.match(text, /kept warm through pauses of up to an hour +\$0\.4096 +read ratio 0\.635/);
  assert.match(whatIfLines((await spendOf(worked, priceBook([]))).whatIf, PAGE), "not simulated: some requests have");
  const odd = [...worked, sent("r7", 940, 90_000, 10)];
  assert.match(whatIfLines((await spendOf(odd)).whatIf, PAGE), "not simulated: 1 request read more than the rules");
});

test.run();
