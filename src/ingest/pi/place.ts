import type { Header } from "../../events/facts.js";
import { digestOf, hexOf } from "../../events/identity.js";
import type { MapOptions, Say, Tally } from "../importer.js";
import type { Frame } from "./records.js";
import type { FileState } from "./state.js";

export const AGENT = "pi";

/** Where an entry stands, and what goes on every event. */
export interface Place {
  file: FileState;
  session: string;
  frame: Frame;
  options: MapOptions;
  tally: Tally;
  line: number;
  offset: number;
  bytes: Buffer;
  say: Say;
}

/** The header of an event that an entry tells of. */
export function headerOf({ file, session, frame, options, line, offset }: Place): Header {
  return {
    agent: AGENT,
    session,
    lane: "main",
    turn: file.turn?.header.turn ?? null,
    tenant: options.tenant,
    atMs: frame.atMs ?? file.atMs,
    timeQuality: frame.atMs === null ? "inherited" : "exact",
    line,
    offset,
  };
}

/**
 * Names an entry in every copy of it: entries have ids of their own at best, so what it holds must do, with the time it
 * was made. Without a time it stands for itself.
 */
export function keyOf(
  { file, session, frame, bytes }: Place,
  madeMs: number | null,
  parts: (string | number | null)[],
): string {
  const time = madeMs ?? frame.atMs;
  if (time !== null) return [time, ...parts].join("/");
  const digest = hexOf(digestOf(bytes));
  const nth = (file.keyless.get(digest) ?? 0) + 1;
  file.keyless.set(digest, nth);
  return `${session}/${digest}/${nth}`;
}
