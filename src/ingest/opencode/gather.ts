import { closeSync, existsSync, openSync, readdirSync, readFileSync, readSync, type Stats, statSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import type { Gathered } from "../importer.js";
import { type Line, MAX_LINE_BYTES } from "../lines.js";
import { isDatabase, sessionsIn } from "./database.js";

/** A session as an export holds it. */
export interface Export {
  info: unknown;
  messages: { info: unknown; parts: unknown[] }[];
}

/** Sessions of a database, or the one that a file in the storage folder names: each becomes the record of an export. */
export function gather(path: string): Gathered | null {
  if (path.endsWith(".db")) return isSqlite(path) && isDatabase(path) ? fromDatabase(path) : null;
  return isStored(path) ? fromStorage(path) : null;
}

function isSqlite(path: string): boolean {
  const head = Buffer.alloc(16);
  const file = openSync(path, "r");
  try {
    readSync(file, head, 0, 16, 0);
  } finally {
    closeSync(file);
  }
  return head.toString("latin1") === "SQLite format 3\0";
}

/** What was written last may still stand in the log beside the database; an empty log holds nothing. */
function fromDatabase(path: string): Gathered {
  const log = statSync(`${path}-wal`, { throwIfNoEntry: false });
  const files = [statSync(path), ...(log === undefined || log.size === 0 ? [] : [log])];
  return { ...sumOf(files), lines: () => linesOf(sessionsIn(path)) };
}

/** `storage/session/<project>/<id>.json`, with messages in `storage/message/<id>` and parts in `storage/part/<message>`. */
function isStored(path: string): boolean {
  if (!path.endsWith(".json")) return false;
  const project = dirname(path);
  if (basename(dirname(project)) !== "session") return false;
  return existsSync(join(storageOf(path), "message", idOf(path)));
}

const storageOf = (path: string) => join(dirname(path), "..", "..");
const idOf = (path: string) => basename(path, ".json");

function fromStorage(path: string): Gathered {
  const messages = jsonFilesIn(join(storageOf(path), "message", idOf(path)));
  const files = [path, ...messages].map((file) => statSync(file));
  return { ...sumOf(files), lines: () => linesOf([stored(path, messages)]) };
}

function stored(path: string, files: string[]): Export {
  const messages = files.map((file) => ({
    info: valueIn(file),
    parts: jsonFilesIn(join(storageOf(path), "part", idOf(file))).map(valueIn),
  }));
  return { info: valueIn(path), messages: messages.filter(({ info }) => info !== null) };
}

function sumOf(files: Stats[]): { size: number; mtimeMs: number } {
  return {
    size: files.reduce((sum, { size }) => sum + size, 0),
    mtimeMs: Math.round(Math.max(...files.map(({ mtimeMs }) => mtimeMs))),
  };
}

function jsonFilesIn(folder: string): string[] {
  if (!existsSync(folder)) return [];
  const names = readdirSync(folder).filter((name) => name.endsWith(".json"));
  return names.sort().map((name) => join(folder, name));
}

/** Null for a file that is no JSON: it is just being written. */
function valueIn(file: string): unknown {
  try {
    return JSON.parse(readFileSync(file, "utf8"));
  } catch {
    return null;
  }
}

function* linesOf(sessions: Iterable<Export>): Generator<Line> {
  let offset = 0;
  let line = 1;
  for (const session of sessions) {
    const bytes = Buffer.from(JSON.stringify(session));
    const end = offset + bytes.length + 1;
    yield { bytes: bytes.length > MAX_LINE_BYTES ? null : bytes, offset, line, end, ended: true };
    offset = end;
    line += 1;
  }
}
