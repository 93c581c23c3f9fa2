import type { Usage } from "../../events/event.js";
import { usageOf } from "../conversation.js";
import { count, object, rounded } from "../json.js";

type Value = Record<string, unknown>;

/**
 * What a message and its steps tell of its tokens: the four counts are disjoint, and reasoning is a part of the output.
 * Older versions put several steps into a message and the last one's tokens on it, so the greater of both counts. A
 * message without any tokens was no request: the client writes such ones itself.
 */
export function tokensIn(info: Value, parts: Value[]): { usage: Usage | null; raw: unknown } {
  const own = countsOf(object(info.tokens));
  const steps = parts.filter(({ type }) => type === "step-finish").map(({ tokens }) => countsOf(object(tokens)));
  const summed = steps.reduce<Counts | null>((sum, step) => (sum === null ? step : added(sum, step)), null);
  const told = summed !== null && total(summed) > total(own) ? summed : own;
  if (total(told) === 0) return { usage: null, raw: null };
  const [uncachedTokens, readTokens, writeUnsplitTokens, outputTokens, reasoningTokens] = told;
  const usage = usageOf({ uncachedTokens, readTokens, writeUnsplitTokens, outputTokens, reasoningTokens });
  return { usage, raw: info.tokens };
}

export function costIn({ cost }: Value): number | null {
  return typeof cost === "number" ? rounded(cost * 1e6) : null;
}

/** Uncached, read, written, output, reasoning. */
type Counts = [number | null, number | null, number | null, number | null, number | null];

function countsOf(tokens: Value | null): Counts {
  const cache = object(tokens?.cache);
  const { input, output, reasoning } = tokens ?? {};
  return [count(input), count(cache?.read), count(cache?.write), count(output), count(reasoning)];
}

function added(a: Counts, b: Counts): Counts {
  return a.map((tokens, i) => (tokens === null && b[i] === null ? null : (tokens ?? 0) + (b[i] ?? 0))) as Counts;
}

function total([uncached, read, written, output]: Counts): number {
  return (uncached ?? 0) + (read ?? 0) + (written ?? 0) + (output ?? 0);
}
