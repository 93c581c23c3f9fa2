/** Money: whole picodollars (a millionth of a micro-dollar), so that sums are exact. Rounded only when printed. */
export type Picos = bigint;

/** Picodollars per token. Null: no price is known for this bucket, which is not free. */
export interface Rates {
  uncached: Picos;
  read: Picos | null;
  write5m: Picos | null;
  /** Null also where writes have one lifetime only. */
  write1h: Picos | null;
  output: Picos;
}

/** What one model costs at one time. */
export interface Price {
  /** `provider/model` as the price list spells it. */
  name: string;
  /** Free is said by a price list; a model without a price is unpriced and has no `Price`. */
  state: "priced" | "free";
  source: "shipped" | "user";
  rates: Rates;
  /** For whole requests whose prompt is longer than `aboveTokens`; ascending. */
  longContext: { aboveTokens: number; rates: Rates }[];
  /** Percent of the rates for a service tier, such as `{ batch: 50n }`. */
  services: ReadonlyMap<string, bigint>;
}

/** The rates that one request pays. */
export interface AppliedRates {
  rates: Rates;
  /** False: the service tier has no price of its own here, so the plain one stands in. */
  serviceKnown: boolean;
}

const PLAIN = new Set(["standard", "default", "auto", "normal"]);

/**
 * The rates for one request: the long-context tier by the size of its whole prompt, then the service tier.
 *
 * - `promptTokens`: uncached, read and written together. The higher tier begins above the threshold, not at it.
 * - `service`: the word that was recorded (`batch`, `flex`, `priority`, `fast`, ...); null is the plain one.
 */
export function ratesOf(price: Price, promptTokens: number, service: string | null): AppliedRates {
  const tier = price.longContext.findLast(({ aboveTokens }) => promptTokens > aboveTokens);
  const rates = tier?.rates ?? price.rates;
  if (service === null || PLAIN.has(service)) return { rates, serviceKnown: true };
  const percent = price.services.get(service);
  if (percent === undefined) return { rates, serviceKnown: price.state === "free" };
  return { rates: scaled(rates, percent), serviceKnown: true };
}

/** US dollars per million tokens as picodollars per token. */
export function picosPerToken(usdPerMillion: number): Picos {
  return BigInt(Math.round(usdPerMillion * 1e6));
}

function scaled(rates: Rates, percent: bigint): Rates {
  const part = (rate: Picos) => (rate * percent) / 100n;
  const known = (rate: Picos | null) => (rate === null ? null : part(rate));
  return {
    uncached: part(rates.uncached),
    read: known(rates.read),
    write5m: known(rates.write5m),
    write1h: known(rates.write1h),
    output: part(rates.output),
  };
}
