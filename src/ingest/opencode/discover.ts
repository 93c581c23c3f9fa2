import { readdirSync } from "node:fs";
import { join } from "node:path";
import type { Surroundings } from "../importer.js";

/** Databases of 1.2 and later, and the folder of sessions that older versions wrote. */
export function places({ home, variables }: Surroundings): string[] {
  const data = variables.XDG_DATA_HOME || join(home, ".local", "share");
  const folder = variables.OPENCODE_DATA_DIR || join(data, "opencode");
  return [...databasesIn(folder), join(folder, "storage", "session")];
}

/** Each channel of releases has a database of its own. */
function databasesIn(folder: string): string[] {
  try {
    const names = readdirSync(folder).filter((name) => DATABASE.test(name));
    return names.sort().map((name) => join(folder, name));
  } catch {
    return [];
  }
}

export function mayBe(fileName: string): boolean {
  return DATABASE.test(fileName) || /^ses_\w+\.json$/.test(fileName) || fileName.endsWith(".export.json");
}

const DATABASE = /^opencode(-[\w.]+)?\.db$/;
