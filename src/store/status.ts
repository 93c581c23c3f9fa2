import { statSync } from "node:fs";
import { dirname } from "node:path";
import { backupsOf } from "../db/backup.js";
import { appliedSteps } from "../db/migrate.js";
import { guarded } from "../db/trouble.js";
import type { Store } from "./open.js";

/** The state of a store, as far as it can be told without changing it. */
export interface StoreStatus {
  path: string;
  storeId: string;
  /** Names of the applied steps; their number is the version. */
  schema: { version: number; steps: string[] };
  /** Sizes in bytes; a sidecar that is not there has 0. */
  bytes: { database: number; wal: number; shm: number };
  /** `wal`, unless the file system cannot do that. */
  journalMode: string;
  sources: number;
  sessions: number;
  /** Rows per table, by name. */
  rows: Record<string, number>;
  /** Of all events with a time; null in an empty store. */
  firstAtMs: number | null;
  lastAtMs: number | null;
  /** Committed so far, and how many of those are missing now. */
  batches: number;
  lostBatches: number;
  /** Rights as octal text; `loose` when others than the owner have any. */
  permissions: { path: string; mode: string; loose: boolean }[];
  /** Newest first. */
  backups: { path: string; atMs: number; bytes: number }[];
}

export function statusOf(store: Store): StoreStatus {
  return guarded(store.path, () => read(store));
}

function read({ path, raw, lostBatches }: Store): StoreStatus {
  const one = (sql: string) => raw.prepare(sql).pluck().get();
  const rows: Record<string, number> = {};
  const tables = raw.prepare("SELECT name FROM sqlite_schema WHERE type = 'table' ORDER BY name").pluck().all();
  for (const table of tables as string[]) rows[table] = one(`SELECT count(*) FROM "${table}"`) as number;
  const steps = appliedSteps(raw);
  return {
    path,
    storeId: one("SELECT store_id FROM store") as string,
    schema: { version: steps.length, steps },
    bytes: { database: sizeOf(path), wal: sizeOf(`${path}-wal`), shm: sizeOf(`${path}-shm`) },
    journalMode: one("PRAGMA journal_mode") as string,
    sources: rows.sources ?? 0,
    sessions: rows.sessions ?? 0,
    rows,
    firstAtMs: one("SELECT min(started_at_ms) FROM sessions") as number | null,
    lastAtMs: one("SELECT max(last_at_ms) FROM sessions") as number | null,
    batches: one("SELECT committed FROM store") as number,
    lostBatches,
    permissions: [dirname(path), path, `${path}-wal`, `${path}-shm`, `${path}.mark`].flatMap(permissionOf),
    backups: backupsOf(path).map((backup) => ({ ...backup, bytes: sizeOf(backup.path) })),
  };
}

function sizeOf(path: string): number {
  return statSync(path, { throwIfNoEntry: false })?.size ?? 0;
}

function permissionOf(path: string): StoreStatus["permissions"] {
  const place = statSync(path, { throwIfNoEntry: false });
  if (place === undefined) return [];
  return [{ path, mode: (place.mode & 0o777).toString(8), loose: (place.mode & 0o077) !== 0 }];
}
