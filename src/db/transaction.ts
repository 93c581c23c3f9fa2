import { statSync } from "node:fs";
import type { Raw } from "./open.js";
import { troubleWith } from "./trouble.js";

/** SQLite already waits 30 s for the lock, but not fairly: a process that lost every race asks again. */
const TRIES = 8;
const WAL_LIMIT_BYTES = 8 * 1024 * 1024;

/**
 * Runs `work` in one immediate transaction: afterwards everything it wrote is durable, or nothing is there.
 * Waits for other writers (up to minutes, unless the connection has a timeout of 0) before `work` begins; `work`
 * itself runs at most once.
 */
export function immediate<T>(raw: Raw, work: () => T): T {
  begin(raw);
  let result: T;
  try {
    result = work();
    raw.exec("COMMIT");
  } catch (error) {
    if (raw.inTransaction) raw.exec("ROLLBACK");
    throw troubleWith(raw.name, error);
  }
  shortenWal(raw);
  return result;
}

function begin(raw: Raw): void {
  for (let tried = 1; ; tried += 1) {
    try {
      raw.exec("BEGIN IMMEDIATE");
      return;
    } catch (error) {
      const busy = /^SQLITE_BUSY/.test(String((error as { code?: unknown }).code));
      if (!busy || tried === TRIES || !waits(raw)) throw troubleWith(raw.name, error);
      sleep(5 + Math.random() * 20 * tried);
    }
  }
}

/** A connection without a timeout belongs to somebody who cannot wait. */
function waits(raw: Raw): boolean {
  return raw.pragma("busy_timeout", { simple: true }) !== 0;
}

/** A reader that stays keeps the write-ahead log growing; whoever commits after it has gone cuts it off. */
function shortenWal(raw: Raw): void {
  const wal = statSync(`${raw.name}-wal`, { throwIfNoEntry: false });
  if (wal === undefined || wal.size <= WAL_LIMIT_BYTES) return;
  const waits = raw.pragma("busy_timeout", { simple: true });
  raw.pragma("busy_timeout = 0");
  try {
    raw.pragma("wal_checkpoint(TRUNCATE)");
  } catch (error) {
    // The batch is durable already; another writer will shorten the log.
    if (!/^SQLITE_(BUSY|LOCKED)/.test(String((error as { code?: unknown }).code))) throw troubleWith(raw.name, error);
  } finally {
    raw.pragma(`busy_timeout = ${waits}`);
  }
}

function sleep(ms: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);
}
