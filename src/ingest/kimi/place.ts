import type { Header } from "../../events/facts.js";
import type { MapOptions, Say } from "../importer.js";
import type { FileState } from "./state.js";

export const AGENT = "kimi-cli";

/** Where a record stands, and what goes on every event. */
export interface Place {
  file: FileState;
  session: string;
  lane: string;
  atMs: number | null;
  options: MapOptions;
  line: number;
  offset: number;
  /** Offset of the first byte after the record. */
  end: number;
  say: Say;
}

/** The header of an event that a record tells of. */
export function headerOf({ file, session, lane, atMs, options, line, offset }: Place): Header {
  return {
    agent: AGENT,
    session,
    lane,
    turn: file.turn?.header.turn ?? null,
    tenant: options.tenant,
    atMs: atMs ?? file.atMs,
    timeQuality: atMs === null ? "inherited" : "exact",
    line,
    offset,
  };
}
