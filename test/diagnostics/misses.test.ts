import { suite } from "uvu";
import * as assert from "uvu/assert";
import { cacheMisses } from "../../src/diagnostics/misses/cache-misses.js";
import { causeOf } from "../../src/diagnostics/misses/causes.js";
import type { SessionEvent } from "../../src/events/event.js";
import { priceBook } from "../../src/pricing/book.js";
import { type Scope, select } from "../../src/store/scope.js";
import { compaction, HOUR, MINUTE, NOON, request } from "../support/events.js";
import { storeOf } from "../support/store.js";

const test = suite("cache misses");

/** $5 per million tokens of input, $6.25 written for 5 minutes, $10 for an hour, $0.50 read. */
const prices = priceBook([
  { model: "model-a", provider: null, fromMs: null, untilMs: null, rates: [5, 25, 0.5, 6.25, 10], longContext: [] },
]);

async function missesOf(events: SessionEvent[], scope: Scope = {}, book = prices) {
  const store = storeOf(...events);
  try {
    return await cacheMisses(store.db, await select(store.db, scope), book);
  } finally {
    store.cleanup();
  }
}

/** One request of the lane: what it read and wrote, two tokens after the last breakpoint, and when it was sent. */
const sent = (id: string, atS: number, read: number, written: number, more: Parameters<typeof request>[0] = {}) =>
  request({ id, atMs: NOON + atS * 1000, uncachedTokens: 2, readTokens: read, write5mTokens: written, ...more });

/** A warm session, a pause of 700 s, a change of tools. */
const worked = [
  sent("r1", 0, 0, 20_000),
  sent("r2", 60, 20_000, 2_000),
  sent("r3", 120, 22_000, 3_000),
  sent("r4", 820, 0, 26_000),
  sent("r5", 860, 0, 27_000, { declaredChanges: ["tools"] }),
  sent("r6", 900, 27_000, 1_000),
];

test("a pause longer than the entry lives and a change of tools are told apart, in tokens and in money", async () => {
  const { causes, count, of, misses } = await missesOf(worked);
  assert.equal(
    causes.map(({ cause, actor, requests, lostTokens }) => [cause, actor, requests, lostTokens]),
    [
      ["tools", "harness", 1, 26_002],
      ["ttl_lapse", "user", 1, 25_002],
    ],
  );
  assert.equal([count, of], [51_004, 20_002 + 22_002 + 25_002 + 26_002 + 27_002]);
  assert.equal(
    misses.map(({ costMicros }) => costMicros! > 143_000 && costMicros! < 150_000),
    [true, true],
  );
});

