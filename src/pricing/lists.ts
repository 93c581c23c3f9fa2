import own from "./overrides.json" with { type: "json" };
import list from "./prices.json" with { type: "json" };

/** Input, output, read, write (5 minutes), write (1 hour, where it is not derived): US dollars per million tokens. */
export type RateRow = [
  input: number,
  output: number,
  read: number | null,
  write: number | null,
  write1h?: number | null,
];

/** The price of a model in `[fromMs, untilMs)`. */
export interface Entry {
  model: string;
  fromMs: number | null;
  untilMs: number | null;
  rates: RateRow;
  /** For prompts longer than `aboveTokens`; ascending. */
  longContext: { aboveTokens: number; rates: RateRow }[];
}

/** How both files write prices: the rates, then one row per long-context tier, its threshold first. */
type Compact = [
  input: number,
  output: number,
  read: number | null,
  write: number | null,
  ...tiers: [aboveTokens: number, ...RateRow][],
];

/** The shipped list: provider, then model. Written by `scripts/prices.ts`. */
export const shipped: Record<string, Map<string, Entry>> = Object.fromEntries(
  Object.entries(list.providers as unknown as Record<string, Record<string, Compact>>).map(([provider, models]) => [
    provider,
    new Map(Object.entries(models).map(([model, rates]) => [model, entryOf(model, rates)] as const)),
  ]),
);

/** Where the shipped list comes from, and until when it is known. */
export const provenance: { package: string; version: string; released: string; models: number }[] = list.sources;

interface Overrides {
  /** Day on which the overrides were last looked through. */
  asOf: string;
  /** Other names of a provider, as agents and telemetry spell it. */
  providers: Record<string, string>;
  /** Who makes models and sells them; asked in this order when no provider was recorded. */
  vendors: string[];
  /** Other names of a model, all for the same weights and price. */
  aliases: Record<string, string>;
  /** The shipped list has one price for writes; the 1-hour write of these models follows from the input price. */
  oneHourWrite: { models: string; percentOfInput: number };
  /** Provider, service tier, model (`*` for the others): percent of the plain price. */
  services: Record<string, Record<string, Record<string, number>>>;
  models: (Entry & { provider: string })[];
}

/** Our own corrections, dates and tiers; they go before the shipped list. */
export const overrides: Overrides = {
  ...(own as unknown as Omit<Overrides, "models">),
  models: (own.models as unknown as Override[]).map(({ provider, model, rates, from, until }) => ({
    provider,
    ...entryOf(model, rates),
    fromMs: from === undefined ? null : Date.parse(from),
    untilMs: until === undefined ? null : Date.parse(until),
  })),
};

interface Override {
  provider: string;
  model: string;
  /** ISO 8601; a date begins in UTC. */
  from?: string;
  until?: string;
  rates: Compact;
}

function entryOf(model: string, [input, output, read, write, ...tiers]: Compact): Entry {
  return {
    model,
    fromMs: null,
    untilMs: null,
    rates: [input, output, read, write],
    longContext: tiers.map(([aboveTokens, ...rates]) => ({ aboveTokens, rates })),
  };
}
