import { type Entry, overrides, type RateRow, shipped } from "./lists.js";
import { type Picos, type Price, picosPerToken, type Rates } from "./price.js";
import { bedrockName, spellings } from "./spelling.js";

/** A price of the user's own; it goes before every price list for its model and time. */
export interface UserPrice extends Entry {
  provider: string | null;
}

export interface Asked {
  /** Who served the request, as it was recorded; null when it was not. */
  provider: string | null;
  model: string | null;
  /** When the request was made; null takes the price of today. */
  atMs: number | null;
}

export interface PriceBook {
  /** Null: unpriced. Never the price of another model. */
  priceOf(asked: Asked): Price | null;
  /** Moments at which the price of this model changes. */
  changesOf(asked: Omit<Asked, "atMs">): number[];
}

/** A price with its time; ready to be handed out. */
interface Dated {
  fromMs: number | null;
  untilMs: number | null;
  price: Price;
}

interface Named extends Entry {
  provider: string | null;
  source: Price["source"];
}

/**
 * Prices by provider, model and time: the user's own first, then our dated overrides, then the shipped list.
 *
 * A provider that is not recorded is taken to be the model's vendor. A provider that is recorded and has no such model
 * leaves the request unpriced: who resells a model sets the price.
 */
export function priceBook(own: UserPrice[] = []): PriceBook {
  const memory = new Map<string, Dated[]>();

  /** All entries of a model, those that go first first. */
  function entriesOf({ provider, model }: Omit<Asked, "atMs">): Dated[] {
    if (model === null) return [];
    const key = `${provider ?? ""}\n${model}`;
    let entries = memory.get(key);
    if (entries === undefined) {
      const named = [...ownEntries(own, provider, model), ...listedEntries(provider, model)];
      entries = named.map((entry) => ({ fromMs: entry.fromMs, untilMs: entry.untilMs, price: priceOfEntry(entry) }));
      memory.set(key, entries);
    }
    return entries;
  }

  return {
    priceOf(asked) {
      return entriesOf(asked).find(({ fromMs, untilMs }) => isAt(asked.atMs, fromMs, untilMs))?.price ?? null;
    },
    changesOf(asked) {
      const moments = entriesOf(asked).flatMap(({ fromMs, untilMs }) => [fromMs, untilMs]);
      return [...new Set(moments.filter((moment) => moment !== null))].sort((a, b) => a - b);
    },
  };
}

function isAt(atMs: number | null, fromMs: number | null, untilMs: number | null): boolean {
  if (atMs === null) return untilMs === null;
  return (fromMs === null || atMs >= fromMs) && (untilMs === null || atMs < untilMs);
}

function ownEntries(own: UserPrice[], provider: string | null, model: string): Named[] {
  const names = spellings(model, {});
  return own
    .filter((entry) => names.includes(entry.model))
    .filter((entry) => entry.provider === null || sameProvider(entry.provider, provider))
    .sort((a, b) => names.indexOf(a.model) - names.indexOf(b.model) || (b.fromMs ?? 0) - (a.fromMs ?? 0))
    .map((entry) => ({ ...entry, source: "user" }));
}

function sameProvider(one: string, other: string | null): boolean {
  return other !== null && canonical(one) === canonical(other);
}

function canonical(provider: string): string {
  const name = provider.toLowerCase();
  return Object.hasOwn(overrides.providers, name) ? overrides.providers[name]! : name;
}

/** The first (provider, model) of the lists that the words can mean. */
function listedEntries(provider: string | null, model: string): Named[] {
  for (const { list, name } of meanings(provider, model)) {
    const dated = overrides.models.filter((entry) => entry.provider === list && entry.model === name);
    const plain = shipped[list]?.get(name);
    const entries: Named[] = dated.map((entry) => ({ ...entry, source: "shipped" }));
    if (plain !== undefined) entries.push({ ...plain, provider: list, source: "shipped" });
    if (entries.length > 0) return entries;
  }
  return [];
}

function* meanings(provider: string | null, model: string): Generator<{ list: string; name: string }> {
  const lists = provider === null ? overrides.vendors : [canonical(provider)];
  const names = spellings(model, overrides.aliases);
  for (const list of lists) for (const name of names) yield { list, name };
  const aws = provider === null || ["anthropic", "amazon-bedrock"].includes(lists[0]!) ? bedrockName(model) : null;
  if (aws !== null) {
    for (const name of aws.spellings) yield { list: "amazon-bedrock", name };
    for (const name of spellings(aws.model, overrides.aliases)) yield { list: aws.vendor, name };
  }
  const slash = model.indexOf("/");
  if (slash > 0 && (provider === null || canonical(provider) === canonical(model.slice(0, slash))))
    yield* meanings(model.slice(0, slash), model.slice(slash + 1));
}

function priceOfEntry({ provider, model, source, rates, longContext }: Named): Price {
  const isFree = [rates, ...longContext.map((tier) => tier.rates)].flat().every((rate) => rate === 0);
  return {
    name: provider === null ? model : `${provider}/${model}`,
    state: isFree ? "free" : "priced",
    source,
    rates: ratesIn(model, rates),
    longContext: longContext.map((tier) => ({ aboveTokens: tier.aboveTokens, rates: ratesIn(model, tier.rates) })),
    services: servicesOf(provider, model),
  };
}

function ratesIn(model: string, [input, output, read, write, long]: RateRow): Rates {
  const known = (rate: number | null | undefined) => (rate === null || rate === undefined ? null : picosPerToken(rate));
  const { models, percentOfInput } = overrides.oneHourWrite;
  const uncached = picosPerToken(input);
  const derived: Picos | null =
    write !== null && model.includes(models) ? (uncached * BigInt(percentOfInput)) / 100n : null;
  return {
    uncached,
    read: known(read),
    write5m: known(write),
    write1h: known(long) ?? derived,
    output: picosPerToken(output),
  };
}

function servicesOf(provider: string | null, model: string): Map<string, bigint> {
  const services = Object.entries(overrides.services[provider ?? ""] ?? {});
  const names = spellings(model, overrides.aliases);
  return new Map(
    services.flatMap(([service, percents]) => {
      const percent = names.map((name) => percents[name]).find((found) => found !== undefined) ?? percents["*"];
      return percent === undefined ? [] : [[service, BigInt(percent)] as const];
    }),
  );
}
