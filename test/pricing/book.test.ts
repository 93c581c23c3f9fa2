import { test } from "uvu";
import * as assert from "uvu/assert";
import { priceBook } from "../../src/pricing/book.js";
import { overrides, provenance, shipped } from "../../src/pricing/lists.js";
import { picosPerToken } from "../../src/pricing/price.js";
import { userPrices } from "../../src/pricing/user-prices.js";

const TODAY = Date.UTC(2026, 11, 1);
const book = priceBook();
const name = (provider: string | null, model: string | null, atMs: number | null = TODAY) =>
  book.priceOf({ provider, model, atMs })?.name ?? null;

test("the usual spellings of a model lead to its price", () => {
  const spelled = [
    ["anthropic", "claude-opus-4-5"],
    ["anthropic", "claude-opus-4-6[1m]"],
    ["anthropic", "claude-sonnet-4"],
    [null, "anthropic/claude-sonnet-4.6"],
    ["anthropic", "claude-opus-4-7@20260401"],
    ["anthropic", "us.anthropic.claude-opus-4-6-v1:0"],
    ["bedrock", "arn:aws:bedrock:us-east-1:1:inference-profile/us.anthropic.claude-sonnet-4-20250514-v1:0"],
    ["anthropic", "anthropic.claude-3-5-sonnet-20241022-v2:0"],
    ["gemini", "gemini-2.5-flash"],
    ["openai", "gpt-5-2025-08-07"],
    [null, "openrouter/anthropic/claude-sonnet-4-6"],
  ] as const;
  assert.equal(
    spelled.map(([provider, model]) => name(provider, model)),
    [
      "anthropic/claude-opus-4-5",
      "anthropic/claude-opus-4-6",
      "anthropic/claude-sonnet-4-20250514",
      "anthropic/claude-sonnet-4-6",
      "anthropic/claude-opus-4-7",
      "amazon-bedrock/us.anthropic.claude-opus-4-6-v1",
      "amazon-bedrock/us.anthropic.claude-sonnet-4-20250514-v1:0",
      "anthropic/claude-3-5-sonnet-20241022",
      "google/gemini-2.5-flash",
      "openai/gpt-5",
      "openrouter/anthropic/claude-sonnet-4.6",
    ],
  );
});

test("an unknown model has no price, however near its name is to a known one", () => {
  const strangers = [
    "claude-opus-4-99",
    "claude-opus",
    "claude",
    "gpt-5-turbo",
    "opus",
    "constructor",
    "",
    "GPT",
    "gpt-5.",
  ];
  assert.equal(
    strangers.map((model) => name(null, model)),
    strangers.map(() => null),
  );
  assert.equal([name("anthropic", null), name("anthropic", "gpt-5"), name("my-gateway", "gpt-5")], [null, null, null]);
});

test("retired models keep their price", () => {
  assert.is(name("anthropic", "claude-3-opus-20240229"), "anthropic/claude-3-opus-20240229");
  assert.is(name(null, "claude-3-7-sonnet-latest"), "anthropic/claude-3-7-sonnet-20250219");
});

test("a one-hour write costs twice the input; a provider with one lifetime has no such price", () => {
  const opus = book.priceOf({ provider: "anthropic", model: "claude-opus-4-5", atMs: TODAY })!;
  const gpt = book.priceOf({ provider: "openai", model: "gpt-5.6-sol", atMs: TODAY })!;
  assert.is(opus.rates.write1h, opus.rates.uncached * 2n);
  assert.equal([gpt.rates.write5m, gpt.rates.write1h], [picosPerToken(5), null]);
});

test("a price belongs to its time, and the day of the change is in the new one", () => {
  const input = (atMs: number | null) => book.priceOf({ provider: "openai", model: "o3", atMs })!.rates.uncached;
  const change = Date.UTC(2025, 5, 10);
  assert.equal(book.changesOf({ provider: "openai", model: "o3" }), [change]);
  assert.equal(
    [input(change - 1), input(change), input(null)],
    [picosPerToken(10), picosPerToken(2), picosPerToken(2)],
  );
});

test("the lists say where they come from, and every override names a model by provider", () => {
  assert.equal(
    provenance.map(({ package: from, version }) => `${from}@${version}`),
    ["@earendil-works/pi-ai@1.6.0", "@earendil-works/pi-ai@0.74.2"],
  );
  assert.is(
    provenance.reduce((sum, { models }) => sum + models, 0),
    Object.values(shipped).reduce((sum, models) => sum + models.size, 0),
  );
  for (const { provider, model, fromMs, untilMs } of overrides.models) {
    assert.ok(provider in shipped || provider === "deepseek", model);
    assert.not.ok(Number.isNaN(fromMs ?? 0) || Number.isNaN(untilMs ?? 0), model);
  }
});

test("the user's own price goes first, from its day on, and leaves other models alone", () => {
  const own = priceBook(
    userPrices({
      "claude-opus-4-5": { input: 1, output: 2, read: 0.5, from: "2026-11-01" },
      house: [
        { input: 3, output: 4, until: "2026-01-01" },
        { input: 5, output: 6, from: "2026-01-01", above: { tokens: 1000, input: 10, output: 12 } },
      ],
    }),
  );
  const ask = (model: string, atMs: number) => own.priceOf({ provider: "anthropic", model, atMs });
  const before = Date.UTC(2025, 11, 31);
  assert.equal(
    [
      ask("claude-opus-4-5", TODAY)!.source,
      ask("claude-opus-4-5", before)!.source,
      ask("claude-opus-4-6", TODAY)!.source,
    ],
    ["user", "shipped", "shipped"],
  );
  assert.equal(
    [ask("house", before)!.rates.uncached, ask("house", TODAY)!.rates.uncached],
    [picosPerToken(3), picosPerToken(5)],
  );
  assert.equal(ask("house", TODAY)!.longContext[0]!.aboveTokens, 1000);
  assert.equal([ask("house", TODAY)!.rates.read, ask("houses", TODAY)], [null, null]);
});

test("free is said, not guessed", () => {
  const own = priceBook(userPrices({ "my-local": "free", other: { free: true, provider: "ollama" } }));
  const state = (provider: string | null, model: string) =>
    own.priceOf({ provider, model, atMs: TODAY })?.state ?? null;
  assert.equal(
    [state(null, "my-local"), state("ollama", "other"), state("else", "other"), state(null, "another-local")],
    ["free", "free", null, null],
  );
  const zeros = Object.entries(shipped).flatMap(([, models]) =>
    [...models].filter(([, { rates }]) => rates[0] === 0 && rates[1] === 0).map(([model]) => model),
  );
  assert.equal(
    zeros.filter((model) => !/[:-]free$/.test(model)),
    [],
  );
});

test("a slip in the user's prices is refused by the model's name", () => {
  const slips: unknown[] = [
    "cheap",
    { input: 1 },
    { input: "1", output: 2 },
    { input: -1, output: 2 },
    { input: 1, output: 2, outptu: 3 },
    { input: 1, output: 2, from: "1 May" },
    { input: 1, output: 2, from: "2026-02-01", until: "2026-01-01" },
    { input: 1, output: 2, above: { input: 1, output: 2 } },
    { free: true, input: 1, output: 2 },
    { input: Number.NaN, output: 2 },
    null,
  ];
  for (const slip of slips) assert.throws(() => userPrices({ house: slip }), /house/, JSON.stringify(slip));
  assert.throws(() => userPrices(["house"]), /not a map/);
  assert.equal(userPrices(undefined), []);
});

test.run();
