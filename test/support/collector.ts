/** A receiver that follows a script, and remembers every span that it accepted. */
import { createServer, type IncomingMessage, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { gunzipSync } from "node:zlib";
import type { Span } from "../../src/otel/signals.js";
import { decode } from "../../src/otel/wire/decode.js";

export interface Scripted {
  status?: number;
  body?: string;
  type?: string;
  headers?: Record<string, string>;
  /** Hang up instead of answering. */
  hangUp?: boolean;
}

/** What to answer to a body with these spans; undefined accepts it. */
export type Script = (spans: Span[], nth: number, bytes: number) => Scripted | undefined;

export interface Collector {
  url: string;
  requests: { path: string; headers: IncomingMessage["headers"]; body: Buffer }[];
  /** How often each span was accepted, by trace and span id. */
  accepted: Map<string, number>;
  close(): Promise<void>;
}

export async function collector(script: Script = () => undefined): Promise<Collector> {
  const requests: Collector["requests"] = [];
  const accepted = new Map<string, number>();
  const server: Server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", async () => {
      const raw = Buffer.concat(chunks);
      const body = request.headers["content-encoding"] === "gzip" ? gunzipSync(raw) : raw;
      requests.push({ path: request.url ?? "", headers: request.headers, body });
      const json = request.headers["content-type"] === "application/json";
      const { spans } = await decode(body, "traces", json ? "json" : "protobuf").catch(() => ({ spans: [] }));
      const answer = script(spans, requests.length, body.length);
      if (answer?.hangUp) return request.socket.destroy();
      if (answer === undefined || answer.status === 200) {
        for (const { traceId, spanId } of spans) {
          const key = `${traceId} ${spanId}`;
          accepted.set(key, (accepted.get(key) ?? 0) + 1);
        }
      }
      response.writeHead(answer?.status ?? 200, {
        "content-type": answer?.type ?? "application/json",
        ...answer?.headers,
      });
      response.end(answer?.body ?? "{}");
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests,
    accepted,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
