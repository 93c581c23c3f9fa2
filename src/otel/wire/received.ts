import {
  type Attributes,
  type LogRecord,
  type Origin,
  type Point,
  type Received,
  type SignalName,
  type Span,
  type SpanEvent,
  textOf,
  Undecodable,
  type Value,
} from "../signals.js";

type Message = Record<string, unknown>;

/**
 * Items of a decoded message. In both encodings its fields have the names of OTLP/JSON; ids are hex text or bytes,
 * 64-bit integers text or numbers. Fields of a wrong type count as absent; an item without the ids or the time that it
 * needs is left out and counted.
 */
export function received(message: unknown, signal: SignalName): Received {
  const fields = objectOf(message);
  if (fields === null) throw new Undecodable("the body is not an object");
  const into: Received = { spans: [], logs: [], points: [], rejected: 0, reason: null };
  read[signal](fields, into);
  if (into.rejected > 0 && into.spans.length + into.logs.length + into.points.length === 0) {
    throw new Undecodable(into.reason ?? "no item of the body can be read");
  }
  return into;
}

const read: Record<SignalName, (message: Message, into: Received) => void> = {
  traces: (message, into) =>
    eachItem(message, ["resourceSpans", "scopeSpans", "spans"], (item, origin) => {
      const span = spanOf(item, origin);
      if (typeof span === "string") reject(into, span);
      else into.spans.push(span);
    }),
  logs: (message, into) =>
    eachItem(message, ["resourceLogs", "scopeLogs", "logRecords"], (item, origin) =>
      into.logs.push(logOf(item, origin)),
    ),
  metrics: (message, into) =>
    eachItem(message, ["resourceMetrics", "scopeMetrics", "metrics"], (item, origin) => {
      const points = pointsOf(item, origin);
      if (typeof points === "string") reject(into, points);
      else for (const point of points) into.points.push(point);
    }),
};

function reject(into: Received, reason: string): void {
  into.rejected += 1;
  into.reason ??= reason;
}

function eachItem(
  message: Message,
  [resources, scopes, items]: [string, string, string],
  take: (item: Message, origin: Origin) => void,
): void {
  for (const group of objectsIn(message[resources])) {
    const resource = attributesOf(objectOf(group.resource)?.attributes);
    for (const part of objectsIn(group[scopes])) {
      const scope = objectOf(part.scope);
      const origin = { resource, scope: stringOf(scope?.name) ?? "", scopeVersion: stringOf(scope?.version) };
      for (const item of objectsIn(part[items])) take(item, origin);
    }
  }
}

/** The span, or why it cannot be kept. */
function spanOf(item: Message, origin: Origin): Span | string {
  const traceId = idOf(item.traceId, 16);
  const spanId = idOf(item.spanId, 8);
  if (traceId === null) return `a span has no trace id of 16 bytes in hex: ${shown(item.traceId)}`;
  if (spanId === null) return `a span has no span id of 8 bytes in hex: ${shown(item.spanId)}`;
  const startMs = millisOf(item.startTimeUnixNano);
  const endMs = millisOf(item.endTimeUnixNano);
  return {
    ...origin,
    traceId,
    spanId,
    parentId: idOf(item.parentSpanId, 8),
    name: stringOf(item.name) ?? "",
    startMs,
    endMs: endMs !== null && startMs !== null && endMs < startMs ? null : endMs,
    failed: objectOf(item.status)?.code === 2,
    attributes: attributesOf(item.attributes),
    events: objectsIn(item.events).map(eventOf),
  };
}

function eventOf(item: Message): SpanEvent {
  const { name, timeUnixNano, attributes } = item;
  return { name: stringOf(name) ?? "", atMs: millisOf(timeUnixNano), attributes: attributesOf(attributes) };
}

function logOf(item: Message, origin: Origin): LogRecord {
  const attributes = attributesOf(item.attributes);
  return {
    ...origin,
    name: textOf(attributes, "event.name") ?? stringOf(item.eventName),
    atMs: millisOf(item.timeUnixNano) ?? millisOf(item.observedTimeUnixNano),
    traceId: idOf(item.traceId, 16),
    spanId: idOf(item.spanId, 8),
    attributes,
    body: anyValueOf(item.body, 0),
  };
}

