import { join } from "node:path";
import type { Surroundings } from "../importer.js";

/** Sessions in use and archived ones. */
export function places({ home, variables }: Surroundings): string[] {
  const codex = variables.CODEX_HOME || join(home, ".codex");
  return [join(codex, "sessions"), join(codex, "archived_sessions")];
}

/** Rollouts, also compressed ones. */
export function mayBe(fileName: string): boolean {
  return fileName.endsWith(".jsonl") || fileName.endsWith(".jsonl.zst");
}
