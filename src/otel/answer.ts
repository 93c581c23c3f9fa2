import type { SignalName } from "./signals.js";
import type { Encoding } from "./wire/decode.js";

/** An answer of the receiver, as OTLP/HTTP wants it. */
export interface Answer {
  status: number;
  type: string;
  body: Buffer | string;
  headers: Record<string, string>;
}

const TYPES: Record<Encoding, string> = { json: "application/json", protobuf: "application/x-protobuf" };

/** What the field of the response is called in which the signal counts what it rejected. */
const REJECTED: Record<SignalName, string> = {
  traces: "rejectedSpans",
  logs: "rejectedLogRecords",
  metrics: "rejectedDataPoints",
};

/** Everything was stored, but for `rejected` items that never can be. */
export async function accepted(
  signal: SignalName,
  encoding: Encoding,
  rejected: number,
  reason: string | null,
): Promise<Answer> {
  const partial = rejected > 0 || reason !== null;
  const errorMessage = reason ?? "";
  if (encoding === "json") {
    const body = partial ? { partialSuccess: { [REJECTED[signal]]: String(rejected), errorMessage } } : {};
    return { status: 200, type: TYPES.json, body: JSON.stringify(body), headers: {} };
  }
  const { responseType } = await import("./wire/protobuf.js");
  const message = responseType.create(partial ? { partialSuccess: { rejected, errorMessage } } : {});
  return { status: 200, type: TYPES.protobuf, body: Buffer.from(responseType.encode(message).finish()), headers: {} };
}

/** Nothing was stored. The body is a `google.rpc.Status` in the encoding of the request, or plain text without one. */
export async function refused(
  status: number,
  message: string,
  encoding: Encoding | null,
  headers: Record<string, string> = {},
): Promise<Answer> {
  if (encoding === null) return { status, type: "text/plain; charset=utf-8", body: `${message}\n`, headers };
  const said = { code: CODES[status] ?? 13, message };
  if (encoding === "json") return { status, type: TYPES.json, body: JSON.stringify(said), headers };
  const { statusType } = await import("./wire/protobuf.js");
  const body = Buffer.from(statusType.encode(statusType.create(said)).finish());
  return { status, type: TYPES.protobuf, body, headers };
}

/** Codes of gRPC for the statuses of HTTP: invalid argument, resource exhausted, unavailable; else internal. */
const CODES: Record<number, number> = { 400: 3, 413: 8, 415: 3, 429: 8, 503: 14 };
