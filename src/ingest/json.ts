/**
 * Fields of foreign JSON: a value of another type than the one asked for is absent.
 *
 * Values come from `values.ts`, where every string holds the bytes of its UTF-8 form, one byte per character: most text
 * is only measured and hashed, and decoding it would be the greatest cost of reading. `text` decodes, `utf8` does not.
 */
import { LARGEST_COUNT } from "../events/event.js";

/** Text in its UTF-8 form, one byte per character. */
export type Utf8 = string & { readonly form: unique symbol };

export function text(value: unknown): string | null {
  return typeof value === "string" ? decoded(value as Utf8) : null;
}

export function texts(value: unknown): string[] {
  return Array.isArray(value) ? value.map(text).filter((entry) => entry !== null) : [];
}

export function utf8(value: unknown): Utf8 | null {
  return typeof value === "string" ? (value as Utf8) : null;
}

export function decoded(value: Utf8): string {
  return OUTSIDE_ASCII.test(value) ? Buffer.from(value, "latin1").toString("utf8") : value;
}

export function encoded(value: string): Utf8 {
  return (OUTSIDE_ASCII.test(value) ? Buffer.from(value, "utf8").toString("latin1") : value) as Utf8;
}

/** A tenth of what the store takes, so that the sum of a request's buckets can be told too. */
const LARGEST = LARGEST_COUNT / 10;

/** A count; anything but a whole number from 0 to what can be counted at all is unknown. */
export function count(value: unknown): number | null {
  const counts = Number.isSafeInteger(value) && (value as number) >= 0 && (value as number) <= LARGEST;
  return counts ? (value as number) : null;
}

export function rounded(value: unknown): number | null {
  return typeof value === "number" ? count(Math.round(value)) : null;
}

export function object(value: unknown): Record<string, unknown> | null {
  return typeof value === "object" && value !== null && !Array.isArray(value)
    ? (value as Record<string, unknown>)
    : null;
}

const OUTSIDE_ASCII = /[^\0-\x7f]/;
