import type { Usage } from "../../events/event.js";
import { canonicalJson } from "../canonical.js";
import { count, decoded, object } from "../json.js";

/** The usage of one line of a response, and the raw form when it holds more than the counts. */
export interface ReadUsage extends Usage {
  rawUsage: string | null;
}

const RAW_LIMIT = 2000;

/**
 * Claude's counters are disjoint: `input_tokens` leaves out what was read from or written to the cache.
 * A stop reason marks the final count; before it the output is what had been streamed so far.
 */
export function usageOf(usage: Record<string, unknown> | null, stopReason: string | null): ReadUsage {
  if (usage === null) return NONE;
  const uncachedTokens = count(usage.input_tokens);
  const readTokens = count(usage.cache_read_input_tokens);
  const outputTokens = count(usage.output_tokens);
  const writes = writesOf(usage);
  const unknown =
    uncachedTokens === null ||
    outputTokens === null ||
    (readTokens === null && isSaid(usage.cache_read_input_tokens)) ||
    (writes.total === null && isSaid(usage.cache_creation_input_tokens));
  const read: Usage = {
    uncachedTokens,
    readTokens,
    ...writes.tokens,
    outputTokens,
    reasoningTokens: null,
    cacheReported: readTokens !== null || writes.reported,
    outputQuality: outputTokens === null ? "missing" : stopReason === null ? "provisional" : "final",
    usageState: writes.contradictory ? "contradictory" : unknown ? "partial" : "ok",
  };
  const odd = read.usageState !== "ok" || isOdd(usage);
  return { ...read, rawUsage: odd ? decoded(canonicalJson(usage)).slice(0, RAW_LIMIT) : null };
}

/** Prompt tokens: what the model was sent; null when a part is unknown. */
export function contextOf(usage: Usage): number | null {
  const { uncachedTokens, readTokens, write5mTokens, write1hTokens, writeUnsplitTokens } = usage;
  if (uncachedTokens === null) return null;
  return uncachedTokens + (readTokens ?? 0) + (write5mTokens ?? 0) + (write1hTokens ?? 0) + (writeUnsplitTokens ?? 0);
}

const isSaid = (value: unknown) => value !== undefined && value !== null;

const NONE: ReadUsage = {
  uncachedTokens: null,
  readTokens: null,
  write5mTokens: null,
  write1hTokens: null,
  writeUnsplitTokens: null,
  outputTokens: null,
  reasoningTokens: null,
  cacheReported: false,
  outputQuality: "missing",
  usageState: "partial",
  rawUsage: null,
};

/** Cache writes by lifetime. Versions before 1.0.98 tell only the sum; whatever the parts do not explain is unsplit. */
function writesOf(usage: Record<string, unknown>) {
  const total = count(usage.cache_creation_input_tokens);
  const parts = object(usage.cache_creation);
  const short = count(parts?.ephemeral_5m_input_tokens);
  const long = count(parts?.ephemeral_1h_input_tokens);
  if (total === null && short === null && long === null) {
    return SILENT;
  }
  const split = (short ?? 0) + (long ?? 0);
  return {
    tokens: {
      write5mTokens: short ?? 0,
      write1hTokens: long ?? 0,
      writeUnsplitTokens: Math.max(0, (total ?? split) - split),
    },
    total,
    reported: true,
    contradictory: total !== null && split > total,
  };
}

const SILENT = {
  tokens: { write5mTokens: null, write1hTokens: null, writeUnsplitTokens: null },
  total: null,
  reported: false,
  contradictory: false,
};

/** More than one try inside the response, another service tier or speed, tools run by the provider. */
function isOdd(usage: Record<string, unknown>): boolean {
  const tries = usage.iterations;
  const served = object(usage.server_tool_use);
  return (
    (Array.isArray(tries) && tries.length > 1) ||
    (typeof usage.service_tier === "string" && usage.service_tier !== "standard") ||
    (typeof usage.speed === "string" && usage.speed !== "standard") ||
    (served !== null && Object.values(served).some((value) => typeof value === "number" && value > 0))
  );
}
