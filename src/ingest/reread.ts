import { closeSync, fstatSync } from "node:fs";
import { redact } from "../events/redact.js";
import { wordsOfFacts } from "../retention/facts.js";
import type { Gathered, Importer } from "./importer.js";
import { linesOf, newBuffer, type OpenFile } from "./lines.js";
import { openTranscript } from "./open.js";
import { type Found, valuesOf } from "./values.js";

/**
 * Words of facts without recognised credentials, read again from the records at these places of a transcript, by the
 * hex digest of the fact. Null when the file cannot be read any more; a record that has changed gives nothing.
 */
export function wordsAt(
  path: string,
  importer: Importer,
  lane: string,
  positions: number[],
): Map<string, string> | null {
  const opened = opening(path, importer);
  if (opened === null) return null;
  const { file, packed, gathered } = opened;
  try {
    const read = importer.passages?.(lane) ?? (() => []);
    const wanted = new Set(positions);
    const source = { file, size: fstatSync(file).size, buffer: newBuffer(), bytesRead: () => {} };
    const records = gathered === null ? [...wanted].flatMap((at) => recordsAt(source, at)) : among(gathered, wanted);
    const words = new Map<string, string>();
    for (const record of records) {
      for (const [digest, said] of wordsOfFacts(read(record))) words.set(digest, redact(said));
    }
    return words;
  } finally {
    closeSync(file);
    if (packed !== null) closeSync(packed);
  }
}

function opening(path: string, importer: Importer) {
  try {
    const gathered = importer.gather?.(path) ?? null;
    return { ...openTranscript(path), gathered };
  } catch {
    return null;
  }
}

function recordsAt(source: OpenFile, position: number): Found[] {
  if (position >= source.size) return [];
  for (const { found } of valuesOf(linesOf(source, { offset: position, line: 0 }))) {
    return found.filter(({ offset }) => offset === position);
  }
  return [];
}

/** Of what a file only names, places are counted from its beginning: all has to be gathered again. */
function* among(gathered: Gathered, wanted: Set<number>): Generator<Found> {
  for (const { found } of valuesOf(gathered.lines())) yield* found.filter(({ offset }) => wanted.has(offset));
}
