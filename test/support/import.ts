/** Transcripts in a temporary folder, imported into a store. */
import { appendFileSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { type ImportOptions, importFiles } from "../../src/ingest/import.js";
import type { ImportReport } from "../../src/ingest/report.js";
import { openStore, type Store } from "../../src/store/open.js";
import { storeSink } from "../../src/store/sink.js";
import { NOON } from "./events.js";
import { dump, temporaryFolder } from "./store.js";

export interface Imported {
  folder: string;
  store: Store;
  /** What the first import did. */
  report: ImportReport;
  /** Imports the folder again, or some paths of it. */
  again(options?: ImportOptions, paths?: string[]): ImportReport;
  write(name: string, text: string | Buffer): string;
  append(name: string, text: string | Buffer): void;
  path(name: string): string;
  /** Rows of a question in SQL. */
  rows(sql: string): Record<string, unknown>[];
  /** What a question with one row and one column gives. */
  value(sql: string): unknown;
  dump(): Record<string, string[]>;
  cleanup(): void;
}

/** Writes the files (name to content) and imports them. */
export function imported(files: Record<string, string | Buffer>, options: ImportOptions = {}): Imported {
  const folder = temporaryFolder();
  for (const [name, text] of Object.entries(files)) place(join(folder, name), text);
  const store = openStore(join(folder, "store", "cache.db"), { mode: "write", nowMs: NOON });
  const sink = storeSink(store, { nowMs: () => NOON, machine: null });
  const transcripts = Object.keys(files).length === 0 ? [] : [folder];
  return {
    folder,
    store,
    report: importFiles(transcripts, sink, options),
    again: (more = options, paths = [folder]) => importFiles(paths, sink, more),
    write(name, text) {
      place(join(folder, name), text);
      return join(folder, name);
    },
    append: (name, text) => appendFileSync(join(folder, name), text),
    path: (name) => join(folder, name),
    rows: (sql) => store.raw.prepare(sql).all() as Record<string, unknown>[],
    value: (sql) => store.raw.prepare(sql).pluck().get(),
    dump: () => dump(store),
    cleanup() {
      store.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** A store into which real files are imported; the folder of the store goes with it. */
export function importedPaths(paths: string[], options: ImportOptions = {}): Imported {
  const empty = imported({}, options);
  return { ...empty, report: empty.again(options, paths) };
}

function place(path: string, text: string | Buffer): void {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
}
