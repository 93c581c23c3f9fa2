import type { Span } from "../importer.js";
import { bounded } from "../remember.js";
import type { CompactionRecord } from "./records.js";
import type { Entry, FileState } from "./state.js";

/** Entries are a tree; those without ids, of the oldest form, are numbered and follow each other. */
export function entered(file: FileState, id: string | null, parentId: string | null, at: Span): Entry {
  const key = id ?? numbered(file.entriesRead);
  const entry: Entry = { name: id ?? String(at[0]), parent: id === null ? file.leaf : parentId, at };
  file.entries.set(key, entry);
  bounded(file.entries, ENTRIES);
  file.leaf = key;
  file.entriesRead += 1;
  return entry;
}

const ENTRIES = 100_000;
const numbered = (n: number) => `#${n}`;

/** Where the context stands that a compaction replaces, and the names of the entries that stay. */
export function compactedContext(file: FileState, entry: Entry, record: CompactionRecord) {
  const context = contextOf(file, entry.parent);
  entry.firstKept = firstKept(record);
  const from = context.findIndex(({ key }) => key === entry.firstKept);
  const kept = from < 0 ? [] : context.slice(from).map(({ name }) => name);
  return { context: joined(context.map(({ at }) => at)), kept, replacement: entry.at };
}

/** The oldest form counts entries from the head of the file; the head itself cannot be kept. */
function firstKept({ firstKeptId, firstKeptIndex }: CompactionRecord): string | null {
  return firstKeptId ?? (firstKeptIndex === null ? null : numbered(Math.max(1, firstKeptIndex)));
}

/** From the root to this entry, without what the latest compaction on the way took out. */
function contextOf({ entries }: FileState, leaf: string | null): (Entry & { key: string })[] {
  const path: (Entry & { key: string })[] = [];
  let key = leaf;
  while (key !== null) {
    const entry = entries.get(key);
    // A parent stands before its children, so nobody can lead in a circle.
    if (entry === undefined || entry.at[0] >= (path.at(-1)?.at[0] ?? Number.POSITIVE_INFINITY)) break;
    path.push({ key, ...entry });
    key = entry.parent;
  }
  path.reverse();
  const at = path.findLastIndex((entry) => entry.firstKept !== undefined);
  if (at < 0) return path;
  const kept = path.findIndex((entry) => entry.key === path[at]!.firstKept);
  return [path[at]!, ...(kept < 0 ? [] : path.slice(kept, at)), ...path.slice(at + 1)];
}

/** Entries on neighbouring lines are one span. */
function joined(spans: Span[]): Span[] {
  const all: Span[] = [];
  for (const [from, to] of spans) {
    const before = all.at(-1);
    if (before !== undefined && from >= before[1] && from - before[1] <= LINE_END) before[1] = to;
    else all.push([from, to]);
  }
  return all;
}

const LINE_END = 2;
