import { createHash } from "node:crypto";
import { Failure } from "../failure.js";
import { backUp, type Copying } from "./backup.js";
import type { Raw } from "./open.js";
import { immediate } from "./transaction.js";

/** One step of a schema. A released one is never edited. */
export interface Step {
  name: string;
  sql: string;
}

export interface Migrated {
  /** Versions are numbers of applied steps, also in `PRAGMA user_version`. */
  from: number;
  to: number;
  applied: string[];
  /** The copy taken before the first change; null when there was nothing to lose or nothing to do. */
  backup: string | null;
}

/**
 * Applies all missing steps in one immediate transaction: afterwards the file has the new schema, or the old one.
 *
 * Any number of processes may do this at once; one applies, the others find it done. A database that holds something is
 * copied first. An applied step that was edited, or that this program does not know, is a failure and changes nothing.
 */
export function migrate(raw: Raw, steps: Step[], copying: Copying): Migrated {
  const before = pending(raw, steps);
  if (before.length === 0) return { from: steps.length, to: steps.length, applied: [], backup: null };
  return immediate(raw, () => {
    const missing = pending(raw, steps);
    const from = steps.length - missing.length;
    const done: Migrated = { from, to: steps.length, applied: missing.map(({ name }) => name), backup: null };
    if (missing.length === 0) return done;
    if (holdsTables(raw)) {
      const label = hasLedger(raw) ? `v${from}` : "vunversioned";
      done.backup = backUp(raw, `${label}-before-v${steps.length}`, copying);
    }
    raw.exec(
      "CREATE TABLE IF NOT EXISTS migrations (name TEXT PRIMARY KEY, checksum TEXT NOT NULL, applied_at_ms INTEGER NOT NULL) STRICT",
    );
    const record = raw.prepare("INSERT INTO migrations (name, checksum, applied_at_ms) VALUES (?, ?, ?)");
    for (const step of missing) {
      apply(raw, step, done.backup);
      record.run(step.name, checksumOf(step), copying.nowMs);
    }
    raw.pragma(`user_version = ${steps.length}`);
    return done;
  });
}

/** The steps that the database lacks. Fails when its steps are not the first ones of ours, unchanged. */
export function pending(raw: Raw, steps: Step[]): Step[] {
  const applied = hasLedger(raw)
    ? (raw.prepare("SELECT name, checksum FROM migrations ORDER BY name").all() as { name: string; checksum: string }[])
    : [];
  for (const [i, { name, checksum }] of applied.entries()) {
    const step = steps[i];
    if (step === undefined || !steps.some((known) => known.name === name)) {
      throw new Failure(
        "store.newer",
        `${raw.name} was written by a newer sonny: its schema is ${applied.length} (${applied.at(-1)?.name}), this sonny knows ${steps.length} (${steps.at(-1)?.name})`,
        { tries: ["npm install -g sonny@latest", "--store with another path"] },
      );
    }
    if (step.name !== name || checksumOf(step) !== checksum) {
      throw new Failure("store.edited_step", `${raw.name} was made by another form of the schema step ${name}`, {
        tries: ["use the sonny that made it", "--store with another path, and import again"],
      });
    }
  }
  return steps.slice(applied.length);
}

/** Names of the applied steps in order. */
export function appliedSteps(raw: Raw): string[] {
  return hasLedger(raw) ? (raw.prepare("SELECT name FROM migrations ORDER BY name").pluck().all() as string[]) : [];
}

function apply(raw: Raw, step: Step, backup: string | null): void {
  try {
    raw.exec(step.sql);
  } catch (error) {
    const code = String((error as { code?: unknown }).code);
    if (/^SQLITE_(FULL|IOERR|CORRUPT|NOTADB|READONLY)/.test(code)) throw error;
    throw new Failure(
      "store.migration",
      `the schema step ${step.name} failed on ${raw.name}, which is as it was before: ${(error as Error).message}`,
      { tries: backup === null ? [] : [`the copy taken before is ${backup}`], cause: error },
    );
  }
}

function checksumOf(step: Step): string {
  return createHash("sha256").update(step.sql).digest("hex");
}

function hasLedger(raw: Raw): boolean {
  return raw.prepare("SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = 'migrations'").get() !== undefined;
}

function holdsTables(raw: Raw): boolean {
  return raw.prepare("SELECT 1 FROM sqlite_schema LIMIT 1").get() !== undefined;
}
