import { join } from "node:path";
import type { Surroundings } from "../importer.js";

/** Chats lie below a folder per project. */
export function places({ home, variables }: Surroundings): string[] {
  return [join(variables.GEMINI_DATA_DIR || join(home, ".gemini"), "tmp")];
}

export function mayBe(fileName: string): boolean {
  return /^session-.*\.jsonl?$/.test(fileName);
}
