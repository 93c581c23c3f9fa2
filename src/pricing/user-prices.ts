import { Failure } from "../failure.js";
import type { UserPrice } from "./book.js";
import type { RateRow } from "./lists.js";

/**
 * The `prices` of the configuration: model → `free`, a price, or a list of prices with dates. Numbers are US dollars
 * per million tokens. Fails on anything it does not know, with the model's name: a slip must not become a price.
 */
export function userPrices(setting: unknown): UserPrice[] {
  if (setting === undefined || setting === null) return [];
  if (!isMap(setting)) throw wrong("prices", "is not a map from model to price");
  return Object.entries(setting).flatMap(([model, given]) =>
    (Array.isArray(given) ? given : [given]).map((price) => priceIn(model, price)),
  );
}

const FREE: RateRow = [0, 0, 0, 0, 0];
const RATES = ["input", "output", "read", "write", "write1h"];

function priceIn(model: string, given: unknown): UserPrice {
  const always = { model, provider: null, fromMs: null, untilMs: null, longContext: [] };
  if (given === "free") return { ...always, rates: FREE };
  if (!isMap(given)) throw wrong(model, "is neither free nor a map with input and output");
  const { provider = null, from, until, free = false, above = [], ...rates } = given;
  if (provider !== null && typeof provider !== "string") throw wrong(model, "has a provider that is not a text");
  if (typeof free !== "boolean" || (free && Object.keys(rates).length > 0))
    throw wrong(model, "is either free: true or has rates");
  const [fromMs, untilMs] = [momentOf(model, "from", from), momentOf(model, "until", until)];
  if (fromMs !== null && untilMs !== null && fromMs >= untilMs)
    throw wrong(model, "has a from that is not before until");
  return {
    ...always,
    provider,
    fromMs,
    untilMs,
    rates: free ? FREE : ratesIn(model, rates),
    longContext: (Array.isArray(above) ? above : [above])
      .map((tier) => tierIn(model, tier))
      .sort((a, b) => a.aboveTokens - b.aboveTokens),
  };
}

function tierIn(model: string, given: unknown): UserPrice["longContext"][number] {
  if (!isMap(given)) throw wrong(model, "has an above that is not a map");
  const { tokens, ...rates } = given;
  if (!Number.isSafeInteger(tokens) || (tokens as number) <= 0)
    throw wrong(model, "has an above without a whole number of tokens");
  return { aboveTokens: tokens as number, rates: ratesIn(model, rates) };
}

function ratesIn(model: string, given: Record<string, unknown>): RateRow {
  const unknown = Object.keys(given).find((name) => !RATES.includes(name));
  if (unknown !== undefined) throw wrong(model, `has an unknown field "${unknown}"`);
  const [input, output, read, write, write1h] = RATES.map((name) => rateOf(model, name, given[name]));
  if (input === null || output === null) throw wrong(model, "needs both input and output");
  return [input!, output!, read!, write!, write1h!];
}

/** Null: no price for that bucket, which makes requests that use it a lower bound. */
function rateOf(model: string, name: string, given: unknown): number | null {
  if (given === undefined || given === null) return null;
  if (typeof given !== "number" || !Number.isFinite(given) || given < 0 || given > 1e9)
    throw wrong(model, `has ${name} ${JSON.stringify(given)}, which is not a number of dollars per million tokens`);
  return given;
}

function momentOf(model: string, name: string, given: unknown): number | null {
  if (given === undefined || given === null) return null;
  const atMs =
    typeof given === "string" && /^\d{4}-\d{2}-\d{2}(T[\d:.]+(Z|[+-]\d{2}:\d{2}))?$/.test(given)
      ? Date.parse(given)
      : Number.NaN;
  if (Number.isNaN(atMs)) throw wrong(model, `has a ${name} that is neither 2026-08-01 nor 2026-08-01T12:00:00Z`);
  return atMs;
}

function isMap(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function wrong(model: string, what: string): Failure {
  return new Failure("config.invalid", `prices of the configuration: ${model} ${what}`, {
    tries: ["my-model: { input: 3, output: 15, read: 0.3, write: 3.75, from: 2026-08-01 }", "my-model: free"],
  });
}
