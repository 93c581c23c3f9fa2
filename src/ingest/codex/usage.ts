import type { Usage } from "../../events/event.js";
import type { Counter } from "./records.js";

/** What the counter grew by: one response. `last` is only for comparing; the counter is the authority. */
export function usageOf(before: Counter | null, now: Counter): Usage {
  const input = now.input - (before?.input ?? 0);
  const outputTokens = now.output - (before?.output ?? 0);
  const cached = grown(before?.cached, now.cached);
  const written = grown(before?.written, now.written);
  const reasoning = grown(before?.reasoning, now.reasoning);
  const uncached = input - (cached ?? 0) - (written ?? 0);
  const parts = [
    input,
    outputTokens,
    cached ?? 0,
    written ?? 0,
    reasoning ?? 0,
    uncached,
    outputTokens - (reasoning ?? 0),
  ];
  return {
    uncachedTokens: Math.max(0, uncached),
    readTokens: known(cached),
    write5mTokens: null,
    write1hTokens: null,
    writeUnsplitTokens: known(written),
    outputTokens: Math.max(0, outputTokens),
    reasoningTokens: known(reasoning),
    cacheReported: cached !== null,
    outputQuality: "final",
    usageState: parts.some((part) => part < 0) ? "contradictory" : "ok",
  };
}

export const sizeOf = ({ input, output }: Counter) => input + output;

/** True when the two say the same of every part. */
export function isSame(a: Counter, b: Counter): boolean {
  return vectorOf(a) === vectorOf(b);
}

/** The counts as text. */
export function vectorOf({ input, cached, written, output, reasoning }: Counter): string {
  return [input, cached ?? 0, written ?? 0, output, reasoning ?? 0].join(",");
}

/** The counter without the newest request. */
export function without(total: Counter, last: Counter): Counter {
  const less = (a: number | null, b: number | null) => (a === null ? null : Math.max(0, a - (b ?? 0)));
  return {
    input: total.input - last.input,
    output: total.output - last.output,
    cached: less(total.cached, last.cached),
    written: less(total.written, last.written),
    reasoning: less(total.reasoning, last.reasoning),
    total: null,
  };
}

function grown(before: number | null | undefined, now: number | null): number | null {
  return now === null ? null : now - (before ?? 0);
}

function known(value: number | null): number | null {
  return value === null ? null : Math.max(0, value);
}