function pointsOf(item: Message, origin: Origin): Point[] | string {
  const metric = stringOf(item.name);
  if (metric === null) return "a metric has no name";
  for (const form of ["sum", "gauge", "histogram"] as const) {
    const data = objectOf(item[form]);
    if (data === null) continue;
    const temporality = TEMPORALITIES[Number(data.aggregationTemporality)] ?? null;
    return objectsIn(data.dataPoints).map((point) => ({
      ...origin,
      metric,
      form,
      temporality,
      startMs: millisOf(point.startTimeUnixNano),
      atMs: millisOf(point.timeUnixNano),
      value: numberOf(form === "histogram" ? point.sum : (point.asInt ?? point.asDouble)),
      attributes: attributesOf(point.attributes),
    }));
  }
  // A form that is not read, such as a summary.
  return [];
}

const TEMPORALITIES: Record<number, "delta" | "cumulative"> = { 1: "delta", 2: "cumulative" };

/** More attributes on one item, and longer names, are not looked at. */
const ATTRIBUTES = 1_024;
const KEY_LENGTH = 256;
const DEPTH = 16;

function attributesOf(list: unknown, depth = 0): Attributes {
  const attributes: Attributes = new Map();
  for (const { key, value } of objectsIn(list)) {
    if (typeof key !== "string" || key.length > KEY_LENGTH || attributes.has(key)) continue;
    if (attributes.size >= ATTRIBUTES) break;
    attributes.set(key, anyValueOf(value, depth));
  }
  return attributes;
}

function anyValueOf(any: unknown, depth: number): Value {
  const value = objectOf(any);
  if (value === null || depth > DEPTH) return null;
  if (typeof value.stringValue === "string") return value.stringValue;
  if (typeof value.boolValue === "boolean") return value.boolValue;
  if (value.intValue !== undefined) return integerOf(value.intValue);
  if (value.doubleValue !== undefined) return numberOf(value.doubleValue);
  if (value.bytesValue !== undefined) return bytesOf(value.bytesValue);
  if (value.arrayValue !== undefined) {
    return objectsIn(objectOf(value.arrayValue)?.values).map((entry) => anyValueOf(entry, depth + 1));
  }
  if (value.kvlistValue !== undefined) return attributesOf(objectOf(value.kvlistValue)?.values, depth + 1);
  return null;
}

function integerOf(value: unknown): Value {
  if (typeof value !== "string" || !/^-?\d{1,20}$/.test(value)) return numberOf(value);
  return Number.isSafeInteger(Number(value)) ? Number(value) : value;
}

function numberOf(value: unknown): number | null {
  const number = typeof value === "string" && value !== "" ? Number(value) : value;
  return typeof number === "number" && Number.isFinite(number) ? number : null;
}

function bytesOf(value: unknown): Value {
  return Buffer.isBuffer(value) ? value.toString("base64") : stringOf(value);
}

/** An id of so many bytes: hex text of either case, or bytes; an id of zeros is none. */
function idOf(value: unknown, bytes: number): string | null {
  const hex = Buffer.isBuffer(value) ? value.toString("hex") : typeof value === "string" ? value.toLowerCase() : "";
  return hex.length === 2 * bytes && /^[0-9a-f]+$/.test(hex) && !/^0+$/.test(hex) ? hex : null;
}

/** Milliseconds of a time in nanoseconds; 0 is unknown, and so is what no clock shows. */
function millisOf(value: unknown): number | null {
  const text = typeof value === "number" && Number.isFinite(value) ? String(BigInt(Math.trunc(value))) : value;
  if (typeof text !== "string" || !/^\d{7,19}$/.test(text)) return null;
  return Number(text.slice(0, -6));
}

function objectOf(value: unknown): Message | null {
  return typeof value === "object" && value !== null && !Array.isArray(value) ? (value as Message) : null;
}

function objectsIn(value: unknown): Message[] {
  return Array.isArray(value) ? value.filter((entry): entry is Message => objectOf(entry) !== null) : [];
}

function stringOf(value: unknown): string | null {
  return typeof value === "string" && value !== "" ? value : null;
}

function shown(value: unknown): string {
  const text = Buffer.isBuffer(value) ? value.toString("hex") : (JSON.stringify(value) ?? "none");
  return text.length > 60 ? `${text.slice(0, 60)}…` : text;
}
