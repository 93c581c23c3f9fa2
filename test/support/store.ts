/** Stores in a temporary folder, and dumps of stores that can be compared. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { SessionEvent } from "../../src/events/event.js";
import type { Appended, Source, SourceBatch } from "../../src/events/sink.js";
import { openStore, type Store } from "../../src/store/open.js";
import { storeSink } from "../../src/store/sink.js";
import { NOON } from "./events.js";

export interface TestStore extends Store {
  /** Closes the store and removes its folder. */
  cleanup(): void;
}

/** An open store that holds the events; each session is a source of its own. */
export function storeOf(...events: SessionEvent[]): TestStore {
  const folder = temporaryFolder();
  const store = openStore(join(folder, "cache.db"), { mode: "write", nowMs: NOON });
  const sessions = new Map<string, SessionEvent[]>();
  for (const event of events) sessions.set(event.session, [...(sessions.get(event.session) ?? []), event]);
  for (const [session, said] of sessions) append(store, said, `/${session}.jsonl`);
  return {
    ...store,
    cleanup() {
      if (store.raw.open) store.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** Appends the events as one batch of one source. */
export function append(
  store: Store,
  events: SessionEvent[],
  locator = "/test.jsonl",
  given: Partial<SourceBatch> = {},
): Appended {
  return storeSink(store, { nowMs: () => NOON, machine: null }).append([batchOf(events, locator, given)]);
}

export function batchOf(
  events: SessionEvent[],
  locator = "/test.jsonl",
  given: Partial<SourceBatch> = {},
): SourceBatch {
  return {
    source: sourceOf(locator),
    events,
    skipped: [],
    cursor: null,
    expectedOffset: null,
    replace: false,
    ...given,
  };
}

export function sourceOf(locator: string): Source {
  return { kind: "import", format: "test", locator };
}

export function temporaryFolder(): string {
  return mkdtempSync(join(tmpdir(), "sonny-test-"));
}

/** Kept out of dumps: keys, when something was recorded, and how it was cut into batches. */
const LEFT_OUT = new Set(["id", "batch", "first_seen_ms", "last_seen_ms"]);
const TABLES_LEFT_OUT = ["store", "words", "digests", "batches", "segments", "migrations"];

/**
 * All that the store says, table by table, with every key replaced by what it stands for, sorted. Two stores that hold
 * the same have equal dumps, however they came to hold it.
 */
export function dump({ raw }: Pick<Store, "raw">): Record<string, string[]> {
  const tables = raw.prepare("SELECT name FROM sqlite_schema WHERE type = 'table'").pluck().all() as string[];
  const memory = new Map<string, unknown>();

  /** What a key of a table stands for. */
  function meaning(table: string, id: unknown): unknown {
    if (id === null) return null;
    const key = `${table} ${id}`;
    if (!memory.has(key)) {
      const row = raw.prepare(`SELECT * FROM ${table} WHERE id = ?`).get(id) as Record<string, unknown>;
      memory.set(key, named(table, row));
    }
    return memory.get(key);
  }

  function named(table: string, row: Record<string, unknown>): unknown {
    switch (table) {
      case "words":
        return row.text;
      case "digests":
        return hex(row.digest);
      case "sources":
        return `${row.format} ${row.locator}`;
      case "sessions":
        return `${meaning("words", row.agent)} ${row.session_id}`;
      case "lanes":
        return `${meaning("sessions", row.session)} / ${row.lane_id}`;
      case "turns":
        return `${meaning("lanes", row.lane)} / ${row.prompt_id}`;
      case "segments":
        return [meaning("segments", row.parent), natural("segments", { ...row, parent: null })];
      default:
        return `${table} ${hex(row.event_id)} ${meaning("sources", row.source)}`;
    }
  }

  function natural(table: string, row: Record<string, unknown>): Record<string, unknown> {
    const keys = raw.pragma(`foreign_key_list(${table})`) as { table: string; from: string }[];
    const told: Record<string, unknown> = {};
    for (const [column, value] of Object.entries(row)) {
      if (LEFT_OUT.has(column)) continue;
      const target =
        table === "claims" && column === "lane" && value !== 0
          ? "lanes"
          : keys.find(({ from }) => from === column)?.table;
      told[column] = target === undefined ? hex(value) : meaning(target, value);
    }
    return told;
  }

  const told: Record<string, string[]> = {};
  for (const table of tables.filter((name) => !TABLES_LEFT_OUT.includes(name))) {
    const rows = raw.prepare(`SELECT * FROM ${table}`).all() as Record<string, unknown>[];
    told[table] = rows.map((row) => JSON.stringify(natural(table, row))).sort();
  }
  return told;
}

function hex(value: unknown): unknown {
  return Buffer.isBuffer(value) ? value.toString("hex") : value;
}
