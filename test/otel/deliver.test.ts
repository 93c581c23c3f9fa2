import * as fc from "fast-check";
import { test } from "uvu";
import * as assert from "uvu/assert";
import { backOffMs, type DeliverOptions, deliver, type Reply } from "../../src/otel/deliver.js";
import { encodeSpans } from "../../src/otel/encode.js";
import { type Endpoint, endpointOf } from "../../src/otel/endpoint.js";
import { bodiesOf } from "../../src/otel/export.js";
import { poster } from "../../src/otel/post.js";
import type { OutSpan } from "../../src/otel/spans.js";
import { storedOutbox } from "../../src/store/outbox.js";
import { type Collector, collector, type Script } from "../support/collector.js";
import { storeOf, type TestStore } from "../support/store.js";

const hex = (n: number, length: number) => n.toString(16).padStart(length, "0");
const spans = (count: number, more: Partial<OutSpan> = {}): OutSpan[] =>
  Array.from({ length: count }, (_, i) => ({
    traceId: hex(1, 32),
    spanId: hex(i + 1, 16),
    parentId: null,
    name: `span ${i}`,
    kind: "internal",
    startMs: 1_000,
    endMs: 2_000,
    failed: false,
    service: "agent",
    attributes: {},
    events: [],
    ...more,
  }));

/** A clock that only sleeping moves. */
function clock() {
  let now = 0;
  const slept: number[] = [];
  return {
    slept,
    nowMs: () => now,
    sleep: async (ms: number) => {
      slept.push(ms);
      now += ms;
    },
  };
}

interface Trial {
  store: TestStore;
  target: string;
  options: DeliverOptions;
  slept: number[];
}

function trial(post: DeliverOptions["post"], bodies: OutSpan[][], more: Partial<DeliverOptions> = {}): Trial {
  const store = storeOf();
  const { nowMs, sleep, slept } = clock();
  storedOutbox<OutSpan>(store).add("t", bodies);
  const options = { post, nowMs, sleep, timeoutMs: 30_000, random: () => 0.5, stopped: () => false, ...more };
  return { store, target: "t", options, slept };
}

async function run({ store, target, options }: Trial) {
  const result = await deliver(storedOutbox<OutSpan>(store), target, options);
  const left = storedOutbox<OutSpan>(store).waiting(target).length;
  return { ...result, left };
}

const accepted: Reply = { kind: "accepted", rejected: 0, message: null };

/** Answers one after the other; the last one for good. */
function replies(...list: Reply[]): DeliverOptions["post"] {
  let at = 0;
  return async () => list[Math.min(at++, list.length - 1)]!;
}

test("everything that is taken leaves the outbox", async () => {
  const { sent, accepted: taken, left } = await run(trial(replies(accepted), [spans(3), spans(2)]));
  assert.equal([sent, taken, left], [5, 5, 0]);
});

test("what a receiver rejects is counted and not tried again", async () => {
  const {
    accepted: taken,
    rejected,
    left,
    reasons,
  } = await run(trial(replies({ kind: "accepted", rejected: 1, message: "one is too old" }), [spans(3)]));
  assert.equal([taken, rejected, left, reasons], [2, 1, 0, ["one is too old"]]);
});

test("a busy receiver is asked again when it said, else later and later", async () => {
  const again = (afterMs: number | null): Reply => ({ kind: "again", afterMs, why: "busy" });
  const told = trial(replies(again(2_000), again(null), again(null), accepted), [spans(1)]);
  assert.is((await run(told)).accepted, 1);
  assert.equal(told.slept, [2_000, 1_500, 2_250]);
});

test("without any success sending ends at the deadline, and what is left stays", async () => {
  const down = trial(replies({ kind: "again", afterMs: null, why: "refused" }), [spans(4)]);
  const { pending, sent, left } = await run(down);
  assert.equal([pending, sent, left], [4, 4, 1]);
  assert.ok(down.options.nowMs() <= 30_000);
});

test("an answer that only a person can change ends sending at once", async () => {
  const stop = trial(replies({ kind: "stop", why: "401" }), [spans(1), spans(1)]);
  assert.is((await run(stop)).pending, 2);
  assert.equal(stop.slept, []);
});

