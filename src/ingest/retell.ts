import { closeSync } from "node:fs";
import { digestOf, hexOf } from "../events/identity.js";
import { redact } from "../events/redact.js";
import type { Spoken } from "../retention/context.js";
import type { Passage } from "../retention/passages.js";
import { importers } from "./agents.js";
import { reasonOf } from "./find.js";
import type { Importer } from "./importer.js";
import { linesOf, newBuffer } from "./lines.js";
import { Damaged, openTranscript } from "./open.js";
import { identityOf } from "./read.js";
import { wordsAt } from "./reread.js";
import { valuesOf } from "./values.js";

/** Where the text of a lane stands, as it was when it was imported. */
export interface Place {
  agent: string;
  path: string;
  /** Offsets of the session's first record, and of the next session's; 0 and null when it is alone in the file. */
  begin: number;
  end: number | null;
  /** How far the import read, unpacked; null when unknown. */
  readBytes: number | null;
  sizeBytes: number | null;
  mtimeMs: number | null;
}

/** What was said in one lane, without recognised credentials; or why it cannot be told. */
export type Retelling<P extends Place = Place> =
  | { why: null; place: P; changed: boolean; passages: Spoken[] }
  | { why: string };

/**
 * Tells again what was said in a lane, from the first of the places that can still be read. A file that has grown since
 * is read as far as the import had come; `changed` says that it is not what it was.
 */
export function retold<P extends Place>(places: P[], lane: string): Retelling<P> {
  let why: string | null = null;
  for (const place of places) {
    const telling = retoldFrom(place, lane);
    if (telling.why === null) return telling;
    why ??= telling.why;
  }
  return { why: why ?? `no transcript of lane ${lane} was imported` };
}

/** Facts whose words are not known, with their words as far as the transcript still tells them. */
export function worded<F extends { digest: string; position: number | null; words: string | null }>(
  facts: F[],
  { agent, path, lane }: { agent: string; path: string; lane: string },
): { facts: F[]; readable: boolean } {
  const silent = facts.filter(({ words }) => words === null);
  const importer = importerNamed(agent);
  if (silent.length === 0 || importer === undefined) return { facts, readable: true };
  const positions = silent.flatMap(({ position }) => position ?? []);
  const words = wordsAt(path, importer, lane, positions);
  return {
    facts: facts.map((fact) => ({ ...fact, words: fact.words ?? words?.get(fact.digest) ?? null })),
    readable: words !== null,
  };
}

function importerNamed(agent: string): Importer | undefined {
  return importers.find((importer) => importer.agent === agent);
}

function retoldFrom<P extends Place>(place: P, lane: string): Retelling<P> {
  const importer = importerNamed(place.agent);
  if (importer === undefined) return { why: "it was recorded without texts" };
  if (importer.passages === undefined) return { why: `texts of ${place.agent} are not read from its transcripts` };
  try {
    const { passages, changed } = read(place, importer, lane);
    if (passages.length > 0) return { why: null, place, changed, passages };
    return { why: `${place.path} tells nothing that was said in lane ${lane}` };
  } catch (error) {
    const expected = error instanceof Damaged || (error as NodeJS.ErrnoException).syscall !== undefined;
    if (!expected) throw error;
    return { why: `${place.path} ${reasonOf(error)}` };
  }
}

function read({ path, begin, end, readBytes, sizeBytes, mtimeMs }: Place, importer: Importer, lane: string) {
  const gathered = importer.gather?.(path) ?? null;
  const { file, packed } = openTranscript(path);
  try {
    const now = gathered ?? identityOf(packed ?? file);
    const changed = now.size !== sizeBytes || Math.round(now.mtimeMs) !== mtimeMs;
    const { size } = identityOf(file);
    const source = { file, size, buffer: newBuffer(), bytesRead: () => {} };
    // In lines a session goes on from the one before it; a document that is rewritten as a whole is one by itself.
    const from = importer.whole ? begin : 0;
    const to = Math.min(
      end ?? Number.POSITIVE_INFINITY,
      importer.whole ? Number.POSITIVE_INFINITY : (readBytes ?? size),
    );
    const tell = importer.passages!(lane);
    const passages: Spoken[] = [];
    for (const { found } of valuesOf(gathered?.lines() ?? linesOf(source))) {
      for (const record of found) {
        if (record.offset >= from && record.offset < to) passages.push(...tell(record).map(spoken));
      }
    }
    return { passages, changed };
  } finally {
    closeSync(file);
    if (packed !== null) closeSync(packed);
  }
}

/** The digest is taken before credentials are. */
function spoken(passage: Passage): Spoken {
  const digest = passage.kind === "checkpoint" ? hexOf(digestOf(passage.text)) : null;
  return { ...withoutCredentials(passage), digest };
}

function withoutCredentials(passage: Passage): Passage {
  switch (passage.kind) {
    case "plan":
      return { ...passage, items: passage.items.map(({ text, open }) => ({ text: redact(text), open })) };
    case "call": {
      const { target, command } = passage;
      return {
        ...passage,
        target: target === null ? null : redact(target),
        command: command === null ? null : redact(command),
        arguments: passage.arguments.map(redact),
      };
    }
    default:
      return { ...passage, text: redact(passage.text) };
  }
}
