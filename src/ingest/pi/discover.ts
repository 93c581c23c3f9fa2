import { join } from "node:path";
import type { Surroundings } from "../importer.js";

/** Sessions of pi, and of oh-my-pi, which writes the same form. */
export function places({ home, variables }: Surroundings): string[] {
  const stated = [variables.PI_AGENT_DIR, variables.PI_CODING_AGENT_DIR].filter(
    (path) => path !== undefined && path !== "",
  );
  const agents = stated.length > 0 ? (stated as string[]) : [join(home, ".pi", "agent"), join(home, ".omp", "agent")];
  return agents.map((path) => join(path, "sessions"));
}

export function mayBe(fileName: string): boolean {
  return fileName.endsWith(".jsonl");
}
