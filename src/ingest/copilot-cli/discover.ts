import { join } from "node:path";
import type { Surroundings } from "../importer.js";

/** Each session has a folder of its own; older ones are single files. */
export function places({ home, variables }: Surroundings): string[] {
  return [join(variables.COPILOT_HOME || join(home, ".copilot"), "session-state")];
}

export function mayBe(fileName: string): boolean {
  return fileName.endsWith(".jsonl");
}
