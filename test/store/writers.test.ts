import { rmSync, statSync } from "node:fs";
import { join } from "node:path";
import { test } from "uvu";
import * as assert from "uvu/assert";
import type { SessionEvent } from "../../src/events/event.js";
import { digestOf } from "../../src/events/identity.js";
import { openStore } from "../../src/store/open.js";
import { NOON, request } from "../support/events.js";
import { ended, start } from "../support/process.js";
import { append, storeOf, temporaryFolder } from "../support/store.js";

const WRITERS = 8;

/** Runs eight writers at once and looks at what they left. */
async function eightWriters(events: number, perBatch: number): Promise<void> {
  const folder = temporaryFolder();
  const path = join(folder, "cache.db");
  const writers = Array.from({ length: WRITERS }, (_, writer) =>
    ended(start("write-child.ts", [path, String(writer), String(events), String(perBatch)])),
  );
  for (const { code } of await Promise.all(writers)) assert.is(code, 0);
  const store = openStore(path, { mode: "read", nowMs: NOON });
  const one = (sql: string) => store.raw.prepare(sql).pluck().get();
  assert.is(one("SELECT count(*) FROM cache_events"), WRITERS * events);
  assert.is(one("SELECT count(*) FROM cache_events WHERE counted = 1"), WRITERS * events);
  assert.is(one("SELECT committed FROM store"), (WRITERS * events) / perBatch);
  assert.is(one("SELECT count(*) FROM sources"), WRITERS);
  assert.is(store.lostBatches, 0);
  assert.is(one("PRAGMA integrity_check"), "ok");
  store.close();
  rmSync(folder, { recursive: true });
}

const [many, few] = process.env.SONNY_LONG ? [10_000, 500] : [1000, 25];

test(`eight processes with ${many} events each in batches of 500 lose nothing and are never told to wait`, async () => {
  await eightWriters(many, 500);
});

test(`eight processes with ${few} batches of one event each lose nothing and are never told to wait`, async () => {
  await eightWriters(few, 1);
});

const kills = process.env.SONNY_LONG ? 100 : 8;

test(`a writer killed at ${kills} moments loses nothing that it said was kept, and leaves no half batch`, async () => {
  const folder = temporaryFolder();
  const path = join(folder, "cache.db");
  let said = 0;
  for (let i = 0; i < kills; i += 1) {
    const child = start("write-child.ts", [path, String(i), "100000", "50"]);
    const finished = ended(child);
    child.stdout!.once("data", () => setTimeout(() => child.kill("SIGKILL"), (i * 50) / kills));
    said += (await finished).out.length;
    const store = openStore(path, { mode: "read", nowMs: NOON });
    const kept = store.raw.prepare("SELECT count(*) FROM cache_events").pluck().get() as number;
    assert.ok(kept >= said * 50, `${kept} events for ${said} batches`);
    assert.is(kept % 50, 0);
    assert.is(store.lostBatches, 0);
    store.close();
  }
  rmSync(folder, { recursive: true });
});

test("20,000 events fit in one batch", () => {
  const store = storeOf();
  const events = Array.from({ length: 20_000 }, (_, i) => request({ id: String(i), turn: `p${i % 100}` }));
  assert.is(append(store, events).added.request, 20_000);
  store.cleanup();
});

test("the log is cut off when a reader that held it open has gone", () => {
  const store = storeOf();
  const reader = openStore(store.path, { mode: "read", nowMs: NOON });
  reader.raw.exec("BEGIN");
  reader.raw.prepare("SELECT count(*) FROM requests").get();
  for (let i = 0; i < 10; i += 1) append(store, [content(String(i).repeat(1_000_000))]);
  const wal = () => statSync(`${store.path}-wal`).size;
  assert.ok(wal() > 8 * 1024 * 1024);
  reader.raw.exec("COMMIT");
  append(store, [request({ id: "one more" })]);
  assert.is(wal(), 0);
  reader.close();
  store.cleanup();
});

test.run();

function content(text: string): SessionEvent {
  const { eventId, agent, session, lane, turn, tenant, atMs, timeQuality, line, offset } = request();
  const header = { eventId, agent, session, lane, turn, tenant, atMs, timeQuality, line, offset };
  return { kind: "content", ...header, digest: digestOf(text), text };
}
