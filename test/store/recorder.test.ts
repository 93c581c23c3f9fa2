import { test } from "uvu";
import * as assert from "uvu/assert";
import type { Recorder, SourceBatch } from "../../src/events/sink.js";
import { Failure } from "../../src/failure.js";
import { openStore } from "../../src/store/open.js";
import { storeRecorder } from "../../src/store/recorder.js";
import { type StoreSink, storeSink } from "../../src/store/sink.js";
import { NOON, request } from "../support/events.js";
import { ended, start } from "../support/process.js";
import { storeOf } from "../support/store.js";

const nothing = { added: {}, known: 0, copies: 0, tenantConflicts: 0, forgotten: 0, refused: [] };

/** A sink that remembers the sizes of its batches, or fails. */
function sinkThat(answers: (part: SourceBatch) => void): { sink: StoreSink; sizes: number[] } {
  const sizes: number[] = [];
  const append = ([part]: SourceBatch[]) => {
    answers(part!);
    sizes.push(part!.events.length);
    return nothing;
  };
  return { sink: { cursorOf: () => null, append, appendNow: append }, sizes };
}

const source = { kind: "runtime" as const, format: "test", locator: "run" };
const turns = () => new Promise((resolve) => setTimeout(resolve, 20));
/** Waits until so many batches were written: a busy machine may need longer than one turn. */
const written = async (sizes: number[], batches: number) => {
  for (let waited = 0; waited < 250 && sizes.length < batches; waited += 1) await turns();
};
const recordMany = (recorder: Recorder, count: number) => {
  for (let i = 0; i < count; i += 1) recorder.record(request());
};

test("recording writes nothing now, and little at once later", async () => {
  const { sink, sizes } = sinkThat(() => {});
  const recorder = storeRecorder(sink, source);
  recordMany(recorder, 150);
  assert.equal(sizes, []);
  await written(sizes, 3);
  assert.equal(sizes, [64, 64, 22]);
  recordMany(recorder, 1);
  await written(sizes, 4);
  assert.equal(sizes, [64, 64, 22, 1]);
});

test("flushing waits for everything recorded so far", async () => {
  const store = storeOf();
  const recorder = storeRecorder(storeSink(store, { nowMs: () => NOON, machine: null }), source);
  recordMany(recorder, 200);
  await recorder.flush();
  assert.is(store.raw.prepare("SELECT count(*) FROM requests").pluck().get(), 200);
  assert.equal(recorder.lost, { count: 0, lastReason: null });
  store.cleanup();
});

test("a store that fails costs events, which are counted, and never throws", async () => {
  const { sink } = sinkThat(() => {
    throw new Failure("store.full", "no space left");
  });
  const recorder = storeRecorder(sink, source);
  recordMany(recorder, 70);
  await recorder.flush();
  assert.equal(recorder.lost, { count: 70, lastReason: "no space left" });
});

test("an event that is refused is lost alone", async () => {
  const store = storeOf();
  const recorder = storeRecorder(storeSink(store, { nowMs: () => NOON, machine: null }), source);
  recordMany(recorder, 5);
  recorder.record(request({ outputTokens: Number.NaN }));
  recorder.record(null as never);
  recordMany(recorder, 5);
  await recorder.flush();
  assert.is(store.raw.prepare("SELECT count(*) FROM requests").pluck().get(), 10);
  assert.is(recorder.lost.count, 2);
  store.cleanup();
});

test("a closed store is no reason to throw", async () => {
  const store = storeOf();
  const recorder = storeRecorder(storeSink(store, { nowMs: () => NOON, machine: null }), source);
  store.close();
  recordMany(recorder, 2);
  await recorder.flush();
  assert.is(recorder.lost.count, 2);
  store.cleanup();
});

test("more events than can wait are counted as lost", async () => {
  const { sink, sizes } = sinkThat(() => {});
  const recorder = storeRecorder(sink, source, () => {});
  recordMany(recorder, 10_003);
  assert.is(recorder.lost.count, 3);
  await recorder.flush();
  assert.is(
    sizes.reduce((sum, size) => sum + size, 0),
    10_000,
  );
});

test("while somebody else writes, the agent goes on, and everything is written afterwards", async () => {
  const store = storeOf();
  const other = openStore(store.path, { mode: "write", nowMs: NOON });
  const count = () => store.raw.prepare("SELECT count(*) FROM requests").pluck().get();
  other.raw.exec("BEGIN IMMEDIATE");
  const delays: number[] = [];
  const recorder = storeRecorder(storeSink(store, { nowMs: () => NOON, machine: null }), source, (work, delayMs) => {
    delays.push(delayMs);
    setTimeout(work, Math.min(delayMs, 5));
  });
  const started = Date.now();
  recordMany(recorder, 100);
  while (delays.length < 9) await new Promise((resolve) => setTimeout(resolve, 5));
  assert.ok(Date.now() - started < 2_000, "no turn of the loop waited for the lock");
  assert.equal(delays.slice(0, 9), [0, 10, 20, 40, 80, 160, 320, 640, 1_000]);
  assert.equal([count(), recorder.lost.count], [0, 0]);
  other.raw.exec("COMMIT");
  while (count() !== 100) await turns();
  assert.is(recorder.lost.count, 0);
  other.close();
  store.cleanup();
});

test("flushing waits for somebody else who writes", async () => {
  const store = storeOf();
  store.raw.pragma("busy_timeout = 20");
  const other = openStore(store.path, { mode: "write", nowMs: NOON });
  other.raw.exec("BEGIN IMMEDIATE");
  const recorder = storeRecorder(storeSink(store, { nowMs: () => NOON, machine: null }), source, () => {});
  recordMany(recorder, 3);
  const started = Date.now();
  await recorder.flush();
  assert.ok(Date.now() - started > 100, "it asked more than once");
  assert.equal([recorder.lost.count, /locked/.test(recorder.lost.lastReason!)], [3, true]);
  other.raw.exec("COMMIT");
  other.close();
  store.cleanup();
});

test("nothing recorded is lost when the process ends, even by an uncaught error", async () => {
  for (const way of ["normally", "thrown"]) {
    const store = storeOf();
    store.close();
    const { code } = await ended(start("record-child.ts", [store.path, way], "ignore"));
    assert.is(code, way === "thrown" ? 1 : 0);
    const after = openStore(store.path, { mode: "read", nowMs: NOON });
    assert.is(after.raw.prepare("SELECT count(*) FROM requests").pluck().get(), 10);
    after.close();
    store.cleanup();
  }
});

test.run();