test("requests are paired with their predecessors once", async () => {
  const store = storeOf(...worked);
  const prepare = store.raw.prepare.bind(store.raw);
  let pairings = 0;
  store.raw.prepare = ((sql: string) => {
    pairings += /\blag\(/.test(sql) ? 1 : 0;
    return prepare(sql);
  }) as typeof store.raw.prepare;
  try {
    await cacheMisses(store.db, await select(store.db, {}), prices);
    assert.is(pairings, 1);
  } finally {
    store.cleanup();
  }
});

test("a warm lane that only appends has no miss, and its unread tail is counted apart", async () => {
  const { value, causes, tail } = await missesOf(worked.slice(0, 3));
  assert.equal([value, causes], [0, []]);
  assert.equal(tail, { requests: 2, tokens: 4 });
});

for (const [seconds, lifetime, cause] of [
  [299, "5m", "unknown"],
  [301, "5m", "ttl_lapse"],
  [301, "1h", "unknown"],
  [3_599, "1h", "unknown"],
  [3_601, "1h", "ttl_lapse"],
] as const) {
  test(`after ${seconds} s idle with ${lifetime} writes a lost cache is ${cause}`, async () => {
    const written = lifetime === "5m" ? { write5mTokens: 20_000 } : { write5mTokens: 0, write1hTokens: 20_000 };
    const { causes } = await missesOf([sent("r1", 0, 0, 0, written), sent("r2", seconds, 0, 22_000)]);
    assert.equal(
      causes.map((sum) => sum.cause),
      [cause],
    );
  });
}

test("the loss after a compaction is expected and outside the total", async () => {
  const { causes, expected, value } = await missesOf([
    sent("r1", 0, 0, 90_000),
    compaction({ atMs: NOON + 30_000 }),
    sent("r2", 60, 0, 30_000),
    sent("r3", 90, 30_000, 1_000),
  ]);
  assert.equal(causes, []);
  assert.equal(
    expected.map(({ cause, lostTokens }) => [cause, lostTokens]),
    [["compaction", 30_002]],
  );
  assert.is(value, 0);
});

test("a model switch is a miss by the user, and so is coming back", async () => {
  const other = { model: "model-b" };
  const { causes } = await missesOf([
    sent("r1", 0, 0, 20_000),
    sent("r2", 60, 0, 21_000, other),
    sent("r3", 90, 0, 22_000),
  ]);
  assert.equal(
    causes.map(({ cause, requests }) => [cause, requests]),
    [["model", 2]],
  );
});

test("the provider's own reason wins over what usage suggests, and both are kept", async () => {
  const { misses } = await missesOf([
    sent("r1", 0, 0, 20_000),
    sent("r2", 900, 0, 21_000, { missReason: "system_changed", missedTokens: 19_000 }),
  ]);
  assert.equal(
    misses.map(({ cause, coCauses, evidence, usageCause, providerTokens }) => [
      cause,
      coCauses,
      evidence,
      usageCause,
      providerTokens,
    ]),
    [["instructions", ["ttl_lapse"], "provider", "ttl_lapse", 19_000]],
  );
});

test("a reason of the provider that names no change decides nothing", () => {
  const signs = { declared: [], compacted: false, modelChanged: false, gapMs: MINUTE, ttlMs: HOUR };
  for (const providerReason of ["unavailable", "previous_message_not_found", "something new"]) {
    assert.equal(causeOf({ ...signs, providerReason }).cause, "unknown");
  }
});

test("agreement with the provider has no rate when the provider named one class only", async () => {
  const pair = (session: string, reason: string, declared: "model" | "tools") => [
    sent(`${session}1`, 0, 0, 20_000, { session }),
    sent(`${session}2`, 60, 0, 21_000, { session, missReason: reason, declaredChanges: [declared] }),
  ];
  const one = await missesOf([...pair("a", "tools_changed", "tools"), ...pair("b", "tools_changed", "tools")]);
  assert.equal([one.agreement.compared, one.agreement.agreed, one.agreement.rate], [2, 2, null]);
  const two = await missesOf([...pair("a", "tools_changed", "tools"), ...pair("b", "model_changed", "tools")]);
  assert.equal([two.agreement.compared, two.agreement.agreed, two.agreement.rate], [2, 1, 0.5]);
});

test("a local model that reports no caching has no misses after a cloud model", async () => {
  const silent = {
    cacheReported: false,
    readTokens: null,
    write5mTokens: null,
    write1hTokens: null,
    writeUnsplitTokens: null,
  };
  const { causes, coverage } = await missesOf([
    sent("r1", 0, 0, 59_000),
    sent("r2", 60, 0, 0, { ...silent, uncachedTokens: 60_000, model: "local" }),
  ]);
  assert.equal(causes, []);
  assert.is(coverage.observed, 1);
});

test("another lane between two requests changes nothing", async () => {
  const sub = { lane: "sub", model: "model-b" };
  const { causes } = await missesOf([
    sent("r1", 0, 0, 20_000),
    sent("s1", 30, 0, 9_000, sub),
    sent("r2", 60, 20_000, 1_000),
    sent("s2", 61, 9_000, 100, sub),
  ]);
  assert.equal(causes, []);
});

test("a failed request is no baseline", async () => {
  const { causes } = await missesOf([
    sent("r1", 0, 0, 20_000),
    sent("r2", 30, 0, 0, { status: "failed", uncachedTokens: 0 }),
    sent("r3", 60, 20_000, 1_000),
  ]);
  assert.equal(causes, []);
});

test("an unpriced model loses tokens and no known money", async () => {
  const [sum] = (await missesOf(worked, {}, priceBook([]))).causes;
  assert.equal([sum!.costMicros, sum!.unpricedTokens], [0, 26_002]);
});

test("a read greater than the predecessor could have left is counted as a violation of the rules, not clipped away", async () => {
  const { violations, count } = await missesOf([sent("r1", 0, 0, 5_000), sent("r2", 60, 40_000, 100)]);
  assert.equal([violations, count], [1, 0]);
});

test("a miss belongs to the window of the later request, though its predecessor lies outside", async () => {
  const { causes } = await missesOf(worked, { sinceMs: NOON + 800_000, untilMs: NOON + 830_000 });
  assert.equal(
    causes.map(({ cause }) => cause),
    ["ttl_lapse"],
  );
});

test("nothing to compare is no value, not zero", async () => {
  assert.equal([(await missesOf([])).value, (await missesOf([worked[0]!])).value], [null, null]);
});

test.run();
