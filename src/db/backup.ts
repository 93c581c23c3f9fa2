import { existsSync, readdirSync, rmdirSync, rmSync } from "node:fs";
import { basename, extname, join } from "node:path";
import Database from "better-sqlite3";
import { Failure } from "../failure.js";
import { backupFolder, createFile, privateFolder } from "./files.js";
import type { Raw } from "./open.js";
import { troubleWith } from "./trouble.js";

const KEPT = 5;
const KEPT_FOR_MS = 30 * 24 * 60 * 60 * 1000;

export interface Copying {
  nowMs: number;
  /** Gives the copy an identity of its own, where the kind of database has one. */
  becomeOther?: (copy: Raw) => void;
}

/**
 * A verified copy in `backups/` beside the database: `<name>-<label>-<ms>.db`, mode 0600, complete or absent.
 *
 * Call while `raw` holds the write lock, so that the copy is the newest state and can be compared row for row. Rows that
 * are still in the write-ahead log are in the copy. Older copies are pruned afterwards. Returns the path.
 */
export function backUp(raw: Raw, label: string, { nowMs, becomeOther }: Copying): string {
  const folder = privateFolder(backupFolder(raw.name));
  for (let ms = nowMs; ; ms += 1) {
    const path = join(folder, `${nameOf(raw)}-${label}-${ms}.db`);
    if (existsSync(path)) continue;
    try {
      if (createFile(path, (temporary) => copyInto(raw, temporary, becomeOther)) === "exists") continue;
    } catch (error) {
      if (readdirSync(folder).length === 0) rmdirSync(folder);
      throw troubleWith(isDamage(error) ? raw.name : path, error);
    }
    prune(raw, nowMs);
    return path;
  }
}

/** What cannot be copied because it is broken is the database, not the copy. */
function isDamage(error: unknown): boolean {
  return /^SQLITE_(CORRUPT|NOTADB)/.test(String((error as { code?: unknown }).code));
}

/** The copies of a database, newest first. */
export function backupsOf(path: string): { path: string; atMs: number }[] {
  const folder = backupFolder(path);
  if (!existsSync(folder)) return [];
  const pattern = new RegExp(`^${escaped(stem(path))}-v.*-(\\d+)\\.db$`);
  return readdirSync(folder)
    .map((file) => ({ path: join(folder, file), atMs: Number(pattern.exec(file)?.[1] ?? Number.NaN) }))
    .filter(({ atMs }) => !Number.isNaN(atMs))
    .sort((a, b) => b.atMs - a.atMs || (a.path < b.path ? 1 : -1));
}

/** Keeps the newest five and everything younger than thirty days. */
function prune(raw: Raw, nowMs: number): void {
  const old = backupsOf(raw.name)
    .slice(KEPT)
    .filter(({ atMs }) => nowMs - atMs > KEPT_FOR_MS);
  for (const { path } of old) rmSync(path);
}

function copyInto(raw: Raw, temporary: string, becomeOther: Copying["becomeOther"]): void {
  // A connection of its own: VACUUM cannot run inside the transaction that holds the lock.
  const reader = new Database(raw.name, { readonly: true, fileMustExist: true });
  try {
    reader.prepare("VACUUM INTO ?").run(temporary);
  } finally {
    reader.close();
  }
  const copy = new Database(temporary, { fileMustExist: true });
  try {
    becomeOther?.(copy);
    verify(raw, copy);
  } finally {
    copy.close();
  }
}

function verify(raw: Raw, copy: Raw): void {
  const state = copy.pragma("integrity_check(1)", { simple: true });
  const wrong = state === "ok" ? tablesOf(raw).find((table) => count(raw, table) !== count(copy, table)) : state;
  if (wrong !== undefined) {
    throw new Failure("store.backup", `the copy of ${raw.name} is not sound (${wrong}); nothing was changed`, {
      tries: ["sonny store status"],
    });
  }
}

function tablesOf(raw: Raw): string[] {
  return raw.prepare("SELECT name FROM sqlite_schema WHERE type = 'table'").pluck().all() as string[];
}

function count(raw: Raw, table: string): unknown {
  return raw
    .prepare(`SELECT count(*) FROM "${table.replaceAll('"', '""')}"`)
    .pluck()
    .get();
}

const nameOf = (raw: Raw) => stem(raw.name);
const stem = (path: string) => basename(path, extname(path));
const escaped = (text: string) => text.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
