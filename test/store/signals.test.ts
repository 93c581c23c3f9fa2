import { suite } from "uvu";
import * as assert from "uvu/assert";
import type { SessionEvent } from "../../src/events/event.js";
import { NOON, request, toolCall, turn } from "../support/events.js";
import { append, storeOf, type TestStore } from "../support/store.js";

const test = suite<{ store: TestStore }>("signals");
test.before.each((context) => {
  context.store = storeOf();
});
test.after.each(({ store }) => store.cleanup());

const from = (format: string, locator = "x") => ({ source: { kind: "otlp" as const, format, locator } });
const logs = from("otlp.logs");
const spans = from("otlp.traces", "1");
const metrics = from("otlp.metrics");
const transcript = {};

type Word = [events: SessionEvent[], given: object];

/** The ids of what counts, whatever the order in which the signals came. */
function counted(store: TestStore, table = "requests"): string[] {
  return (
    store.raw
      .prepare(`SELECT output_tokens AS tokens FROM ${table} WHERE counted = 1 ORDER BY output_tokens`)
      .pluck()
      .all() as number[]
  ).map(String);
}

function inAllOrders(words: Word[], look: (store: TestStore) => void): void {
  for (const order of [words, [...words].reverse(), [...words, ...words]]) {
    const store = storeOf();
    order.forEach(([events, given]) => {
      append(store, events, "/t.jsonl", given);
    });
    look(store);
    store.cleanup();
  }
}

const at = (seconds: number) => NOON + 1_000 * seconds;
const asked = (id: string, tokens: number, seconds: number, given: Partial<ReturnType<typeof request>> = {}) =>
  request({ id, session: "s", outputTokens: tokens, atMs: at(seconds), ...given });

test("a request that transcript, log, span and metric tell counts once, from the transcript", () => {
  inAllOrders(
    [
      [[asked("t", 1, 0, { requestId: "r" })], transcript],
      [[asked("l", 2, 0, { requestId: "r" })], logs],
      [[asked("s", 3, 1, { requestId: "r" })], spans],
      [[asked("m", 4, 600)], metrics],
    ],
    (store) => assert.equal(counted(store), ["1"]),
  );
});

test("without a transcript the log records count, without them the spans, without them the sums", () => {
  const log: Word = [[asked("l", 2, 0)], logs];
  const span: Word = [[asked("s", 3, 0)], spans];
  const sum: Word = [[asked("m", 4, 0)], metrics];
  inAllOrders([log, span, sum], (store) => assert.equal(counted(store), ["2"]));
  inAllOrders([span, sum], (store) => assert.equal(counted(store), ["3"]));
  inAllOrders([sum], (store) => assert.equal(counted(store), ["4"]));
});

test("a request whose id the transcript lacks counts, where the two have ids in common", () => {
  inAllOrders(
    [
      [[asked("t", 1, 0, { requestId: "r1" })], transcript],
      [[asked("l1", 2, 0, { requestId: "r1" }), asked("l2", 3, 0, { requestId: "r2" })], logs],
    ],
    (store) => assert.equal(counted(store), ["1", "3"]),
  );
});

test("without ids in common the transcript is believed for the time it covers, and what comes later counts", () => {
  inAllOrders(
    [
      [[asked("t1", 1, 0), asked("t2", 2, 60)], transcript],
      [[asked("l1", 3, 30), asked("l2", 4, 65), asked("l3", 5, 120)], logs],
    ],
    (store) => assert.equal(counted(store), ["1", "2", "5"]),
  );
});

test("other sessions are not looked at", () => {
  inAllOrders(
    [
      [[asked("t", 1, 0)], transcript],
      [[asked("l", 2, 0, { session: "other" })], logs],
    ],
    (store) => assert.equal(counted(store), ["1", "2"]),
  );
});

test("a log record takes its shell and its turn from the span of the same request", () => {
  const shell = { shellDigest: Buffer.alloc(16, 1), shellSetDigest: Buffer.alloc(16, 2), digestAlgorithm: "a" };
  inAllOrders(
    [
      [[asked("l1", 1, 0, { turn: null }), asked("l2", 2, 20, { turn: null })], logs],
      [[turn({ session: "s", turn: "p", atMs: at(0) }), asked("s1", 3, 1, { ...shell, turn: "p" })], spans],
    ],
    (store) => {
      assert.equal(counted(store), ["1", "2"]);
      const rows = store.raw
        .prepare(
          "SELECT turn IS NOT NULL AS turn, shell_digest IS NOT NULL AS shell FROM requests WHERE counted = 1 ORDER BY at_ms",
        )
        .all();
      assert.equal(rows, [
        { turn: 1, shell: 1 },
        { turn: 0, shell: 0 },
      ]);
    },
  );
});

test("tool calls and turns are settled the same way", () => {
  const call = (id: string, callId: string | null, seconds: number) =>
    toolCall({ id, session: "s", callId, atMs: at(seconds), turn: null });
  inAllOrders(
    [
      [[call("t", "toolu_1", 0), turn({ id: "p", session: "s", turn: "p", atMs: at(0) })], transcript],
      [
        [call("l1", "toolu_1", 0), call("l2", "toolu_2", 1), turn({ id: "q", session: "s", turn: "q", atMs: at(1) })],
        logs,
      ],
    ],
    (store) => {
      const count = (table: string) =>
        store.raw.prepare(`SELECT count(*) FROM ${table} WHERE counted = 1`).pluck().get();
      assert.equal([count("tool_calls"), count("turns")], [2, 1]);
    },
  );
});

test.run();
