import { join } from "node:path";
import type { Surroundings } from "../importer.js";

/** Each session has a folder of its own. */
export function places({ home, variables }: Surroundings): string[] {
  return [join(variables.CLINE_DIR || join(home, ".cline"), "data", "sessions")];
}

export function mayBe(fileName: string): boolean {
  return fileName.endsWith(".messages.json");
}
