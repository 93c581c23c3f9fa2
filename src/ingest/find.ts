import { readdirSync, realpathSync, statSync } from "node:fs";
import { basename, join } from "node:path";

/** A file to look at. */
export interface FoundFile {
  path: string;
  size: number;
  mtimeMs: number;
  /** Device and inode: the same file under two names is read once. */
  fileId: string;
  /** True when a path named it, false when it was found in a folder. */
  named: boolean;
}

export interface Search {
  files: FoundFile[];
  /** What could not be looked at, and why. */
  refused: { path: string; reason: string; named: boolean }[];
}

/**
 * Files among the paths and below the folders among them, in order of their names. Folders are searched for names that
 * `mayBe` accepts; a path that names a file is taken whatever its name. Symbolic links are followed, each folder and
 * file once, so that loops end.
 */
export function findFiles(paths: string[], mayBe: (name: string) => boolean): Search {
  const search: Search = { files: [], refused: [] };
  const seen = new Set<string>();

  const refuse = (path: string, reason: string, named: boolean) => search.refused.push({ path, reason, named });

  /** `path` is real: no part of it is a link. */
  const visit = (path: string, named: boolean) => {
    const stats = statSync(path, { bigint: true });
    if (!stats.isDirectory() && !named && !mayBe(basename(path))) return;
    const fileId = `${stats.dev}:${stats.ino}`;
    if (seen.has(fileId)) return;
    seen.add(fileId);
    if (stats.isDirectory()) visitFolder(path);
    else if (stats.isFile()) {
      search.files.push({ path, size: Number(stats.size), mtimeMs: Number(stats.mtimeMs), fileId, named });
    } else if (named) refuse(path, "neither a file nor a folder", named);
  };

  const visitFolder = (folder: string) => {
    const entries = readdirSync(folder, { withFileTypes: true });
    for (const entry of entries.sort((a, b) => (a.name < b.name ? -1 : 1))) {
      const path = join(folder, entry.name);
      const worth = entry.isDirectory() || entry.isSymbolicLink() || (entry.isFile() && mayBe(entry.name));
      try {
        if (worth) visit(entry.isSymbolicLink() ? realpathSync.native(path) : path, false);
      } catch (error) {
        refuse(path, reasonOf(error), false);
      }
    }
  };

  for (const path of paths) {
    try {
      visit(realpathSync.native(path), true);
    } catch (error) {
      refuse(path, reasonOf(error), true);
    }
  }
  return search;
}

/** Why the system refused, in a person's words. */
export function reasonOf(error: unknown): string {
  const { code, message } = error as NodeJS.ErrnoException;
  return (code !== undefined && REASONS[code]) || message;
}

const REASONS: Record<string, string> = {
  ENOENT: "does not exist",
  ENOTDIR: "does not exist",
  EACCES: "may not be read",
  EPERM: "may not be read",
  ELOOP: "is a loop of symbolic links",
  ENAMETOOLONG: "has too long a name",
  EIO: "cannot be read from the disk",
};
