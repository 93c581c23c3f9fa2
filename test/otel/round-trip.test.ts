import { resolve } from "node:path";
import { test } from "uvu";
import * as assert from "uvu/assert";
import { checkSession } from "../../src/diagnostics/checks/session.js";
import { contextStats } from "../../src/diagnostics/stats.js";
import type { SessionEvent } from "../../src/events/event.js";
import { encodeSpans } from "../../src/otel/encode.js";
import { ownAttributes, ownEvent } from "../../src/otel/own.js";
import { receive } from "../../src/otel/receive.js";
import { type OutSpan, spansOf } from "../../src/otel/spans.js";
import { decode, type Encoding } from "../../src/otel/wire/decode.js";
import type { Store } from "../../src/store/open.js";
import { eventsOf } from "../../src/store/read.js";
import { storeSink } from "../../src/store/sink.js";
import { PLAIN, PLAIN_STATS } from "../support/ask.js";
import * as make from "../support/events.js";
import { importedPaths } from "../support/import.js";
import { storeOf, type TestStore } from "../support/store.js";
import { richSession } from "../support/stories.js";

async function spansIn(store: Store): Promise<OutSpan[]> {
  const sessions = store.raw.prepare("SELECT id FROM sessions ORDER BY id").pluck().all() as number[];
  const all: OutSpan[] = [];
  for (const session of sessions) {
    const inherited = new Set<SessionEvent>();
    const events = await eventsOf(store.db, session, inherited);
    all.push(...spansOf(events, { latest: false, texts: null, inherited }));
  }
  return all;
}

async function sentOn(store: Store, encoding: Encoding): Promise<TestStore> {
  const other = storeOf();
  const sink = storeSink(other, { nowMs: () => make.NOON, machine: null });
  const spans = await spansIn(store);
  // In small bodies and backwards, as networks do.
  for (let end = spans.length; end > 0; end -= 7) {
    const body = encodeSpans(spans.slice(Math.max(0, end - 7), end), { encoding, version: "0.0.0" });
    const { rejected, reason } = receive(sink, await decode(Buffer.from(body), "traces", encoding), null);
    assert.is(rejected, 0, reason ?? undefined);
  }
  return other;
}

/** What a round trip keeps: every figure and verdict; not the names of sources, and notes about reading them. */
async function figuresOf(store: Store) {
  const { coverage, ...all } = await contextStats(store.db, {}, PLAIN_STATS);
  const { sources: _, notes: __, ...covered } = coverage;
  const sessions = store.raw
    .prepare(
      "SELECT s.session_id AS session, w.text AS agent FROM sessions s JOIN words w ON w.id = s.agent ORDER BY 1, 2",
    )
    .all() as { session: string; agent: string }[];
  const verdicts = [];
  for (const { session, agent } of sessions) {
    const { checks } = await checkSession(store.db, { session, agent }, PLAIN);
    verdicts.push({ session, checks: checks.map(({ id, verdict: end, violations }) => [id, end, violations]) });
  }
  return JSON.parse(JSON.stringify({ ...all, covered, verdicts }, (name, value) => (SOURCES.has(name) ? null : value)));
}

const SOURCES = new Set(["source", "line", "locator"]);

const rich = () => richSession("s", { agent: "mine", tenant: "acme", lane: "main", model: "m", atMs: make.NOON });

const TRANSCRIPTS = resolve("fixtures/transcripts");

for (const encoding of ["protobuf", "json"] as const) {
  test(`stats and verdicts of transcripts are the same after a round trip over ${encoding}`, async () => {
    const held = importedPaths([TRANSCRIPTS]);
    const other = await sentOn(held.store, encoding);
    assert.equal(await figuresOf(other), await figuresOf(held.store));
    other.cleanup();
    held.cleanup();
  });
}

test("a session with every kind of fact is the same after a round trip", async () => {
  const store = storeOf(...rich());
  const other = await sentOn(store, "protobuf");
  assert.equal(await figuresOf(other), await figuresOf(store));
  other.cleanup();
  store.cleanup();
});

test("spans that come back to the store they came from change no figure", async () => {
  const held = importedPaths([TRANSCRIPTS]);
  const before = await figuresOf(held.store);
  const sink = storeSink(held.store, { nowMs: () => make.NOON, machine: null });
  const body = encodeSpans(await spansIn(held.store), { encoding: "protobuf", version: "0.0.0" });
  receive(sink, await decode(Buffer.from(body), "traces", "protobuf"), null);
  assert.equal(await figuresOf(held.store), before);
  held.cleanup();
});

