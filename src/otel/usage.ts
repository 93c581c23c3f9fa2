import type { Usage } from "../events/event.js";

/** Counts as an emitter sends them; null is unknown. */
export interface Counts {
  input: number | null;
  read: number | null;
  write: number | null;
  output: number | null;
  /** Part of the output. */
  reasoning: number | null;
}

/** `input` holds what was read from the cache and written to it: the convention, and what almost everybody sends. */
export function inclusive(counts: Counts): Usage {
  const { input, read, write } = counts;
  if (input === null) return usage(counts, null, false);
  const rest = input - (read ?? 0) - (write ?? 0);
  return usage(counts, Math.max(0, rest), rest < 0);
}

/** `input` holds only what the cache had no part in. */
export function exclusive(counts: Counts): Usage {
  return usage(counts, counts.input, false);
}

function usage({ read, write, output, reasoning }: Counts, uncached: number | null, odd: boolean): Usage {
  const contradictory = odd || (reasoning ?? 0) > (output ?? Number.POSITIVE_INFINITY);
  return {
    uncachedTokens: uncached,
    readTokens: read,
    write5mTokens: null,
    write1hTokens: null,
    writeUnsplitTokens: write,
    outputTokens: output,
    reasoningTokens: reasoning,
    cacheReported: read !== null || write !== null,
    outputQuality: output === null ? "missing" : "final",
    usageState: contradictory ? "contradictory" : uncached === null || output === null ? "partial" : "ok",
  };
}

/** True when anything was counted at all. */
export function isUsage({ input, read, write, output }: Counts): boolean {
  return input !== null || read !== null || write !== null || output !== null;
}
