import { join } from "node:path";
import type { Surroundings } from "../importer.js";

/** Sessions lie in the folder `chats` of each project. */
export function places({ home }: Surroundings): string[] {
  return [join(home, ".qwen", "projects")];
}

export function mayBe(fileName: string): boolean {
  return fileName.endsWith(".jsonl");
}
