/** Our bodies, read by others: the official message definitions, and a receiver that somebody else wrote. */
import { createRequire } from "node:module";
import { dirname, join, resolve } from "node:path";
import protobuf from "protobufjs";
import { test } from "uvu";
import * as assert from "uvu/assert";
import { encodeSpans } from "../../src/otel/encode.js";
import { endpointOf } from "../../src/otel/endpoint.js";
import { poster } from "../../src/otel/post.js";
import { type OutSpan, spansOf } from "../../src/otel/spans.js";
import type { Encoding } from "../../src/otel/wire/decode.js";
import { eventsOf } from "../../src/store/read.js";
import { importedPaths } from "../support/import.js";

const require = createRequire(import.meta.url);
const { MockOtlpServer } = require("@elastic/mockotlpserver");
const home = dirname(require.resolve("@elastic/mockotlpserver/package.json"));

async function recorded(): Promise<OutSpan[]> {
  const held = importedPaths([resolve("fixtures/transcripts/claude-code")]);
  const sessions = held.store.raw.prepare("SELECT id FROM sessions").pluck().all() as number[];
  const spans: OutSpan[] = [];
  for (const session of sessions) {
    spans.push(
      ...spansOf(await eventsOf(held.store.db, session), { latest: false, texts: null, inherited: new Set() }),
    );
  }
  held.cleanup();
  return spans;
}

test("our protobuf is what the official definitions say, field by field", async () => {
  const root = new protobuf.Root();
  root.resolvePath = (_, target) => join(home, target);
  await root.load("opentelemetry/proto/collector/trace/v1/trace_service.proto");
  const type = root.lookupType("opentelemetry.proto.collector.trace.v1.ExportTraceServiceRequest");
  const spans = await recorded();
  const bytes = encodeSpans(spans, { encoding: "protobuf", version: "1.2.3" });
  const message = type.decode(bytes);
  assert.is(type.verify(type.toObject(message)), null);
  const told = type.toObject(message, { longs: String, bytes: String });
  const scopes = told.resourceSpans.flatMap((resource: { scopeSpans: unknown[] }) => resource.scopeSpans);
  const received = scopes.flatMap((scope: { spans: { name: string; spanId: string }[] }) => scope.spans);
  assert.is(received.length, spans.length);
  assert.equal(
    received.map(({ name }: { name: string }) => name),
    spans.map(({ name }) => name),
  );
  const attributes = (span: { attributes: { key: string }[] }) => span.attributes.map(({ key }) => key).sort();
  for (const [at, span] of received.entries()) {
    assert.equal(attributes(span as never), Object.keys(spans[at]!.attributes).sort());
  }
  assert.equal(scopes[0].scope, { name: "sonny", version: "1.2.3" });
});

for (const encoding of ["json", "protobuf"] as Encoding[]) {
  test(`a receiver of others takes our ${encoding}`, async () => {
    let taken = 0;
    const peer = new MockOtlpServer({
      services: ["http"],
      httpHostname: "127.0.0.1",
      httpPort: 0,
      logLevel: "fatal",
      onTrace: ({ resourceSpans }: { resourceSpans: { scopeSpans: { spans: unknown[] }[] }[] }) => {
        for (const { scopeSpans } of resourceSpans) for (const { spans } of scopeSpans) taken += spans.length;
      },
    });
    await peer.start();
    try {
      const spans = await recorded();
      const endpoint = {
        ...endpointOf({ endpoint: peer.httpUrl.href ?? String(peer.httpUrl) }, {}, "traces"),
        encoding,
      };
      const post = await poster(endpoint, { version: "0.0.0", variables: {}, nowMs: Date.now });
      assert.equal(await post(encodeSpans(spans, { encoding, version: "0.0.0" })), {
        kind: "accepted",
        rejected: 0,
        message: null,
      });
      assert.is(taken, spans.length);
    } finally {
      await peer.close();
    }
  });
}

test.run();
