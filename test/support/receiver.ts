/** A receiver in this process, over a store of its own. */
import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { otlpServer } from "../../src/otel/server.js";
import { storeSink } from "../../src/store/sink.js";
import { NOON } from "./events.js";
import { storeOf, type TestStore } from "./store.js";

export interface TestReceiver {
  url: string;
  port: number;
  store: TestStore;
  troubles: string[];
  post(path: string, body: string | Buffer, headers?: Record<string, string>): Promise<Response>;
  close(): Promise<void>;
}

export async function receiver(tenant: string | null = null): Promise<TestReceiver> {
  const store = storeOf();
  const troubles: string[] = [];
  const server = otlpServer({
    sink: storeSink(store, { nowMs: () => NOON, machine: null }),
    tenant,
    hosts: [],
    onStored: () => {},
    onTrouble: (line) => troubles.push(line),
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  const url = `http://127.0.0.1:${port}`;
  return {
    url,
    port,
    store,
    troubles,
    post: (path, body, headers = {}) =>
      fetch(url + path, { method: "POST", body, headers: { "content-type": "application/json", ...headers } }),
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
      store.cleanup();
    },
  };
}

let made = 0;

/** A body with one inference span of the conventions; each call makes another span. */
export function oneSpan(more: Record<string, unknown> = {}, attributes: Record<string, string | number> = {}) {
  made += 1;
  const entries = {
    "gen_ai.operation.name": "chat",
    "gen_ai.provider.name": "anthropic",
    "gen_ai.response.model": "claude-x",
    "gen_ai.conversation.id": "s",
    "gen_ai.usage.input_tokens": 100,
    "gen_ai.usage.output_tokens": 7,
    ...attributes,
  };
  const span = {
    traceId: (1_000 + made).toString(16).padStart(32, "a"),
    spanId: made.toString(16).padStart(16, "b"),
    name: "chat claude-x",
    kind: 3,
    startTimeUnixNano: "1790000000000000000",
    endTimeUnixNano: "1790000001000000000",
    attributes: Object.entries(entries).map(([key, value]) => ({
      key,
      value: typeof value === "number" ? { intValue: value } : { stringValue: value },
    })),
    ...more,
  };
  return { resourceSpans: [{ resource: {}, scopeSpans: [{ scope: { name: "test" }, spans: [span] }] }] };
}
