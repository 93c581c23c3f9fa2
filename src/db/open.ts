import {
  accessSync,
  closeSync,
  constants,
  copyFileSync,
  mkdtempSync,
  openSync,
  readSync,
  rmSync,
  statSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { basename, dirname, join, resolve } from "node:path";
import Database from "better-sqlite3";
import { Kysely, SqliteDialect } from "kysely";
import { Failure } from "../failure.js";
import { createFile, existingFile, tighten } from "./files.js";
import { guarded, troubleWith } from "./trouble.js";

export type Raw = Database.Database;

/** What tells our files from other SQLite databases. */
export interface Kind {
  /** Stands in the file's header. */
  applicationId: number;
  /** Makes a new database whole before it appears under its name: it is there with its tables, or not at all. */
  fill?: (raw: Raw) => void;
}

/** An open database file. */
export interface DatabaseFile {
  /** The real path; links are resolved. */
  path: string;
  raw: Raw;
  close(): void;
}

const BUSY_TIMEOUT_MS = 30_000;
/** Older ones have a fault in write-ahead logging that can damage a database with several writers. */
const OLDEST_SQLITE = [3, 51, 3];

/**
 * Opens for writing. A missing file is created, private to its user, unless `missing` says that it must be there.
 * Fails on anything that is not of this kind.
 */
export function openForWriting(given: string, kind: Kind, missing: "create" | "fail" = "create"): DatabaseFile {
  const path =
    existingFile(given, "write") ?? (missing === "create" ? create(resolve(given), kind) : refuseMissing(given));
  checkHeader(path, kind);
  guarded(path, () => {
    for (const place of [path, dirname(path)]) accessSync(place, constants.R_OK | constants.W_OK);
    tighten(path);
  });
  const raw = connect(path, false);
  try {
    prepare(raw);
    raw.pragma("journal_mode = WAL");
    raw.pragma("synchronous = FULL");
    raw.pragma("foreign_keys = ON");
    raw.prepare("SELECT count(*) FROM sqlite_schema").get();
  } catch (error) {
    raw.close();
    throw troubleWith(path, error);
  }
  return { path, raw, close: () => raw.close() };
}

/**
 * Opens for reading; never creates, changes or migrates. In a folder where SQLite cannot keep its own files beside the
 * database, a private copy is read instead and removed on close.
 */
export function openForReading(given: string, kind: Kind): DatabaseFile {
  const path = existingFile(given, "read") ?? refuseMissing(given);
  checkHeader(path, kind);
  try {
    return readable(path, connect(path, true));
  } catch (error) {
    if (!needsCopy(error)) throw troubleWith(path, error);
    return readCopy(path);
  }
}

/** The typed view of an open file. What goes wrong with the file while reading leaves as a `Failure`. */
export function kyselyOf<Tables>({ raw, path }: DatabaseFile): Kysely<Tables> {
  const database = {
    close: () => {},
    prepare(sql: string) {
      const statement = guarded(path, () => raw.prepare(sql));
      return {
        reader: statement.reader,
        all: (parameters: readonly unknown[]) => guarded(path, () => statement.all(...parameters)),
        run: (parameters: readonly unknown[]) => guarded(path, () => statement.run(...parameters)),
        iterate: (parameters: readonly unknown[]) => statement.iterate(...parameters) as IterableIterator<unknown>,
      };
    },
  };
  return new Kysely<Tables>({ dialect: new SqliteDialect({ database }) });
}

function create(path: string, { applicationId, fill }: Kind): string {
  createFile(path, (temporary) => {
    const raw = connect(temporary, false);
    try {
      raw.pragma(`application_id = ${applicationId}`);
      raw.pragma("journal_mode = WAL");
      fill?.(raw);
    } finally {
      raw.close();
    }
  });
  return existingFile(path, "write") ?? path;
}

function refuseMissing(given: string): never {
  throw new Failure("store.missing", `there is no store at ${resolve(given)}`, {
    tries: ["sonny import", "--store with the path of a store"],
  });
}

/** Looks at the first bytes only: SQLite itself would take an empty file for an empty database. */
function checkHeader(path: string, { applicationId }: Kind): void {
  const header = Buffer.alloc(100);
  const size = guarded(path, () => {
    const handle = openSync(path, constants.O_RDONLY);
    try {
      return readSync(handle, header, 0, 100, 0);
    } finally {
      closeSync(handle);
    }
  });
  const other = { tries: ["--store with another path", `move ${path} aside`] };
  if (size === 0) throw new Failure("store.empty", `${path} is an empty file, not a store`, other);
  if (header.toString("latin1", 0, 16) !== "SQLite format 3\0") {
    throw new Failure("store.foreign", `${path} is not a store: it does not begin like a database`, other);
  }
  if (size < 100) throw new Failure("store.damaged", `${path} is damaged: it ends inside its header`, other);
  if (header.readUInt32BE(68) !== applicationId) {
    throw new Failure("store.foreign", `${path} is a SQLite database of another program`, other);
  }
}

function connect(path: string, readonly: boolean): Raw {
  return guarded(path, () => new Database(path, { readonly, fileMustExist: true, timeout: BUSY_TIMEOUT_MS }));
}

function prepare(raw: Raw): void {
  const version = raw.prepare("SELECT sqlite_version()").pluck().get() as string;
  if (!isAtLeast(version.split(".").map(Number), OLDEST_SQLITE)) {
    throw new Failure("store.sqlite", `SQLite ${version} is too old; ${OLDEST_SQLITE.join(".")} is needed`, {
      tries: ["npm install better-sqlite3@12"],
    });
  }
  raw.pragma("trusted_schema = OFF");
  raw.pragma("mmap_size = 0");
}

function isAtLeast(version: number[], least: number[]): boolean {
  const differs = least.findIndex((part, i) => version[i] !== part);
  return differs === -1 || version[differs]! > least[differs]!;
}

function readable(path: string, raw: Raw): DatabaseFile {
  try {
    prepare(raw);
    raw.prepare("SELECT count(*) FROM sqlite_schema").get();
  } catch (error) {
    raw.close();
    throw error;
  }
  return { path, raw, close: () => raw.close() };
}

function needsCopy(error: unknown): boolean {
  return /^SQLITE_(READONLY|CANTOPEN)/.test(String((error as { code?: unknown }).code));
}

/** A database and its write-ahead log, copied while nobody writes. */
function readCopy(path: string): DatabaseFile {
  return guarded(path, () => {
    const folder = mkdtempSync(join(tmpdir(), "sonny-read-"));
    const leave = () => rmSync(folder, { recursive: true, force: true });
    try {
      const copy = join(folder, basename(path));
      for (let tried = 0; !copiedUnchanged(path, copy); tried += 1) {
        if (tried === 5) {
          throw new Failure("store.busy", `${path} changes all the time and cannot be copied for reading`, {
            tries: ["end the process that writes it", `make its folder writable for you`],
          });
        }
      }
      const { raw } = readable(copy, connect(copy, true));
      return {
        path,
        raw,
        close() {
          raw.close();
          leave();
        },
      };
    } catch (error) {
      leave();
      throw error;
    }
  });
}

function copiedUnchanged(path: string, copy: string): boolean {
  const files = ["", "-wal"];
  const state = () =>
    files.map((suffix) => statSync(path + suffix, { throwIfNoEntry: false })).map((s) => [s?.size, s?.mtimeMs, s?.ino]);
  const before = state();
  for (const suffix of files) {
    rmSync(copy + suffix, { force: true });
    if (statSync(path + suffix, { throwIfNoEntry: false }) !== undefined) copyFileSync(path + suffix, copy + suffix);
  }
  return JSON.stringify(state()) === JSON.stringify(before);
}
