import { closeSync, fstatSync } from "node:fs";
import { redact } from "../events/redact.js";
import { wordsOfFacts } from "../retention/facts.js";
import type { Passage } from "../retention/passages.js";
import type { Importer } from "./importer.js";
import { linesOf, newBuffer, type OpenFile } from "./lines.js";
import { openTranscript } from "./open.js";
import { valuesOf } from "./values.js";

/**
 * Words of facts without recognised credentials, read again from the records at these places of a transcript, by the hex digest of the fact. Null when
 * the file cannot be read any more; a record that has changed gives nothing.
 */
export function wordsAt(
  path: string,
  importer: Importer,
  lane: string,
  positions: number[],
): Map<string, string> | null {
  const opened = opening(path);
  if (opened === null) return null;
  try {
    const size = fstatSync(opened.file).size;
    const source = { file: opened.file, size, buffer: newBuffer(), bytesRead: () => {} };
    const passages = [...new Set(positions)].flatMap((position) => recordAt(source, importer, lane, position));
    return new Map([...wordsOfFacts(passages)].map(([digest, words]) => [digest, redact(words)]));
  } finally {
    closeSync(opened.file);
    if (opened.packed !== null) closeSync(opened.packed);
  }
}

function opening(path: string) {
  try {
    return openTranscript(path);
  } catch {
    return null;
  }
}

function recordAt(source: OpenFile, importer: Importer, lane: string, position: number): Passage[] {
  if (position >= source.size) return [];
  const read = importer.passages?.(lane);
  for (const { found } of valuesOf(linesOf(source, { offset: position, line: 0 }))) {
    return found.filter(({ offset }) => offset === position).flatMap((record) => read?.(record) ?? []);
  }
  return [];
}
