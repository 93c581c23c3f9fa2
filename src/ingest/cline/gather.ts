import { closeSync, openSync, readFileSync, readSync, statSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import type { Gathered } from "../importer.js";
import type { Line } from "../lines.js";

type Value = Record<string, unknown>;

/**
 * A task of the editor's extension is a folder: what the person saw, what the model got, and the models in use. The
 * first names the others; all become one record. Null for the same files of other extensions.
 */
export function gather(path: string): Gathered | null {
  if (basename(path) !== "ui_messages.json") return null;
  if (!isTaskOfCline(headOf(path))) return null;
  const folder = dirname(path);
  const files = ["ui_messages.json", "api_conversation_history.json", "task_metadata.json"].map((name) =>
    join(folder, name),
  );
  const stats = files.map((file) => statSync(file, { throwIfNoEntry: false })).filter((stat) => stat !== undefined);
  return {
    size: stats.reduce((sum, { size }) => sum + size, 0),
    mtimeMs: Math.round(Math.max(...stats.map(({ mtimeMs }) => mtimeMs))),
    lines: () =>
      linesOf({
        task: basename(folder),
        rows: valueIn(files[0]!),
        history: valueIn(files[1]!),
        about: valueIn(files[2]!),
      }),
  };
}

/** True for the record that stands for a task. */
export function isTask(record: Value): boolean {
  return typeof record.task === "string" && Array.isArray(record.rows) && "history" in record && "about" in record;
}

/** True for a list of rows. Extensions that came from this one have the same, but write which protocol they speak. */
function isTaskOfCline(head: string): boolean {
  return /^\s*\[\s*\{\s*"(?:ts|type)":/.test(head) && !head.includes("apiProtocol");
}

const HEAD_BYTES = 256 * 1024;

function headOf(path: string): string {
  const head = Buffer.alloc(HEAD_BYTES);
  const file = openSync(path, "r");
  try {
    return head.toString("latin1", 0, readSync(file, head, 0, HEAD_BYTES, 0));
  } finally {
    closeSync(file);
  }
}

/** Null for a file that is missing, or no JSON: it is just being written. */
function valueIn(file: string): unknown {
  try {
    return JSON.parse(readFileSync(file, "utf8"));
  } catch {
    return null;
  }
}

function* linesOf(record: Value): Generator<Line> {
  const bytes = Buffer.from(JSON.stringify(record));
  yield { bytes, offset: 0, line: 1, end: bytes.length + 1, ended: true };
}
