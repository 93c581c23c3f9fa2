import { readFileSync } from "node:fs";
import { promisify } from "node:util";
import { gzip } from "node:zlib";
import type { Reply } from "./deliver.js";
import { type Endpoint, withoutUser } from "./endpoint.js";

/** Proxies of the surroundings, as the variables name them. */
export type ProxyVariables = Record<string, string | undefined>;

/**
 * Sends bodies of one signal to an endpoint. Never throws: everything that can go wrong is a reply.
 *
 * Only a 2xx answer that is itself OTLP counts: a login page does not. What it rejected is read from it.
 */
export async function poster(
  endpoint: Endpoint,
  { version, variables, nowMs }: { version: string; variables: ProxyVariables; nowMs: () => number },
): Promise<(body: Uint8Array) => Promise<Reply>> {
  const send = await sender(endpoint, variables);
  const headers: Record<string, string> = {
    "user-agent": `sonny/${version} OTel-OTLP-Exporter-JavaScript/${version}`,
    ...endpoint.headers,
    "content-type": endpoint.encoding === "json" ? "application/json" : "application/x-protobuf",
    ...(endpoint.gzip ? { "content-encoding": "gzip" } : {}),
  };
  return async (body) => {
    try {
      const bytes = endpoint.gzip ? await promisify(gzip)(body) : body;
      const signal = AbortSignal.timeout(endpoint.requestTimeoutMs);
      const response = await send(endpoint.url, { method: "POST", headers, body: bytes, redirect: "manual", signal });
      return await replyOf(response, endpoint, nowMs());
    } catch (error) {
      return { kind: "again", afterMs: null, why: `${withoutUser(endpoint.url)}: ${reasonOf(error)}` };
    }
  };
}

type Send = (url: string, init: RequestInit) => Promise<Response>;

/** Node's own fetch knows neither proxies nor certificates of one's own: undici does. */
async function sender({ tls }: Endpoint, variables: ProxyVariables): Promise<Send> {
  const proxied = ["http_proxy", "HTTP_PROXY", "https_proxy", "HTTPS_PROXY"].some((name) => variables[name]);
  const secured = tls.ca !== null || tls.cert !== null || tls.key !== null;
  if (!proxied && !secured) return fetch;
  // One object, whether it was bundled or not.
  const { default: undici } = await import("undici");
  const read = (path: string | null) => (path === null ? {} : readFileSync(path));
  const connect = secured
    ? Object.fromEntries(Object.entries(tls).flatMap(([name, path]) => (path === null ? [] : [[name, read(path)]])))
    : {};
  const dispatcher = proxied
    ? new undici.EnvHttpProxyAgent({ requestTls: connect } as never)
    : new undici.Agent({ connect });
  return (url, init) => undici.fetch(url, { ...init, dispatcher } as never) as unknown as Promise<Response>;
}

const RETRYABLE = new Set([429, 502, 503, 504]);
const ANSWER_BYTES = 4 * 1024 * 1024;

async function replyOf(response: Response, { encoding, url }: Endpoint, nowMs: number): Promise<Reply> {
  const { status } = response;
  const body = await bytesOf(response);
  const where = withoutUser(url);
  if (RETRYABLE.has(status)) {
    const afterMs = retryAfterMs(response.headers.get("retry-after"), nowMs);
    return { kind: "again", afterMs, why: `${where} answered ${status}` };
  }
  if (status === 413) return { kind: "split", why: `${where} answered 413: the body is too large for it` };
  if (status === 400 || status === 422) return { kind: "split", why: `${where} answered ${status}${said(body)}` };
  if (status < 200 || status > 299) return { kind: "stop", why: `${where} answered ${status}${said(body)}` };
  const type = (response.headers.get("content-type") ?? "").split(";")[0]!.trim().toLowerCase();
  if (body.length > 0 && !["", "application/json", "application/x-protobuf"].includes(type)) {
    return { kind: "stop", why: `${where} answered ${status} with ${type}: that is no OTLP receiver` };
  }
  return (
    (await partialSuccess(body, type === "" ? encoding : type.endsWith("json") ? "json" : "protobuf")) ?? {
      kind: "stop",
      why: `${where} answered ${status} with a body that is not OTLP`,
    }
  );
}

/** Null when the answer cannot be read. */
async function partialSuccess(body: Buffer, encoding: Endpoint["encoding"]): Promise<Reply | null> {
  if (body.length === 0) return { kind: "accepted", rejected: 0, message: null };
  try {
    if (encoding === "json") {
      const { partialSuccess: said } = JSON.parse(body.toString("utf8")) as {
        partialSuccess?: Record<string, unknown>;
      };
      const rejected = Number(said?.rejectedSpans ?? said?.rejectedDataPoints ?? 0);
      const message = typeof said?.errorMessage === "string" && said.errorMessage !== "" ? said.errorMessage : null;
      return { kind: "accepted", rejected: Number.isFinite(rejected) ? rejected : 0, message };
    }
    const { responseType } = await import("./wire/protobuf.js");
    const { partialSuccess: said } = responseType.toObject(responseType.decode(body), { longs: Number });
    return { kind: "accepted", rejected: said?.rejected ?? 0, message: said?.errorMessage || null };
  } catch {
    return null;
  }
}

/** Seconds, or a date; null when it is neither. */
function retryAfterMs(text: string | null, nowMs: number): number | null {
  if (text === null) return null;
  if (/^\d{1,6}$/.test(text.trim())) return 1_000 * Number(text);
  const at = Date.parse(text);
  return Number.isNaN(at) ? null : Math.max(0, at - nowMs);
}

async function bytesOf(response: Response): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of (response.body ?? []) as AsyncIterable<Uint8Array>) {
    length += chunk.length;
    if (length > ANSWER_BYTES) break;
    chunks.push(Buffer.from(chunk));
  }
  return Buffer.concat(chunks);
}

/** The beginning of what a receiver says in words. */
function said(body: Buffer): string {
  const text = body.toString("utf8").replace(/\s+/g, " ").trim();
  return text === "" || /[^\x20-\x7e]/.test(text.slice(0, 100)) ? "" : `: ${text.slice(0, 200)}`;
}

function reasonOf(error: unknown): string {
  const cause = (error as { cause?: { code?: string; message?: string } }).cause;
  if ((error as Error).name === "TimeoutError") return "no answer in time";
  return cause?.code ?? cause?.message ?? (error as Error).message;
}
