import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { isIP, type Socket } from "node:net";
import { promisify } from "node:util";
import { gunzip } from "node:zlib";
import type { Sink } from "../events/sink.js";
import { Failure } from "../failure.js";
import { type Answer, accepted, refused } from "./answer.js";
import { type Outcome, receive } from "./receive.js";
import { type SignalName, Undecodable } from "./signals.js";
import { decode, type Encoding } from "./wire/decode.js";

export interface ServerOptions {
  sink: Sink;
  /** Whose data everything is that does not say so itself; null when nobody said. */
  tenant: string | null;
  /** Names under which the receiver may be addressed, beside addresses and `localhost`. */
  hosts: string[];
  /** Told after a body was stored. */
  onStored: (outcome: Outcome, signal: SignalName) => void;
  /** Told in one line what the person at the screen can act on. */
  onTrouble: (line: string) => void;
}

/** Largest body, before and after decompression, as OTLP recommends. */
export const BODY_BYTES = 64 * 1024 * 1024;
/** Bytes of bodies that may be on their way at once. */
const BODIES_BYTES = 256 * 1024 * 1024;
const CONNECTIONS = 256;
const TENANT_HEADER = "x-sonny-tenant";

/**
 * An OTLP/HTTP receiver, not yet listening. It stores first and answers then, in the encoding of the request.
 *
 * Pages in a browser cannot reach it: every route wants a host name of its own, no `Origin`, and a content type that a
 * page may not send without asking. It answers no questions, so there is nothing to read either.
 */
export function otlpServer(options: ServerOptions): Server {
  const load = { bytes: 0 };
  const server = createServer(
    {
      headersTimeout: 10_000,
      requestTimeout: 30_000,
      keepAliveTimeout: 10_000,
      connectionsCheckingInterval: 1_000,
      maxHeaderSize: 16 * 1024,
    },
    (request, response) => {
      answerTo(request, options, load)
        .catch((error: unknown) => broken(error, options))
        .then((answer) => send(request, response, answer));
    },
  );
  server.maxConnections = CONNECTIONS;
  server.on("clientError", (error: NodeJS.ErrnoException, socket: Socket) => {
    if (error.code === "HPE_PAUSED_H2_UPGRADE") {
      options.onTrouble("somebody speaks gRPC or HTTP/2 to this port; switch the sender to http/protobuf or http/json");
    }
    if (socket.writable) socket.end("HTTP/1.1 400 Bad Request\r\nConnection: close\r\nContent-Length: 0\r\n\r\n");
    else socket.destroy();
  });
  return server;
}

async function answerTo(request: IncomingMessage, options: ServerOptions, load: { bytes: number }): Promise<Answer> {
  if (!isAddressed(request, options.hosts)) return refused(403, "this receiver is not addressed by that name", null);
  if (request.headers.origin !== undefined || request.headers["sec-fetch-site"] === "cross-site") {
    return refused(403, "this receiver takes nothing from web pages", null);
  }
  const signal = signalOf(request.url);
  if (signal === null) return refused(404, "not found: try /v1/traces, /v1/logs or /v1/metrics", null);
  if (request.method !== "POST") return refused(405, "only POST is supported", null, { allow: "POST" });
  const encoding = ENCODINGS.get((request.headers["content-type"] ?? "").split(";")[0]!.trim().toLowerCase());
  if (encoding === undefined) {
    return refused(415, "the content type must be application/x-protobuf or application/json", null);
  }
  const compression = (request.headers["content-encoding"] ?? "identity").trim().toLowerCase();
  if (compression !== "gzip" && compression !== "identity" && compression !== "") {
    return refused(415, `the content encoding ${compression} is not supported: gzip is`, encoding);
  }
  const raw = await bodyOf(request, load);
  if (raw === "too large") return refused(413, `a body may have ${BODY_BYTES} bytes`, encoding);
  if (raw === "too many") return refused(429, "too many bodies at once", encoding, { "retry-after": "1" });
  try {
    const body = compression === "gzip" ? await unpacked(raw) : raw;
    if (body === null) return await refused(413, `a body may have ${BODY_BYTES} bytes when unpacked`, encoding);
    return await stored(body, signal, encoding, request, options);
  } catch (error) {
    if (error instanceof Undecodable) return await refused(400, error.message, encoding);
    throw error;
  } finally {
    load.bytes -= raw.length;
  }
}

