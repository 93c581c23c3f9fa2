import { test } from "uvu";
import * as assert from "uvu/assert";
import { isWholeCost } from "../../src/ledger/account.js";
import { request } from "../support/events.js";
import { dollarsOf, used } from "../support/usage.js";

const NO_TOKENS = { uncachedTokens: 0, readTokens: 0, write5mTokens: 0, outputTokens: 0 };
const total = async (...requests: Parameters<typeof request>[0][]) =>
  (await used(requests.map((given) => request(given)))).total;

test("a priced, a free and an unpriced call: at least the priced one, and the unpriced one is named", async () => {
  const sum = await total(
    { ...NO_TOKENS, uncachedTokens: 1 },
    { ...NO_TOKENS, uncachedTokens: 1, model: "free-model" },
    { ...NO_TOKENS, uncachedTokens: 1, model: "mystery-9", provider: "acme" },
  );
  assert.is(dollarsOf(sum.cost.picos), 1);
  assert.equal(sum.basis, { priced: 1, free: 1, unpriced: 1, withoutUsage: 0 });
  assert.equal(sum.unpricedModels, [{ provider: "acme", model: "mystery-9", requests: 1 }]);
  assert.not(isWholeCost(sum));
});

test("everything priced and final is the whole cost", async () => {
  const sum = await total({ uncachedTokens: 10, readTokens: 900, write5mTokens: 90, outputTokens: 50 });
  assert.is(dollarsOf(sum.cost.picos), 10 + 90 + 112.5 + 250);
  assert.is(dollarsOf(sum.cost.baseline), 1000 + 250);
  assert.is(dollarsOf(sum.cost.savedByReads - sum.cost.paidForWrites), 810 - 22.5);
  assert.ok(isWholeCost(sum));
});

test("provisional output, missing usage and unknown parts each make the cost a floor and are counted", async () => {
  const nothing = { uncachedTokens: null, readTokens: null, write5mTokens: null, write1hTokens: null };
  const sum = await total(
    { outputQuality: "provisional" },
    {
      ...nothing,
      writeUnsplitTokens: null,
      outputTokens: null,
      outputQuality: "missing",
      status: "missing",
      usageState: "partial",
    },
    { readTokens: null, usageState: "partial" },
    { usageState: "contradictory", uncachedTokens: 5_000_000 },
  );
  assert.equal([sum.missing.unsureOutput, sum.missing.withoutUsage, sum.missing.partial, sum.requests], [1, 2, 1, 4]);
  assert.is(sum.tokens.uncached, 20);
});

test("a threshold is passed by one long prompt, not by two that are long together", async () => {
  const model = "model-b";
  const long = await total({ ...NO_TOKENS, model, uncachedTokens: 300_000 });
  const two = await total(
    { ...NO_TOKENS, model, uncachedTokens: 150_000 },
    { ...NO_TOKENS, model, uncachedTokens: 150_000 },
  );
  const edge = await total(
    { ...NO_TOKENS, model, uncachedTokens: 272_000 },
    { ...NO_TOKENS, model, uncachedTokens: 272_001 },
  );
  assert.is(dollarsOf(long.cost.picos), 300_000 * 4);
  assert.is(dollarsOf(two.cost.picos), 300_000 * 2);
  assert.is(dollarsOf(edge.cost.picos), 272_000 * 2 + 272_001 * 4);
});

test("writes pay by their lifetime; an untold one is priced as five minutes and marked as assumed", async () => {
  const split = await total({ ...NO_TOKENS, write5mTokens: 200, write1hTokens: 400 });
  const untold = await total({ ...NO_TOKENS, writeUnsplitTokens: 600 });
  assert.equal([dollarsOf(split.cost.picos), split.assumed.unsplitWrites], [1050, 0]);
  assert.equal([dollarsOf(untold.cost.picos), untold.assumed.unsplitWrites], [750, 1]);
});

test("a bucket that the price does not cover makes a floor", async () => {
  const sum = await total({ ...NO_TOKENS, model: "model-b", uncachedTokens: 1, write1hTokens: 7 });
  assert.equal([dollarsOf(sum.cost.picos), sum.missing.unpricedTokens, isWholeCost(sum)], [2, 7, false]);
});

test("what the source reports as cost stands apart", async () => {
  const sum = await total({ ...NO_TOKENS, uncachedTokens: 3, providerCostMicros: 2_500_000 }, { ...NO_TOKENS });
  assert.equal([dollarsOf(sum.reported.picos), sum.reported.requests, dollarsOf(sum.cost.picos)], [2.5, 1, 3]);
});

test("a recorded service tier changes the price, and one without a price is assumed plain and named", async () => {
  const opus = { ...NO_TOKENS, model: "claude-opus-4-5", uncachedTokens: 1_000_000 };
  const raw = (usage: unknown) => ({ rawUsage: JSON.stringify(usage) });
  const cost = async (usage: unknown) => {
    const { cost, unpricedServices } = await total({ ...opus, ...raw(usage) });
    return [dollarsOf(cost.picos), unpricedServices];
  };
  assert.equal(await cost({ service_tier: "batch" }), [2.5, []]);
  assert.equal(await cost({ service_tier: "standard", speed: "standard" }), [5, []]);
  assert.equal(await cost({ speed: "warp" }), [5, [{ service: "warp", requests: 1 }]]);
  assert.equal(await cost("cut short"), [5, []]);
});

test("searches by the provider are charged apart: the cost is a floor", async () => {
  const sum = await total({ ...NO_TOKENS, rawUsage: '{"server_tool_use":{"web_search_requests":2}}' });
  assert.equal([sum.missing.searches, isWholeCost(sum)], [2, false]);
});

test("requests on both sides of a price change pay their own price", async () => {
  const change = Date.UTC(2025, 5, 10);
  const o3 = { ...NO_TOKENS, provider: "openai", model: "o3", uncachedTokens: 1_000_000 };
  const sum = await total({ ...o3, atMs: change - 1 }, { ...o3, atMs: change }, { ...o3, atMs: null });
  assert.equal([dollarsOf(sum.cost.picos), sum.assumed.timeless], [14, 1]);
});

test("the input of a model in a window is not the input of its lifetime", async () => {
  const events = [
    request({ ...NO_TOKENS, uncachedTokens: 1, atMs: 1000 }),
    request({ ...NO_TOKENS, uncachedTokens: 2, atMs: 2000 }),
  ];
  const { total: part } = await used(events, {}, { sinceMs: 1500 });
  assert.equal([dollarsOf(part.cost.picos), part.requests], [2, 1]);
});

test("nothing in scope is no request, no cost, and nobody's saving", async () => {
  const { total: sum, groups } = await used([]);
  assert.equal([sum.requests, sum.cost.picos, groups], [0, 0n, []]);
});

test.run();
