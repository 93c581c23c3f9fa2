import { closeSync } from "node:fs";
import { type Cursor, CursorMoved, type Sink, type Source } from "../events/sink.js";
import { Failure } from "../failure.js";
import { importers as allImporters } from "./agents.js";
import { type FoundFile, findFiles, reasonOf, type Search } from "./find.js";
import type { Gathered, Importer } from "./importer.js";
import { newBuffer } from "./lines.js";
import { Damaged, openTranscript } from "./open.js";
import { identityOf, importerOf, isUnchanged, type Part, partsOf, type ReadOptions } from "./read.js";
import { type Counting, counting, type ImportReport } from "./report.js";

export interface ImportOptions {
  /** Put on every event; null when none was given. */
  tenant?: string | null;
  /** True keeps texts too. */
  content?: boolean;
  /** Agents whose transcripts are looked for; all by default. */
  importers?: readonly Importer[];
  /** What is read is committed when it comes to so many events or bytes; small files share a commit. */
  commitEvents?: number;
  commitBytes?: number;
  /** Called after each file and each commit. */
  onProgress?: (progress: Progress) => void;
}

export interface Progress {
  files: number;
  filesDone: number;
  bytes: number;
  bytesDone: number;
}

/**
 * Reads the transcripts among the paths (files, and folders with all below them) into the sink.
 *
 * A file whose size, time and identity are the recorded ones is not opened; one that grew is read from where reading
 * stopped; one that was rewritten, or was read by another parser, replaces what it said before. Each part is committed
 * together with the place where reading goes on, so an import that was killed is simply run again. Files that are no
 * transcripts are refused with a reason; nothing about a single file ends the import.
 */
export function importFiles(paths: string[], sink: Sink, options: ImportOptions = {}): ImportReport {
  return importFound(transcriptsAmong(paths, options.importers), sink, options);
}

/** Files among the paths that may be transcripts. */
export function transcriptsAmong(paths: string[], importers: readonly Importer[] = allImporters): Search {
  return findFiles(paths, (name) => importers.some((importer) => importer.mayBe(name)));
}

/** The same for files that were looked for already. */
export function importFound({ files, refused }: Search, sink: Sink, options: ImportOptions = {}): ImportReport {
  const importers = options.importers ?? allImporters;
  const count = counting();
  count.found(files.length + refused.length);
  for (const { path, reason, named } of refused) count.refused(path, reason, named);

  const bytes = files.reduce((sum, { size }) => sum + size, 0);
  const progress: Progress = { files: files.length, filesDone: 0, bytes, bytesDone: 0 };
  const reading: Reading = {
    importers,
    sink,
    count,
    buffer: newBuffer(),
    held: [],
    options: { tenant: null, content: false, commitEvents: 5_000, commitBytes: 16 * 1024 * 1024, ...options },
  };
  let waiting = files;
  for (let round = 0; waiting.length > 0 && round < ROUNDS; round += 1) {
    const moved = new Set<string>();
    for (const file of waiting) {
      importFile(reading, file, moved);
      if (round > 0) continue;
      progress.filesDone += 1;
      progress.bytesDone += file.size;
      options.onProgress?.(progress);
    }
    commit(sink, reading.held, count, moved);
    waiting = waiting.filter(({ path }) => moved.has(path));
  }
  for (const { path, named } of waiting) count.refused(path, "is being imported by another process", named);
  return count.report();
}

/** A file that others keep importing at the same time is tried again so often. */
const ROUNDS = 5;

interface Reading {
  importers: readonly Importer[];
  sink: Sink;
  count: Counting;
  buffer: Buffer;
  /** Read, but not committed. */
  held: Part[];
  options: ReadOptions;
}

function importFile(reading: Reading, found: FoundFile, moved: Set<string>): void {
  const { importers, sink, count, options } = reading;
  const known = importers
    .map((importer) => ({ importer, cursor: sink.cursorOf(sourceOf(importer, found.path)) }))
    .find(({ cursor }) => cursor !== null);
  try {
    const gathered = gatheredFrom(found.path, known === undefined ? importers : [known.importer]);
    const looked = gathered === null ? found : { ...found, size: gathered.what.size, mtimeMs: gathered.what.mtimeMs };
    if (known?.cursor && isUnchanged(known.cursor, looked, known.importer, options)) count.unchanged();
    else if (found.size === 0 && known === undefined) count.unchanged();
    else readFile(reading, found, known ?? null, gathered, moved);
  } catch (error) {
    // Trouble with the store concerns all files; anything else about one file never ends the import.
    if (error instanceof Failure) throw error;
    const expected = error instanceof Damaged || (error as NodeJS.ErrnoException).syscall !== undefined;
    const reason = expected ? reasonOf(error) : `sonny stumbled over it, please report: ${(error as Error).message}`;
    count.refused(found.path, reason, found.named);
  }
}

/** What the file stands for, and for whom; null when it holds its records itself. */
function gatheredFrom(path: string, importers: readonly Importer[]): { importer: Importer; what: Gathered } | null {
  for (const importer of importers) {
    const what = importer.gather?.(path) ?? null;
    if (what !== null) return { importer, what };
  }
  return null;
}

/** Reads a file to its end, unless another import moved its cursor: then it is among `moved`. */
function readFile(
  { importers, sink, count, options, buffer, held }: Reading,
  { path, named }: FoundFile,
  known: { importer: Importer; cursor: Cursor | null } | null,
  gathered: { importer: Importer; what: Gathered } | null,
  moved: Set<string>,
): void {
  const { file, packed } = openTranscript(path);
  try {
    const opened = identityOf(packed ?? file);
    const what = gathered?.what ?? null;
    const identity = what === null ? opened : { ...opened, size: what.size, mtimeMs: what.mtimeMs };
    const size = identityOf(file).size;
    const source = { file, identity, gathered: what, size, buffer, bytesRead: count.bytesRead };
    const importer = known?.importer ?? gathered?.importer ?? importerOf(source, importers);
    if (importer === null) count.refused(path, "not a transcript of a known agent", named);
    const parts = importer === null ? [] : partsOf(path, source, importer, options, known?.cursor ?? null);
    for (const part of parts) {
      held.push(part);
      if (!part.last || isEnough(held, options)) commit(sink, held, count, moved);
      if (moved.has(path)) return;
    }
  } finally {
    closeSync(file);
    if (packed !== null) closeSync(packed);
  }
}

function sourceOf(importer: Importer, path: string): Source {
  return { kind: "import", format: importer.agent, locator: path };
}

function isEnough(held: Part[], options: ReadOptions): boolean {
  const events = held.reduce((sum, part) => sum + part.events.length, 0);
  const bytes = held.reduce((sum, part) => sum + part.cursor.offset, 0);
  return events >= options.commitEvents || bytes >= options.commitBytes;
}

/** Commits what is held. A part whose source somebody else moved is dropped; its file must be read again. */
function commit(sink: Sink, held: Part[], count: Counting, moved: Set<string>): void {
  while (held.length > 0) {
    try {
      count.committed(sink.append(held));
      for (const part of held) count.part(part);
      held.length = 0;
    } catch (error) {
      if (!(error instanceof CursorMoved)) throw error;
      const { format, locator } = error.source;
      const at = held.findIndex(({ source }) => source.format === format && source.locator === locator);
      if (at < 0) throw error;
      held.splice(at, 1);
      moved.add(locator);
    }
  }
}
