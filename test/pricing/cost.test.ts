import fc from "fast-check";
import { test } from "uvu";
import * as assert from "uvu/assert";
import { priceBook } from "../../src/pricing/book.js";
import { costOf, type Tokens } from "../../src/pricing/cost.js";
import { picosPerToken, type Rates, ratesOf } from "../../src/pricing/price.js";

const NONE: Tokens = { uncached: 0, read: 0, write5m: 0, write1h: 0, writeUnsplit: 0, output: 0 };

/** One dollar a token: a cost reads like a count. */
const unit = (dollars: number) => BigInt(dollars * 100) * 10n ** 10n;
const ONE: Rates = { uncached: unit(1), read: unit(0.1), write5m: unit(1.25), write1h: unit(2), output: unit(5) };
const dollarsOf = (picos: bigint) => Number(picos) / 1e12;

/** Six requests of one lane: cold, warm, warm, idle too long, tools reordered, warm. */
const LANE: Pick<Tokens, "uncached" | "read" | "write5m">[] = [
  { uncached: 2, read: 0, write5m: 20_000 },
  { uncached: 2, read: 20_000, write5m: 2_000 },
  { uncached: 2, read: 22_000, write5m: 3_000 },
  { uncached: 2, read: 0, write5m: 26_000 },
  { uncached: 2, read: 0, write5m: 27_000 },
  { uncached: 2, read: 27_000, write5m: 1_000 },
];
const opus = priceBook().priceOf({ provider: "anthropic", model: "claude-opus-4-5", atMs: null })!.rates;
const laneCost = (requests: Partial<Tokens>[]) =>
  requests.map((tokens) => costOf({ ...NONE, ...tokens }, opus)).reduce((sum, { picos }) => sum + picos, 0n);

test("a lane with two misses costs what its buckets cost", () => {
  assert.is(laneCost(LANE), 528_310_000_000n);
});

test("more than half of it was avoidable: what the misses wrote could have been read", () => {
  const warm = LANE.map((request, at) => {
    if (at !== 3 && at !== 4) return request;
    const before = LANE[at - 1]!;
    const read = before.read + before.write5m;
    return { ...request, read, write5m: request.write5m - read };
  });
  const [cost, without] = [laneCost(LANE), laneCost(warm)];
  assert.is(without, 235_060_000_000n);
  assert.is((Number(cost - without) / Number(cost)).toFixed(3), "0.555");
});

test("the same lane with a lifetime of one hour reads more and costs more", () => {
  const hour = [
    { uncached: 2, write1h: 20_000 },
    { uncached: 2, read: 20_000, write1h: 2_000 },
    { uncached: 2, read: 22_000, write1h: 3_000 },
    { uncached: 2, read: 25_000, write1h: 1_000 },
    { uncached: 2, write1h: 27_000 },
    { uncached: 2, read: 27_000, write1h: 1_000 },
  ];
  assert.is(laneCost(hour), 587_060_000_000n);
});

test("without a cache the prompt is plain input, and the saving is what reads save less what writes cost", () => {
  const all = LANE.map((tokens) => costOf({ ...NONE, ...tokens }, opus));
  const sum = (name: "picos" | "baseline" | "savedByReads" | "paidForWrites") =>
    all.reduce((total, cost) => total + cost[name], 0n);
  assert.is(sum("baseline"), 740_060_000_000n);
  assert.is(sum("savedByReads") - sum("paidForWrites"), sum("baseline") - sum("picos"));
  assert.is((1 - Number(sum("picos")) / Number(sum("baseline"))).toFixed(3), "0.286");
});

test("a write pays by its lifetime, and an untold lifetime pays as five minutes", () => {
  assert.is(dollarsOf(costOf({ ...NONE, write5m: 200, write1h: 400 }, ONE).picos), 1050);
  assert.is(dollarsOf(costOf({ ...NONE, writeUnsplit: 600 }, ONE).picos), 750);
});

test("five minutes pay off with the first read, one hour with the second", () => {
  const cached = (bucket: "write5m" | "write1h", reads: number) =>
    dollarsOf(costOf({ ...NONE, [bucket]: 100, read: 100 * reads }, ONE).picos);
  const plain = (reads: number) => 100 * (1 + reads);
  assert.ok(cached("write5m", 1) < plain(1));
  assert.ok(cached("write1h", 1) > plain(1) && cached("write1h", 2) < plain(2));
});

test("a bucket without a price is left out and counted, never free", () => {
  const cost = costOf({ ...NONE, uncached: 10, read: 90, write1h: 5 }, { ...ONE, read: null, write1h: null });
  assert.equal([dollarsOf(cost.picos), dollarsOf(cost.baseline), cost.unpricedTokens], [10, 10, 95]);
});

test("requests that pay the same rates cost together what they cost one by one", () => {
  const tokens = fc.record({
    uncached: fc.nat(2e6),
    read: fc.nat(2e6),
    write5m: fc.nat(2e6),
    write1h: fc.nat(2e6),
    writeUnsplit: fc.nat(2e6),
    output: fc.nat(2e6),
  });
  const rates = fc.record({
    uncached: fc.bigInt(0n, 10n ** 8n),
    read: fc.option(fc.bigInt(0n, 10n ** 8n)),
    write5m: fc.option(fc.bigInt(0n, 10n ** 8n)),
    write1h: fc.option(fc.bigInt(0n, 10n ** 8n)),
    output: fc.bigInt(0n, 10n ** 8n),
  });
  fc.assert(
    fc.property(fc.array(tokens, { maxLength: 8 }), rates, (requests, paid) => {
      const together = { ...NONE };
      for (const request of requests)
        for (const bucket of Object.keys(NONE) as (keyof Tokens)[]) together[bucket] += request[bucket];
      const single = requests.map((request) => costOf(request, paid));
      const whole = costOf(together, paid);
      for (const name of Object.keys(whole) as (keyof typeof whole)[])
        assert.equal(
          whole[name],
          single.reduce<bigint | number>(
            (sum, cost) => (sum as never) + (cost[name] as never),
            typeof whole[name] === "bigint" ? 0n : 0,
          ),
        );
      assert.is(whole.baseline - whole.picos, whole.savedByReads - whole.paidForWrites);
    }),
    { numRuns: 100 },
  );
});

test("a long prompt pays the upper tier as a whole, from one token above the threshold", () => {
  const price = priceBook().priceOf({ provider: "openai", model: "gpt-5.4", atMs: null })!;
  const input = (promptTokens: number) => ratesOf(price, promptTokens, null).rates.uncached;
  assert.equal(
    [input(150_000), input(272_000), input(272_001), input(300_000)],
    [picosPerToken(2.5), picosPerToken(2.5), picosPerToken(5), picosPerToken(5)],
  );
});

test("a service tier changes every rate by its percentage; an unknown one is said to be unknown", () => {
  const price = priceBook().priceOf({ provider: "anthropic", model: "claude-opus-4-6", atMs: null })!;
  const rates = (service: string | null) => ratesOf(price, 10, service);
  assert.is(rates("batch").rates.read, price.rates.read! / 2n);
  assert.is(rates("fast").rates.output, price.rates.output * 6n);
  assert.equal([rates("standard"), rates(null)], [rates(null), { rates: price.rates, serviceKnown: true }]);
  assert.equal(rates("somewhere-else"), { rates: price.rates, serviceKnown: false });
});

test.run();
