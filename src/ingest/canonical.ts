import type { Utf8 } from "./json.js";

/**
 * JSON text that is the same for equal values: keys sorted, no spaces. Values nested deeper than 500 levels are
 * replaced by null, so that hostile input cannot exhaust the stack.
 */
export function canonicalJson(value: unknown): Utf8 {
  return (JSON.stringify(sorted(value, 0)) ?? "null") as Utf8;
}

const DEPTH_LIMIT = 500;

function sorted(value: unknown, depth: number): unknown {
  if (typeof value !== "object" || value === null) return value;
  if (depth > DEPTH_LIMIT) return null;
  if (Array.isArray(value)) return value.map((entry) => sorted(entry, depth + 1));
  const keys = Object.keys(value).sort();
  return Object.fromEntries(keys.map((key) => [key, sorted((value as Record<string, unknown>)[key], depth + 1)]));
}
