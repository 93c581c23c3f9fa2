/** Real transcripts beside the project, with figures that were computed independently. Read-only. */
import { readFileSync } from "node:fs";
import { join } from "node:path";

/** Folder of the corpus; null when the machine has none. */
export const corpusFolder: string | null = process.env.SONNY_CORPUS || null;

/** One row of EXPECTED.tsv, or of EXPECTED_GROUPS.tsv, by the names of its columns. */
export type Expected = Record<string, string>;

/** Expected figures per file of one format, such as `claude-jsonl`. */
export function expectedFiles(format: string): Expected[] {
  return rowsOf("EXPECTED.tsv").filter((row) => row.format === format);
}

/** Expected figures for families of files that share history. */
export function expectedGroups(): Expected[] {
  return rowsOf("EXPECTED_GROUPS.tsv");
}

export function corpusFile(file: string): string {
  return join(corpusFolder!, file);
}

/** Says how many checks a machine without the corpus leaves out. */
export function notRun(what: string): void {
  console.log(`${what}: not run, SONNY_CORPUS is not set`);
}

function rowsOf(name: string): Expected[] {
  const [head, ...lines] = readFileSync(join(corpusFolder!, name), "utf8").trimEnd().split("\n");
  const columns = head!.split("\t");
  return lines.map((line) => Object.fromEntries(line.split("\t").map((value, i) => [columns[i]!, value])));
}
