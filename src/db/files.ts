import { randomBytes } from "node:crypto";
import {
  chmodSync,
  closeSync,
  constants,
  copyFileSync,
  existsSync,
  fsyncSync,
  linkSync,
  lstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  realpathSync,
  rmSync,
  type Stats,
  statSync,
} from "node:fs";
import { basename, dirname, join, resolve } from "node:path";
import { Failure } from "../failure.js";
import { guarded } from "./trouble.js";

/** Files that SQLite keeps beside a database. */
const sidecars = ["-wal", "-shm", "-journal"];

/**
 * The real path of the database file at `given`; null when nothing is there.
 *
 * A link of the user's own to a regular file is followed. Everything that is not a regular file, a link that leads
 * nowhere and a link that somebody else made are failures; so is somebody else's file when it is to be written.
 */
export function existingFile(given: string, purpose: "read" | "write"): string | null {
  const path = guarded(given, () => resolve(given));
  const place = look(path);
  if (place === null) return null;
  if (place.isSymbolicLink()) {
    refuseForeignLink(path, place);
    const target = guarded(path, () => followed(path));
    if (target === null) {
      throw new Failure("store.dangling", `${path} is a link that leads nowhere`, {
        tries: [`rm ${path}`, "--store with another path"],
      });
    }
    return existingFile(target, purpose);
  }
  if (!place.isFile()) {
    throw new Failure("store.not_a_file", `${path} is a ${kindOf(place)}, not a file`, {
      tries: ["--store with the path of a file"],
    });
  }
  if (purpose === "write" && foreign(place)) {
    throw new Failure("store.not_yours", `${path} belongs to another user (uid ${place.uid})`, {
      tries: ["run as that user", "--store with a path of your own"],
    });
  }
  for (const suffix of sidecars) {
    if (look(path + suffix)?.isSymbolicLink()) {
      throw new Failure("store.symlink", `${path}${suffix} is a link; SQLite's own files never are`, {
        tries: [`rm ${path}${suffix}`],
      });
    }
  }
  return path;
}

/**
 * Makes the file at `path` whole or not at all: `fill` writes a temporary one (mode 0600), which then appears under its
 * name. When another process was faster, its file stays. Missing folders are made with mode 0700.
 */
export function createFile(path: string, fill: (temporary: string) => void): "created" | "exists" {
  return guarded(path, () => {
    makeFolders(dirname(path));
    const temporary = `${path}.${process.pid}-${randomBytes(4).toString("hex")}.new`;
    closeSync(openSync(temporary, constants.O_RDWR | constants.O_CREAT | constants.O_EXCL | noFollow, 0o600));
    try {
      fill(temporary);
      syncFile(temporary);
      return publish(temporary, path);
    } finally {
      for (const suffix of ["", ...sidecars]) rmSync(temporary + suffix, { force: true });
    }
  });
}

/** Takes away every right of others on the database, its sidecars and, when it holds nothing else, its folder. */
export function tighten(path: string): void {
  for (const suffix of ["", ...sidecars, ".mark"]) tightenOne(path + suffix, 0o600);
  const folder = dirname(path);
  const own = (name: string) => name === basename(path) || /^[-.]/.test(name.slice(basename(path).length));
  if (readdirSync(folder).every((name) => name === "backups" || (name.startsWith(basename(path)) && own(name)))) {
    tightenOne(folder, 0o700);
  }
}

/** A folder for private files beside the database; made when missing, never through somebody else's link. */
export function privateFolder(path: string): string {
  return guarded(path, () => {
    const place = look(path);
    if (place?.isSymbolicLink()) refuseForeignLink(path, place);
    makeFolders(path);
    tightenOne(realpathSync(path), 0o700);
    return path;
  });
}

/** Makes missing folders one by one, each private: Node's recursive form never ends where a parent cannot hold any. */
function makeFolders(path: string): void {
  if (existsSync(path)) return;
  makeFolders(dirname(path));
  try {
    mkdirSync(path, { mode: 0o700 });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
  }
}

/** Makes sure that the bytes of a file, or the names in a folder, survive a power loss. */
function syncFile(path: string): void {
  const handle = openSync(path, constants.O_RDONLY);
  try {
    fsyncSync(handle);
  } finally {
    closeSync(handle);
  }
}

const noFollow = constants.O_NOFOLLOW ?? 0;

function publish(temporary: string, path: string): "created" | "exists" {
  try {
    linkSync(temporary, path);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === "EEXIST") return "exists";
    if (!["EPERM", "ENOTSUP", "EOPNOTSUPP", "ENOSYS"].includes(code ?? "")) throw error;
    // A file system without hard links: not at once, but still never over another file.
    copyFileSync(temporary, path, constants.COPYFILE_EXCL);
  }
  syncFile(dirname(path));
  return "created";
}

function look(path: string): Stats | null {
  return guarded(path, () => {
    try {
      return lstatSync(path);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === "ENOENT") return null;
      throw error;
    }
  });
}

function followed(path: string): string | null {
  try {
    return realpathSync(path);
  } catch (error) {
    if (["ENOENT", "ELOOP"].includes((error as NodeJS.ErrnoException).code ?? "")) return null;
    throw error;
  }
}

function tightenOne(path: string, mode: number): void {
  const place = statSync(path, { throwIfNoEntry: false });
  if (place !== undefined && !foreign(place) && (place.mode & 0o077) !== 0) chmodSync(path, place.mode & mode);
}

function refuseForeignLink(path: string, place: Stats): void {
  if (!foreign(place)) return;
  throw new Failure("store.foreign_link", `${path} is a link made by another user (uid ${place.uid})`, {
    tries: ["--store with the path it leads to"],
  });
}

function foreign(place: Stats): boolean {
  return process.geteuid !== undefined && place.uid !== process.geteuid();
}

function kindOf(place: Stats): string {
  if (place.isDirectory()) return "folder";
  if (place.isFIFO()) return "pipe";
  if (place.isSocket()) return "socket";
  return place.isCharacterDevice() || place.isBlockDevice() ? "device" : "special file";
}

/** Where backups of the database at `path` are kept. */
export function backupFolder(path: string): string {
  return join(dirname(path), "backups");
}
