/**
 * Questions about one session on stores of growing size, beside a bare Node start in the same rounds; writing into the
 * store beside a bare prepared loop; and the bytes that a row costs with all its indexes.
 *
 *     node --import tsx bench/stats.ts [EVENTS…]        (default 100000 1000000)
 */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import Database from "better-sqlite3";
import type { SessionEvent } from "../src/events/event.js";
import { digestOf } from "../src/events/identity.js";
import { openStore } from "../src/store/open.js";
import { storeSink } from "../src/store/sink.js";
import * as make from "../test/support/events.js";
import { run, sideBySide, table } from "./measure.js";

const sizes = process.argv.slice(2).map(Number);
const cli = resolve("dist/src/main.js");
const SESSION_EVENTS = 2_000;
const BATCH = 500;
const work = mkdtempSync(join(tmpdir(), "sonny-bench-"));
const cpuOf: Record<number, Record<string, number>> = {};
try {
  for (const size of sizes.length > 0 ? sizes : [100_000, 1_000_000]) {
    const path = join(work, `${size}.db`);
    console.log(`\n${size.toLocaleString("en")} events in ${size / SESSION_EVENTS} sessions`);
    fill(path, size);
    bytesPerRow(path);
    const ask = (...words: string[]) =>
      run([process.execPath, cli, "context", ...words, "--store", path], {}, [0, 1, 3]);
    const results = sideBySide(
      {
        "node -e 0": () => run([process.execPath, "-e", "0"]),
        "stats of one session": () => ask("stats", "--session", "s7"),
        "validate one session": () => ask("validate", "s7"),
      },
      7,
    );
    console.log(table(results, "node -e 0"));
    cpuOf[size] = Object.fromEntries(Object.entries(results).map(([name, { wallS }]) => [name, wallS]));
  }
  const measured = Object.keys(cpuOf).map(Number);
  const [small, large] = [Math.min(...measured), Math.max(...measured)];
  for (const name of ["stats of one session", "validate one session"]) {
    console.log(
      `${name}: ${large} : ${small} events = ${(cpuOf[large]![name]! / cpuOf[small]![name]!).toFixed(3)} (wall)`,
    );
  }
} finally {
  rmSync(work, { recursive: true, force: true });
}

/** Half requests, the rest tool calls, cache events and turns, in batches through the public sink. */
function fill(path: string, size: number): void {
  const store = openStore(path, { mode: "write", nowMs: Date.now() });
  const sink = storeSink(store, { nowMs: Date.now, machine: null });
  const bare = bareLoop();
  const started = process.cpuUsage();
  let bareUs = 0;
  for (let first = 0; first < size; first += BATCH) {
    const events = Array.from({ length: BATCH }, (_, at) => eventAt(first + at));
    const source = { kind: "import" as const, format: "bench", locator: `/s${Math.floor(first / SESSION_EVENTS)}` };
    const before = process.cpuUsage();
    bare(events);
    const { user, system } = process.cpuUsage(before);
    bareUs += user + system;
    sink.append([{ source, events, skipped: [], cursor: null, expectedOffset: null, replace: false }]);
  }
  const { user, system } = process.cpuUsage(started);
  const making = measureMaking(size);
  const writing = user + system - bareUs - making;
  console.log(
    `append in batches of ${BATCH}: ${(writing / size).toFixed(2)} µs cpu per event; bare prepared loop ${(bareUs / size).toFixed(2)}: ${(writing / bareUs).toFixed(2)} ×`,
  );
  store.close();
}

function measureMaking(size: number): number {
  const before = process.cpuUsage();
  for (let at = 0; at < size; at += 1) eventAt(at);
  const { user, system } = process.cpuUsage(before);
  return user + system;
}

function eventAt(at: number): SessionEvent {
  const session = `s${Math.floor(at / SESSION_EVENTS)}`;
  const turn = `p${Math.floor((at % SESSION_EVENTS) / 20)}`;
  const base = {
    session,
    turn,
    atMs: make.NOON + at * 1_000,
    line: at % SESSION_EVENTS,
    offset: (at % SESSION_EVENTS) * 900,
  };
  if (at % 20 === 0) return make.turn(base);
  if (at % 2 === 0) {
    return make.request({
      ...base,
      messageId: `msg_bench_${at}`,
      requestId: `req_bench_${at}`,
      shellDigest: digestOf("shell"),
      digestAlgorithm: "sha256/16",
    });
  }
  if (at % 4 === 1) return make.toolCall({ ...base, callId: `toolu_bench_${at}` });
  return make.cache({ ...base, op: at % 8 === 3 ? "hit" : "miss", served: at % 8 === 3 });
}

/** What SQLite alone costs for rows of that shape: one prepared statement, one transaction per batch, two indexes. */
function bareLoop(): (events: SessionEvent[]) => void {
  const db = new Database(join(work, "bare.db"));
  db.pragma("journal_mode = WAL");
  db.pragma("synchronous = FULL");
  db.exec(`CREATE TABLE IF NOT EXISTS bare (id INTEGER PRIMARY KEY, event_id BLOB, source INTEGER, batch INTEGER, session INTEGER, lane INTEGER, turn INTEGER,
    at_ms INTEGER, time_quality TEXT, source_line INTEGER, source_offset INTEGER, counted INTEGER, a INTEGER, b INTEGER, c INTEGER, d INTEGER, e INTEGER, f TEXT, UNIQUE (event_id, source)) STRICT;
    CREATE INDEX IF NOT EXISTS bare_by_session ON bare (session, lane, at_ms);`);
  const insert = db.prepare(
    "INSERT INTO bare VALUES (NULL, ?, 1, 1, 1, 1, 1, ?, 'exact', ?, ?, 1, 10, 900, 90, 0, 50, ?) ON CONFLICT DO NOTHING",
  );
  const all = db.transaction((events: SessionEvent[]) => {
    for (const { eventId, atMs, line, offset, kind } of events) insert.run(eventId, atMs, line, offset, kind);
  });
  return (events) => all.immediate(events);
}

function bytesPerRow(path: string): void {
  const db = new Database(path, { readonly: true });
  for (const name of ["requests", "tool_calls", "cache_events", "turns"]) {
    const bytes = db
      .prepare("SELECT sum(pgsize) FROM dbstat WHERE name IN (SELECT name FROM sqlite_schema WHERE tbl_name = ?)")
      .pluck()
      .get(name) as number;
    const rows = db.prepare(`SELECT count(*) FROM ${name}`).pluck().get() as number;
    console.log(`${name.padEnd(14)} ${(bytes / rows).toFixed(0)} bytes a row, with indexes (${rows} rows)`);
  }
  db.close();
}
