import type { Kysely } from "kysely";
import { lostBatches, readMark, writeMark } from "../db/mark.js";
import { migrate, pending } from "../db/migrate.js";
import { type DatabaseFile, kyselyOf, openForReading, openForWriting, type Raw } from "../db/open.js";
import { immediate } from "../db/transaction.js";
import { Failure } from "../failure.js";
import { migrations } from "./migrations/index.js";
import type { Tables } from "./schema.js";

/** The open telemetry store. */
export interface Store {
  /** Where it really is; links are resolved. */
  path: string;
  /** For prepared statements of the write path and for tests; questions go through `db`. */
  raw: Raw;
  db: Kysely<Tables>;
  /** Committed batches that are missing: the file lost the end of its write-ahead log. 0 when all is well. */
  lostBatches: number;
  close(): void;
}

/** What tells a store from other databases: "sonn" in the header of the file. */
export const STORE_KIND = { applicationId: 0x736f6e6e };

/**
 * Opens the store. `write` creates what is missing and migrates what is older, after a backup. `read` changes nothing
 * and fails when the store is missing, older or newer than this program.
 */
export function openStore(
  given: string,
  { mode, nowMs }: { mode: "read" | "write"; nowMs: number; machine?: string },
): Store {
  const complete = (raw: Raw) => void migrate(raw, migrations, { nowMs, becomeOther });
  const file =
    mode === "write" ? openForWriting(given, { ...STORE_KIND, fill: complete }) : openForReading(given, STORE_KIND);
  try {
    if (mode === "write") complete(file.raw);
    else refuseOlder(file);
    const lost = mode === "write" ? acknowledgeLoss(file) : lossOf(file);
    return {
      path: file.path,
      raw: file.raw,
      db: kyselyOf<Tables>(file),
      lostBatches: lost,
      close() {
        if (mode === "write" && file.raw.open) markAtTheEnd(file);
        file.close();
      },
    };
  } catch (error) {
    file.close();
    throw error;
  }
}

/** Says in the mark that everything committed so far is durable. Call while holding the write lock. */
export function mark({ path, raw }: Pick<Store, "path" | "raw">): void {
  const { storeId, committed } = identityOf(raw);
  const known = readMark(path);
  writeMark(path, { storeId, committed, lost: lostBatches(known, storeId, committed) });
}

/** Everything is durable already: a mark that cannot be written now only lags behind. */
function markAtTheEnd(file: DatabaseFile): void {
  try {
    immediate(file.raw, () => mark(file));
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
  }
}

function identityOf(raw: Raw): { storeId: string; committed: number } {
  return raw.prepare("SELECT store_id AS storeId, committed FROM store").get() as {
    storeId: string;
    committed: number;
  };
}

/**
 * Gives a copy of a store an identity of its own: when it is put back in place of the original, the mark beside it
 * belongs to another store and claims nothing.
 */
export function becomeOther(copy: Raw): void {
  if (copy.prepare("SELECT 1 FROM sqlite_schema WHERE name = 'store'").get() === undefined) return;
  copy.exec("UPDATE store SET store_id = lower(hex(randomblob(16)))");
}

/** The mark is read first: the counter, read later, can only have grown. */
function lossOf({ path, raw }: DatabaseFile): number {
  const known = readMark(path);
  const { storeId, committed } = identityOf(raw);
  return lostBatches(known, storeId, committed);
}

function acknowledgeLoss(file: DatabaseFile): number {
  const lost = lossOf(file);
  if (lost > 0) immediate(file.raw, () => mark(file));
  return lost;
}

function refuseOlder({ path, raw }: DatabaseFile): void {
  const missing = pending(raw, migrations);
  if (missing.length === 0) return;
  const has = migrations.length - missing.length;
  throw new Failure(
    "store.older",
    `${path} has schema ${has}, this sonny needs ${migrations.length} (${migrations.at(-1)?.name})`,
    { tries: [`sonny store migrate --store ${path}`] },
  );
}
