import { createHash } from "node:crypto";
import { fstatSync, readFileSync, readSync } from "node:fs";
import { dirname, join } from "node:path";
import type { Cursor, SourceBatch } from "../events/sink.js";
import type { Gathered, Importer, MapOptions, Mapper, Say, Tally } from "./importer.js";
import { judged } from "./judge.js";
import { linesOf, type OpenFile } from "./lines.js";
import { valuesOf } from "./values.js";

/** What one file gave so far: to be committed as it is, or not at all. */
export interface Part extends SourceBatch {
  cursor: Cursor;
  lines: number;
  tally: Tally;
  /** True when nothing is left to read now. */
  last: boolean;
}

export interface ReadOptions extends MapOptions {
  /** A part ends when it holds so many events, or stands for so many bytes. */
  commitEvents: number;
  commitBytes: number;
}

/** The file as the system describes it. */
export interface Identity {
  size: number;
  mtimeMs: number;
  fileId: string;
}

/** True when nothing can have changed since the cursor was written with these options. */
export function isUnchanged(cursor: Cursor, file: Identity, importer: Importer, options: MapOptions): boolean {
  return (
    cursor.size === file.size &&
    cursor.mtimeMs === Math.round(file.mtimeMs) &&
    cursor.fileId === file.fileId &&
    cursor.parserVersion === importer.parserVersion &&
    remembered(cursor, options) !== null
  );
}

/**
 * Reads a file from its cursor on, or from the beginning when it was rewritten meanwhile, in parts. The caller commits
 * each part before asking for the next.
 */
export function* partsOf(
  path: string,
  source: OpenFile & { identity: Identity; gathered: Gathered | null },
  importer: Importer,
  options: ReadOptions,
  cursor: Cursor | null,
): Generator<Part> {
  const { identity } = source;
  const state = cursor !== null && goesOn(source, cursor, importer) ? remembered(cursor, options) : null;
  const from = state === null ? null : cursor;
  const mapper = importer.map({ path, beside: (name) => textBeside(path, name) }, options, state);
  const place = { offset: from?.offset ?? 0, line: from?.line ?? 0 };
  let part = emptyPart();
  let expectedOffset = cursor?.offset ?? null;
  let replace = cursor !== null && from === null;
  let linesSkipped = from?.linesSkipped ?? 0;
  let begun = { ...place };

  const say: Say = (event, replaced) => {
    part.events.push(event);
    if (replaced === undefined || event.kind !== "compaction") return;
    part.events.push(judged(source, importer, event, replaced, options));
  };

  function emptyPart() {
    return { events: [], skipped: [] } as Pick<SourceBatch, "events" | "skipped">;
  }

  function ended(last: boolean): Part {
    linesSkipped += part.skipped.length;
    const done: Part = {
      source: { kind: "import", format: importer.agent, locator: path },
      ...part,
      cursor: {
        ...identity,
        // Until the file is read to its end it must not look unchanged.
        mtimeMs: last ? identity.mtimeMs : 0,
        ...place,
        tailDigest: tailDigest(source, place.offset),
        linesSkipped,
        parserVersion: importer.parserVersion,
        state: `${optionsLine(options)}\n${mapper.state()}`,
      },
      expectedOffset,
      replace,
      lines: place.line - begun.line,
      tally: takenTally(mapper),
      last,
    };
    part = emptyPart();
    begun = { ...place };
    expectedOffset = place.offset;
    replace = false;
    return done;
  }

  for (const { found, skipped, end } of valuesOf(source.gathered?.lines() ?? linesOf(source, place))) {
    for (const record of found) mapper.take(record, say);
    part.skipped.push(...skipped);
    Object.assign(place, end);
    const bytes = place.offset - begun.offset;
    if (part.events.length >= options.commitEvents || bytes >= options.commitBytes) yield ended(false);
  }
  mapper.rest(place.offset, say);
  yield ended(true);
}

/**
 * Whose records the file holds; null when nobody knows them. A file that begins with text is no transcript, even if
 * records are quoted in it: logs of other programs do that.
 */
export function importerOf(source: OpenFile, importers: readonly Importer[]): Importer | null {
  let foreign = 0;
  let unreadable = 0;
  for (const { found, skipped } of valuesOf(linesOf(source))) {
    for (const { value } of found) {
      const importer = importers.find((candidate) => candidate.recognises(value));
      if (importer !== undefined) return importer;
    }
    foreign += found.length;
    unreadable += skipped.length;
    if (foreign >= FOREIGN_RECORDS || unreadable >= UNREADABLE_LINES) return null;
  }
  return null;
}

/** A transcript shows itself after fewer records that nobody knows, and fewer lines that are no records at all. */
const FOREIGN_RECORDS = 50;
const UNREADABLE_LINES = 10;

export function identityOf(file: number): Identity {
  const { dev, ino, size, mtimeMs } = fstatSync(file, { bigint: true });
  return { size: Number(size), mtimeMs: Math.round(Number(mtimeMs)), fileId: `${dev}:${ino}` };
}

/** True when the bytes before the cursor are still the ones that were read. */
function goesOn(source: OpenFile, cursor: Cursor, importer: Importer): boolean {
  return (
    !importer.whole &&
    cursor.parserVersion === importer.parserVersion &&
    cursor.offset <= source.size &&
    cursor.tailDigest === tailDigest(source, cursor.offset)
  );
}

const TAIL_BYTES = 64;

function tailDigest({ file, bytesRead }: OpenFile, offset: number): string {
  const tail = Buffer.alloc(Math.min(TAIL_BYTES, offset));
  const got = readSync(file, tail, 0, tail.length, offset - tail.length);
  bytesRead(got);
  return createHash("sha256").update(tail.subarray(0, got)).digest("hex").slice(0, 32);
}

/** The mapper's state, if the file was read with options that gave as much. */
function remembered({ state }: Cursor, options: MapOptions): string | null {
  const end = state?.indexOf("\n") ?? -1;
  if (state === null || end < 0) return null;
  const { content, tenant } = JSON.parse(state.slice(0, end)) as MapOptions;
  const enough = (content || !options.content) && (options.tenant === null || options.tenant === tenant);
  return enough ? state.slice(end + 1) : null;
}

function optionsLine({ content, tenant }: MapOptions): string {
  return JSON.stringify({ content, tenant });
}

function takenTally({ tally }: Mapper): Tally {
  const taken = { ...tally };
  Object.assign(tally, { repeated: 0, withoutKey: 0 });
  return taken;
}

const BESIDE_BYTES = 64 * 1024;

function textBeside(path: string, name: string): string | null {
  try {
    return readFileSync(join(dirname(path), name), "utf8").slice(0, BESIDE_BYTES);
  } catch {
    return null;
  }
}
