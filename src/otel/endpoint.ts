import { Failure } from "../failure.js";
import type { Encoding } from "./wire/decode.js";

/** Where and how to send. */
export interface Endpoint {
  url: string;
  encoding: Encoding;
  headers: Record<string, string>;
  gzip: boolean;
  /** For one request. */
  requestTimeoutMs: number;
  /** Paths of PEM files; null where the usual ones serve. */
  tls: { ca: string | null; cert: string | null; key: string | null };
  /** What the person should know before anything is sent. */
  warnings: string[];
}

export interface EndpointFlags {
  endpoint?: string | undefined;
  protocol?: string | undefined;
  header?: string[] | undefined;
}

type Variables = Record<string, string | undefined>;
type Signal = "traces" | "metrics";

/**
 * The flags, else the standard variables, those of the signal before the general ones. A base URL and a full one are
 * both right for --endpoint and OTEL_EXPORTER_OTLP_ENDPOINT; a URL of one signal is used as it stands. Fails before
 * anything is sent on what cannot be meant; values of headers are never repeated.
 */
export function endpointOf(flags: EndpointFlags, variables: Variables, signal: Signal): Endpoint {
  if (variables.OTEL_SDK_DISABLED?.toLowerCase() === "true") {
    throw new Failure("export.disabled", "OTEL_SDK_DISABLED is set: nothing is sent", {
      tries: ["env -u OTEL_SDK_DISABLED sonny trace export"],
    });
  }
  const said = (name: string) =>
    variables[`OTEL_EXPORTER_OTLP_${signal.toUpperCase()}_${name}`] || variables[`OTEL_EXPORTER_OTLP_${name}`] || null;
  const { url, warnings } = urlOf(flags.endpoint, variables, signal);
  return {
    url,
    warnings,
    encoding: encodingOf(flags.protocol ?? said("PROTOCOL") ?? "http/protobuf"),
    headers: { ...headersIn(said("HEADERS")), ...Object.fromEntries((flags.header ?? []).map(headerOf)) },
    gzip: gzipOf(said("COMPRESSION")),
    requestTimeoutMs: timeoutOf(said("TIMEOUT")),
    tls: { ca: said("CERTIFICATE"), cert: said("CLIENT_CERTIFICATE"), key: said("CLIENT_KEY") },
  };
}

function urlOf(flag: string | undefined, variables: Variables, signal: Signal): { url: string; warnings: string[] } {
  const own = variables[`OTEL_EXPORTER_OTLP_${signal.toUpperCase()}_ENDPOINT`];
  if (flag === undefined && own) {
    const url = parsed(own);
    const warnings = url.pathname === "/" ? [`${url.href} has no path; most receivers expect /v1/${signal}`] : [];
    return { url: url.href, warnings };
  }
  const url = parsed(flag ?? (variables.OTEL_EXPORTER_OTLP_ENDPOINT || "http://localhost:4318"));
  const path = url.pathname.replace(/\/+$/, "");
  const bare = path.replace(/\/v1\/(traces|logs|metrics)$/, "");
  url.pathname = `${bare}/v1/${signal}`;
  return { url: url.href, warnings: [] };
}

function parsed(text: string): URL {
  const url = URL.canParse(text) ? new URL(text) : null;
  if (url === null || !["http:", "https:"].includes(url.protocol)) {
    throw new Failure("export.endpoint", `"${withoutUser(text)}" is not a http or https URL`, {
      tries: ["--endpoint http://localhost:4318"],
    });
  }
  return url;
}

/** The URL as it may be shown: without a name and password in it. */
export function withoutUser(url: string): string {
  return url.replace(/\/\/[^/@]*@/, "//");
}

function encodingOf(protocol: string): Encoding {
  if (protocol === "http/protobuf") return "protobuf";
  if (protocol === "http/json") return "json";
  const grpc = protocol === "grpc";
  throw new Failure(
    "export.protocol",
    grpc ? "gRPC is not spoken here, only OTLP over HTTP" : `"${protocol}" is no OTLP protocol`,
    { tries: ["--protocol http/protobuf", "--protocol http/json"] },
  );
}

/** `k=v,k2=v2` with percent-encoded values. */
function headersIn(text: string | null): Record<string, string> {
  const entries = (text ?? "").split(",").filter((entry) => entry.trim() !== "");
  return Object.fromEntries(
    entries.map((entry) => {
      const [name, value] = headerOf(entry);
      try {
        return [name, decodeURIComponent(value)];
      } catch {
        throw badHeader(`the value of header ${name} holds a % that encodes nothing; write %25 for a percent sign`);
      }
    }),
  );
}

function headerOf(text: string): [name: string, value: string] {
  const at = text.indexOf("=");
  const name = text.slice(0, Math.max(0, at)).trim().toLowerCase();
  if (at <= 0 || !/^[!#$%&'*+.^_`|~0-9a-z-]+$/.test(name)) {
    const shown = /^[\w-]+/.exec(text.trim())?.[0] ?? "a header";
    throw badHeader(`${shown}: a header is written name=value`);
  }
  const value = text.slice(at + 1).trim();
  if (/[\0\r\n]/.test(value)) throw badHeader(`the value of header ${name} holds a line break`);
  return [name, value];
}

function badHeader(message: string): Failure {
  return new Failure("export.header", message, { tries: ["--header authorization='Bearer …'"] });
}

function gzipOf(compression: string | null): boolean {
  if (compression === null || compression === "none") return false;
  if (compression === "gzip") return true;
  throw new Failure("export.compression", `"${compression}" is no compression that OTLP knows`, {
    tries: ["OTEL_EXPORTER_OTLP_COMPRESSION=gzip"],
  });
}

const REQUEST_TIMEOUT_MS = 10_000;

function timeoutOf(text: string | null): number {
  if (text === null) return REQUEST_TIMEOUT_MS;
  const ms = Number(text);
  if (Number.isInteger(ms) && ms > 0) return ms;
  throw new Failure("export.timeout", `OTEL_EXPORTER_OTLP_TIMEOUT is "${text}", not a number of milliseconds`, {
    tries: ["OTEL_EXPORTER_OTLP_TIMEOUT=10000"],
  });
}