test("a body that is too large is halved until only the span that is too large is left", async () => {
  const big = new Set(["span 2"]);
  const post: DeliverOptions["post"] = async (body) =>
    body.length > 2 || body.some(({ name }) => big.has(name)) ? { kind: "split", why: "413" } : accepted;
  const result = await run(trial(post, [spans(7)]));
  assert.equal([result.accepted, result.rejected, result.left], [6, 1, 0]);
  assert.equal(result.unsendable, [hex(3, 16)]);
});

test("sent is always accepted, rejected and pending together", async () => {
  const reply = fc.oneof(
    fc.record({ kind: fc.constant("accepted" as const), rejected: fc.nat(9), message: fc.constant(null) }),
    fc.record({ kind: fc.constant("split" as const), why: fc.constant("413") }),
    fc.record({ kind: fc.constant("again" as const), afterMs: fc.option(fc.nat(40_000)), why: fc.constant("503") }),
    fc.record({ kind: fc.constant("stop" as const), why: fc.constant("401") }),
  );
  await fc.assert(
    fc.asyncProperty(
      fc.array(reply, { minLength: 1, maxLength: 12 }),
      fc.integer({ min: 1, max: 9 }),
      async (list, count) => {
        const held = trial(replies(...list), [spans(count), spans(1)]);
        const { sent, accepted: taken, rejected, pending } = await run(held);
        assert.is(sent, count + 1);
        assert.is(taken + rejected + pending, sent);
        held.store.cleanup();
      },
    ),
    { numRuns: 40 },
  );
});

test("waiting grows to half a minute and no further", () => {
  assert.equal(
    [0, 1, 2, 20].map((tries) => backOffMs(tries, 0.5)),
    [1_000, 1_500, 2_250, 30_000],
  );
  assert.is(backOffMs(0, 0), 800);
});

/** Delivers over a real socket. */
async function overHttp(script: Script, bodies: OutSpan[][], given: Partial<Endpoint> = {}) {
  const peer: Collector = await collector(script);
  const endpoint = { ...endpointOf({ endpoint: peer.url }, {}, "traces"), ...given };
  const post = await poster(endpoint, { version: "0.0.0", variables: {}, nowMs: () => 0 });
  const held = trial((body) => post(encodeSpans(body, { encoding: endpoint.encoding, version: "0.0.0" })), bodies);
  const result = await run(held);
  await peer.close();
  held.store.cleanup();
  return { peer, ...result };
}

test("protobuf, JSON and gzip arrive whole, at one path", async () => {
  for (const given of [{}, { encoding: "json" as const }, { gzip: true }]) {
    const { peer, accepted: taken } = await overHttp(() => undefined, [spans(5)], given);
    assert.is(taken, 5);
    assert.is(peer.accepted.size, 5);
    assert.equal(
      peer.requests.map(({ path }) => path),
      ["/v1/traces"],
    );
  }
});

test("a login page with status 200 is a failure", async () => {
  const page = { status: 200, type: "text/html", body: "<html>log in</html>" };
  const { pending, reasons } = await overHttp(() => page, [spans(2)]);
  assert.is(pending, 2);
  assert.match(reasons[0] ?? "", /no OTLP receiver/);
});

test("a partial success over JSON is read, whatever the request was", async () => {
  const partial = { status: 200, body: '{"partialSuccess":{"rejectedSpans":"1","errorMessage":"too old"}}' };
  const { accepted: taken, rejected, reasons } = await overHttp(() => partial, [spans(3)]);
  assert.equal([taken, rejected, reasons], [2, 1, ["too old"]]);
});

test("30 % busy, a limit of bytes, hang-ups and an outage: everything arrives, nothing twice", async () => {
  let state = 1;
  const random = () => {
    state = (state * 48_271) % 2_147_483_647;
    return state / 2_147_483_647;
  };
  const script: Script = (_, nth, bytes) => {
    if (bytes > 20_000) return { status: 413 };
    if (nth > 10 && nth < 16) return { hangUp: true };
    if (random() < 0.3) return { status: 503, headers: random() < 0.5 ? { "retry-after": "1" } : {} };
    return undefined;
  };
  const many = bodiesOf(spans(2_000, { attributes: { text: "x".repeat(60) } }));
  const { peer, accepted: taken, pending, left } = await overHttp(script, many);
  assert.equal([taken, pending, left], [2_000, 0, 0]);
  assert.is(peer.accepted.size, 2_000);
  assert.ok([...peer.accepted.values()].every((times) => times === 1));
});

test.run();
