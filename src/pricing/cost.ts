import type { Picos, Rates } from "./price.js";

/** Tokens in disjoint buckets, of one request or of many that pay the same rates. Reasoning is part of output. */
export interface Tokens {
  uncached: number;
  read: number;
  write5m: number;
  write1h: number;
  /** Written for a lifetime that was not told; paid as 5 minutes. */
  writeUnsplit: number;
  output: number;
}

export interface Cost {
  picos: Picos;
  uncached: Picos;
  read: Picos;
  write: Picos;
  output: Picos;
  /** The same tokens had nothing been cached: the whole prompt as plain input. */
  baseline: Picos;
  /** What reading costs less than sending again, and what writing costs more; `baseline - picos` is their difference. */
  savedByReads: Picos;
  paidForWrites: Picos;
  /** Tokens that have no price here: the cost, its baseline and both parts of the saving leave them out. */
  unpricedTokens: number;
}

/**
 * What tokens cost at the given rates, exactly.
 *
 *     cost     = uncached × input + read × read + written × write (5 min or 1 h) + output × output
 *     baseline = (uncached + read + written) × input + output × output
 *
 * Take the rates with `ratesOf` per request: long-context tiers depend on the size of a prompt. Sums of requests that
 * pay the same rates cost what the requests cost together.
 */
export function costOf(tokens: Tokens, rates: Rates): Cost {
  const input = rates.uncached;
  const uncached = times(tokens.uncached, input);
  const output = times(tokens.output, rates.output);
  const read = times(tokens.read, rates.read);
  const short = times(tokens.write5m + tokens.writeUnsplit, rates.write5m);
  const long = times(tokens.write1h, rates.write1h);
  const write = short + long;
  const readTokens = pricedTokens(tokens.read, rates.read);
  const writtenTokens =
    pricedTokens(tokens.write5m + tokens.writeUnsplit, rates.write5m) + pricedTokens(tokens.write1h, rates.write1h);
  const savedByReads = times(readTokens, input) - read;
  const paidForWrites = write - times(writtenTokens, input);
  const picos = uncached + read + write + output;
  return {
    picos,
    uncached,
    read,
    write,
    output,
    baseline: picos + savedByReads - paidForWrites,
    savedByReads,
    paidForWrites,
    unpricedTokens: tokens.read + tokens.write5m + tokens.writeUnsplit + tokens.write1h - readTokens - writtenTokens,
  };
}

function times(tokens: number, rate: Picos | null): Picos {
  return rate === null ? 0n : BigInt(tokens) * rate;
}

function pricedTokens(tokens: number, rate: Picos | null): number {
  return rate === null ? 0 : tokens;
}
