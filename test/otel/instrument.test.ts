import { test } from "uvu";
import * as assert from "uvu/assert";
import { instrument } from "../../src/otel/instrument.js";
import { collector } from "../support/collector.js";
import { NOON, request, toolCall, turn } from "../support/events.js";

const endpoint = (url: string, encoding: "json" | "protobuf") => ({
  url: `${url}/v1/traces`,
  encoding,
  headers: { "x-a": "b" },
  gzip: false,
});

for (const encoding of ["json", "protobuf"] as const) {
  test(`a turn goes out as spans over ${encoding}, with the headers`, async () => {
    const peer = await collector();
    const recorder = instrument({ endpoint: endpoint(peer.url, encoding), version: "1" });
    recorder.record(request({ turn: "p", atMs: NOON }));
    recorder.record(toolCall({ turn: "p", atMs: NOON + 1 }));
    recorder.record(turn({ turn: "p", atMs: NOON, endedAtMs: NOON + 2 }));
    await recorder.flush();
    assert.is(peer.accepted.size, 3);
    assert.is(peer.requests[0]?.headers["x-a"], "b");
    assert.equal(recorder.lost, { count: 0, lastReason: null });
    await peer.close();
  });
}

test("what a receiver refuses is counted, and nothing throws", async () => {
  const peer = await collector(() => ({ status: 400 }));
  const recorder = instrument({ endpoint: endpoint(peer.url, "protobuf"), version: "1" });
  recorder.record(request({ turn: "p" }));
  recorder.record(null as never);
  await recorder.flush();
  assert.is(recorder.lost.count, 3);
  await peer.close();
});

test("flushing ends in time when nobody answers", async () => {
  const recorder = instrument({
    endpoint: endpoint("http://127.0.0.1:59997", "protobuf"),
    version: "1",
    flushMs: 300,
  });
  recorder.record(request({ turn: "p" }));
  await recorder.flush();
  assert.ok(true);
});

test.run();
