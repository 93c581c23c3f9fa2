import { Failure } from "../failure.js";

/** What SQLite and the file system say when something is wrong with the place or the file, in words that help. */
const known: [RegExp, (path: string, said: string) => Failure][] = [
  [
    /^(SQLITE_FULL|ENOSPC|EDQUOT)$/,
    (path) =>
      new Failure("store.full", `no space left to write ${path}; nothing of this batch was kept`, {
        tries: ["free disk space, then run the same command again"],
      }),
  ],
  [
    /^(SQLITE_CORRUPT.*|SQLITE_NOTADB)$/,
    (path, said) =>
      new Failure("store.damaged", `${path} is damaged: ${said}`, {
        tries: [`move it aside and import again`, "restore a copy from the backups folder beside it"],
      }),
  ],
  [
    /^(SQLITE_READONLY.*|SQLITE_PERM|SQLITE_AUTH|EACCES|EPERM|EROFS)$/,
    (path, said) =>
      new Failure("store.forbidden", `${path} may not be used this way: ${said}`, {
        tries: [`ls -ld ${path}`, "--store with a path of your own"],
      }),
  ],
  [
    /^SQLITE_CANTOPEN.*$/,
    (path, said) => new Failure("store.unreachable", `${path} cannot be opened: ${said}`, { tries: [`ls -l ${path}`] }),
  ],
  [
    /^SQLITE_(BUSY|LOCKED).*$/,
    (path) =>
      new Failure("store.busy", `${path} is locked by another process that does not let go`, {
        tries: ["end the other process, then run the same command again"],
      }),
  ],
  [
    /^(SQLITE_IOERR.*|EIO)$/,
    (path, said) =>
      new Failure("store.io", `reading or writing ${path} failed: ${said}`, {
        tries: ["check the disk and its cables"],
      }),
  ],
  [
    /^(ENOTDIR|ELOOP|ENAMETOOLONG|EISDIR|ENOENT|EINVAL|ERR_INVALID_ARG_VALUE|EEXIST|ENXIO|EMFILE|ENFILE)$/,
    (path, said) =>
      new Failure("store.unreachable", `${path} cannot be used: ${said}`, { tries: ["--store with another path"] }),
  ],
  [/^(MODULE_NOT_FOUND|ERR_DLOPEN_FAILED)$/, () => missingBinding()],
];

/** The same trouble as a `Failure` when a person can act on it; any other error as it is. */
export function troubleWith(path: string, error: unknown): unknown {
  if (error instanceof Failure || !(error instanceof Error)) return error;
  if (/Could not locate the bindings file|NODE_MODULE_VERSION/.test(error.message)) return missingBinding();
  const code = (error as { code?: unknown }).code;
  const found = typeof code === "string" ? known.find(([pattern]) => pattern.test(code)) : undefined;
  return found === undefined ? error : Object.assign(found[1](path, error.message), { cause: error });
}

/** Runs `work`; what goes wrong with the file at `path` leaves as a `Failure`. */
export function guarded<T>(path: string, work: () => T): T {
  try {
    return work();
  } catch (error) {
    throw troubleWith(path, error);
  }
}

function missingBinding(): Failure {
  return new Failure("store.binding", "the compiled part of better-sqlite3 is missing or made for another Node", {
    tries: ["npm rebuild better-sqlite3", "npm install --allow-scripts=better-sqlite3"],
  });
}