async function stored(
  body: Buffer,
  signal: SignalName,
  encoding: Encoding,
  request: IncomingMessage,
  { sink, tenant, onStored, onTrouble }: ServerOptions,
): Promise<Answer> {
  try {
    const received = await decode(body, signal, encoding);
    const outcome = receive(sink, received, headerOf(request, TENANT_HEADER) ?? tenant);
    onStored(outcome, signal);
    return await accepted(signal, encoding, outcome.rejected, outcome.reason);
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    onTrouble(error.message);
    return refused(503, error.message, encoding, { "retry-after": "5" });
  }
}

/** A fault of ours: the sender may try again, nobody sees a stack. */
function broken(error: unknown, { onTrouble }: ServerOptions): Promise<Answer> {
  if (error instanceof CutOff) return refused(400, error.message, null);
  onTrouble(`a body could not be taken, please report: ${(error as Error).message}`);
  return refused(500, "internal error", null);
}

const ENCODINGS = new Map<string, Encoding>([
  ["application/json", "json"],
  ["application/x-protobuf", "protobuf"],
]);

/** Prefixes may stand before the path of the signal. */
function signalOf(url: string | undefined): SignalName | null {
  const path = (url ?? "").split("?")[0]!;
  return (/\/v1\/(traces|logs|metrics)\/?$/.exec(path)?.[1] as SignalName | undefined) ?? null;
}

/** Against names that an attacker lets point here: the host must be an address, or a name of ours. */
function isAddressed({ headers }: IncomingMessage, hosts: string[]): boolean {
  const host = (headers.host ?? "").replace(/:\d+$/, "").toLowerCase();
  return host === "localhost" || hosts.includes(host) || isIP(host.replace(/^\[|\]$/g, "")) !== 0;
}

function headerOf({ headers }: IncomingMessage, name: string): string | null {
  const value = headers[name];
  return typeof value === "string" && value.trim() !== "" ? value.trim() : null;
}

/** The whole body. What is on its way counts against the load until the caller is done with it. */
function bodyOf(request: IncomingMessage, load: { bytes: number }): Promise<Buffer | "too large" | "too many"> {
  if (Number(request.headers["content-length"] ?? 0) > BODY_BYTES) return Promise.resolve("too large");
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let length = 0;
    const giveUp = (why: "too large" | "too many") => {
      load.bytes -= length;
      length = 0;
      request.removeAllListeners("data").removeAllListeners("end").resume();
      resolve(why);
    };
    request.on("data", (chunk: Buffer) => {
      chunks.push(chunk);
      length += chunk.length;
      load.bytes += chunk.length;
      if (length > BODY_BYTES) giveUp("too large");
      else if (load.bytes > BODIES_BYTES) giveUp("too many");
    });
    request.once("end", () => resolve(Buffer.concat(chunks)));
    request.once("close", () => {
      if (request.complete) return;
      load.bytes -= length;
      reject(new CutOff("the sender hung up before the end of its body"));
    });
    request.once("error", () => {});
  });
}

class CutOff extends Error {}

const inflate = promisify(gunzip);

/** Null when the body unpacks to more than is allowed. */
async function unpacked(body: Buffer): Promise<Buffer | null> {
  try {
    return await inflate(body, { maxOutputLength: BODY_BYTES });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ERR_BUFFER_TOO_LARGE") return null;
    throw new Undecodable(`the body is not gzip: ${(error as Error).message}`);
  }
}

function send(request: IncomingMessage, response: ServerResponse, { status, type, body, headers }: Answer): void {
  if (response.destroyed) return;
  // What was not read of the body must not be taken for the next request.
  const whole = request.complete;
  response.writeHead(status, {
    "content-type": type,
    "content-length": Buffer.byteLength(body),
    "x-content-type-options": "nosniff",
    ...(whole ? {} : { connection: "close" }),
    ...headers,
  });
  response.end(body);
}
