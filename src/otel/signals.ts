/** What arrives over OTLP, in one form for both encodings. */

/** Integers that a double cannot hold exactly stay text; bytes are base64. */
export type Value = string | number | boolean | null | Value[] | Attributes;

/** A map, because keys come from outside. */
export type Attributes = Map<string, Value>;

/** Who sent it. */
export interface Origin {
  resource: Attributes;
  /** Empty when the sender gave none. */
  scope: string;
  scopeVersion: string | null;
}

export interface Span extends Origin {
  /** Lower-case hex of 16 and 8 bytes. */
  traceId: string;
  spanId: string;
  /** Null for a root. */
  parentId: string | null;
  name: string;
  startMs: number | null;
  /** Null when it is unknown, or lies before the start. */
  endMs: number | null;
  failed: boolean;
  attributes: Attributes;
  events: SpanEvent[];
}

export interface SpanEvent {
  name: string;
  atMs: number | null;
  attributes: Attributes;
}

export interface LogRecord extends Origin {
  /** The attribute `event.name`, else the field; null for a plain line. */
  name: string | null;
  /** When it happened, else when it was seen. */
  atMs: number | null;
  traceId: string | null;
  spanId: string | null;
  attributes: Attributes;
  body: Value;
}

/** One data point of a metric. */
export interface Point extends Origin {
  metric: string;
  form: "sum" | "gauge" | "histogram";
  /** Null for gauges, and where the sender did not say. */
  temporality: "delta" | "cumulative" | null;
  startMs: number | null;
  atMs: number | null;
  /** Of a histogram: the sum of what was measured; null when it is not known. */
  value: number | null;
  attributes: Attributes;
}

export type SignalName = "traces" | "logs" | "metrics";

/** The items of one request body, without those that cannot be read. */
export interface Received {
  spans: Span[];
  logs: LogRecord[];
  points: Point[];
  /** Items that were left out. */
  rejected: number;
  /** Why, for the first of them; null when none was. */
  reason: string | null;
}

/** The body as a whole cannot be read: the sender must not try it again. */
export class Undecodable extends Error {}

/** Text of an attribute; null when it is absent, empty or of another type. */
export function textOf(attributes: Attributes, ...names: string[]): string | null {
  for (const name of names) {
    const value = attributes.get(name);
    if (typeof value === "string" && value !== "") return value;
  }
  return null;
}

/** A whole count from 0 on, also when it was sent as text; null when it is anything else. */
export function countOf(attributes: Attributes, ...names: string[]): number | null {
  for (const name of names) {
    const count = asCount(attributes.get(name));
    if (count !== null) return count;
  }
  return null;
}

export function asCount(value: unknown): number | null {
  const number = typeof value === "string" && /^\d{1,15}$/.test(value) ? Number(value) : value;
  return typeof number === "number" && Number.isSafeInteger(number) && number >= 0 && number <= LARGEST ? number : null;
}

/** A tenth of what the store takes, so that the sum of a request's counts can be kept too. */
const LARGEST = 100_000_000_000;

/** A number that need not be whole, rounded; durations are sent so. */
export function roundedOf(attributes: Attributes, ...names: string[]): number | null {
  for (const name of names) {
    const value = attributes.get(name);
    const number = typeof value === "string" && value !== "" ? Number(value) : value;
    if (typeof number === "number" && Number.isFinite(number)) return asCount(Math.round(number));
  }
  return null;
}

/** True and false, also as text. */
export function flagOf(attributes: Attributes, name: string): boolean | null {
  const value = attributes.get(name);
  if (value === true || value === "true") return true;
  return value === false || value === "false" ? false : null;
}
