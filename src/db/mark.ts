import { closeSync, constants, openSync, readFileSync, renameSync, writeSync } from "node:fs";
import { guarded } from "./trouble.js";

/**
 * The high-water mark: a small file beside the database that says how many batches it had committed.
 *
 * A database whose write-ahead log lost its tail (deleted, cut, left behind by a copy) opens without complaint and is
 * simply older. The mark notices. It is written under the write lock with a count that is durable already, so it may
 * lag behind by one batch but never lead: a loss it reports is a loss.
 */
export interface Mark {
  /** Identity of the database; the mark of another one says nothing. */
  storeId: string;
  committed: number;
  /** Batches found missing so far. */
  lost: number;
}

/** The mark beside the database; null when there is none, or none that can be read. */
export function readMark(path: string): Mark | null {
  try {
    const { storeId, committed, lost } = JSON.parse(readFileSync(`${path}.mark`, "utf8")) as Mark;
    return typeof storeId === "string" && Number.isInteger(committed) && Number.isInteger(lost)
      ? { storeId, committed, lost }
      : null;
  } catch {
    return null;
  }
}

/** Replaces the mark by rename. Call while holding the write lock, with a count that is durable. */
export function writeMark(path: string, mark: Mark): void {
  guarded(`${path}.mark`, () => {
    const temporary = `${path}.mark.new`;
    const { O_WRONLY, O_CREAT, O_TRUNC, O_NOFOLLOW } = constants;
    const handle = openSync(temporary, O_WRONLY | O_CREAT | O_TRUNC | (O_NOFOLLOW ?? 0), 0o600);
    try {
      writeSync(handle, JSON.stringify(mark));
    } finally {
      closeSync(handle);
    }
    renameSync(temporary, `${path}.mark`);
  });
}

/** How many batches the database has lost, given its own identity and counter. */
export function lostBatches(mark: Mark | null, storeId: string, committed: number): number {
  if (mark === null || mark.storeId !== storeId) return 0;
  return mark.lost + Math.max(0, mark.committed - committed);
}