test("exporting twice gives the same bytes", async () => {
  const held = importedPaths([TRANSCRIPTS]);
  for (const encoding of ["protobuf", "json"] as const) {
    const [one, two] = await Promise.all([spansIn(held.store), spansIn(held.store)]);
    const bytes = (spans: OutSpan[]) => Buffer.from(encodeSpans(spans, { encoding, version: "0.0.0" }));
    assert.ok(bytes(one).equals(bytes(two)));
  }
  held.cleanup();
});

test("ids are whole, every parent is sent, times are in order, and a trace is at most one turn", async () => {
  const held = importedPaths([TRANSCRIPTS]);
  const spans = await spansIn(held.store);
  const ids = new Set(spans.map(({ traceId, spanId }) => `${traceId} ${spanId}`));
  assert.is(ids.size, spans.length);
  for (const { traceId, spanId, parentId, startMs, endMs } of spans) {
    assert.match(traceId, /^[0-9a-f]{32}$/);
    assert.match(spanId, /^[0-9a-f]{16}$/);
    if (parentId !== null) assert.ok(ids.has(`${traceId} ${parentId}`));
    assert.ok(startMs <= endMs);
  }
  const roots = spans.filter(({ parentId }) => parentId === null);
  assert.is(new Set(roots.map(({ traceId }) => traceId)).size, roots.length);
  held.cleanup();
});

test("input is sent with what the cache gave and took; the cache write has one name, by choice", () => {
  const event = make.request({
    uncachedTokens: 100,
    readTokens: 900,
    write5mTokens: 40,
    write1hTokens: 10,
    outputTokens: 10,
    turn: "p",
  });
  for (const latest of [false, true]) {
    const { attributes } = spansOf([event], { latest, texts: null, inherited: new Set() })[1]!;
    assert.is(attributes["gen_ai.usage.input_tokens"], 1_050);
    assert.is(attributes["gen_ai.usage.cache_read.input_tokens"], 900);
    assert.is(attributes["gen_ai.usage.cache_creation.input_tokens"], latest ? undefined : 50);
    assert.is(attributes["gen_ai.usage.cache_write.input_tokens"], latest ? 50 : undefined);
  }
});

test("what another session counts goes out without counts that others would add up", () => {
  const event = make.request({ turn: "p", uncachedTokens: 5 });
  const { attributes } = spansOf([event], { latest: false, texts: null, inherited: new Set([event]) })[1]!;
  assert.is(attributes["gen_ai.usage.input_tokens"], undefined);
  assert.is(attributes["sonny.request.uncached_tokens"], 5);
});

test("texts stay here unless they are asked for, and long ones are cut with their length", () => {
  const text = "x".repeat(100_000);
  const event = make.toolCall({ turn: "p", argumentsDigest: make.digest(text) });
  const quiet = spansOf([event], { latest: false, texts: null, inherited: new Set() });
  assert.is(quiet[1]!.attributes["gen_ai.tool.call.arguments"], undefined);
  const told = spansOf([event], { latest: false, texts: { get: () => text }, inherited: new Set() });
  const body = Buffer.from(encodeSpans(told, { encoding: "json", version: "0" })).toString();
  assert.match(body, /\(100000 characters\)/);
  assert.ok(body.length < 150_000);
});

test("the request after a compaction says that it saw a compacted view; a judgment is an evaluation", () => {
  const events = [
    make.compaction({ id: "k", turn: "p", atMs: make.NOON }),
    make.judgment("k", { turn: "p", score: 0.5 }),
    make.request({ id: "r1", turn: "p", atMs: make.NOON + 1 }),
    make.request({ id: "r2", turn: "p", atMs: make.NOON + 2 }),
  ];
  const spans = spansOf(events, { latest: false, texts: null, inherited: new Set() });
  const compacted = spans.map(({ attributes }) => attributes["gen_ai.conversation.compacted"]);
  assert.equal(compacted, [undefined, undefined, true, undefined]);
  const [evaluation] = spans[1]!.events;
  assert.is(evaluation?.name, "gen_ai.evaluation.result");
  assert.is(evaluation?.attributes["gen_ai.evaluation.score.value"], 0.5);
});

test("every kind of event comes back from its attributes as it was", () => {
  for (const event of rich()) {
    const sent = ownAttributes(event)!;
    const back = ownEvent(JSON.parse(JSON.stringify(sent)))!;
    const { items: _, facts: __, segments: ___, ...kept } = event as SessionEvent & Record<string, unknown>;
    const { items: ____, facts: _____, segments: ______, ...got } = back as SessionEvent & Record<string, unknown>;
    assert.equal(got, kept);
  }
});

test.run();
