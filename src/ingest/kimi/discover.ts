import { join } from "node:path";
import type { Surroundings } from "../importer.js";

export function places({ home, variables }: Surroundings): string[] {
  return [join(variables.KIMI_CODE_HOME || join(home, ".kimi-code"), "sessions")];
}

export function mayBe(fileName: string): boolean {
  return fileName.endsWith("wire.jsonl");
}

/** Whose file it is: `<session>/agents/<agent>/wire.jsonl`; elsewhere the file is a session of its own. */
export function ownerOf(path: string): { session: string; lane: string } {
  const [, session, lane] = /([^\\/]+)[\\/]agents[\\/]([^\\/]+)[\\/][^\\/]*$/.exec(path) ?? [];
  if (session !== undefined && lane !== undefined) return { session, lane };
  const name = path.replace(/^.*[\\/]/, "").replace(/(\.wire)?\.jsonl$/, "");
  return { session: name, lane: "main" };
}
