import { backUp } from "../db/backup.js";
import { appliedSteps, type Migrated, migrate } from "../db/migrate.js";
import { openForWriting } from "../db/open.js";
import { immediate } from "../db/transaction.js";
import { migrations } from "./migrations/index.js";
import { becomeOther, STORE_KIND } from "./open.js";

/** Brings an existing store to this program's schema, after a backup when there is something to do. */
export function migrateStore(given: string, nowMs: number): Migrated & { path: string } {
  const { path, raw, close } = openForWriting(given, STORE_KIND, "fail");
  try {
    return { path, ...migrate(raw, migrations, { nowMs, becomeOther }) };
  } finally {
    close();
  }
}

/** Takes a verified copy of an existing store, whatever its schema. Returns where it is. */
export function backUpStore(given: string, nowMs: number): { path: string; backup: string } {
  const { path, raw, close } = openForWriting(given, STORE_KIND, "fail");
  try {
    return { path, backup: immediate(raw, () => backUp(raw, `v${appliedSteps(raw).length}`, { nowMs, becomeOther })) };
  } finally {
    close();
  }
}
