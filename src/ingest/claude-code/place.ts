import type { Digest, EventHeader } from "../../events/event.js";
import type { Say } from "../importer.js";
import type { Frame } from "./records.js";
import type { FileState, LaneState, SessionState } from "./state.js";

export const AGENT = "claude-code";

/** Where a record stands: its session and lane, its position in the file, and what goes on every event. */
export interface Place {
  frame: Frame;
  file: FileState;
  session: SessionState;
  lane: LaneState;
  /** 0 = the lane's own file, 1 = inline in another lane's file, 2 = inside a progress record. */
  rank: 0 | 1 | 2;
  tenant: string | null;
  content: boolean;
  line: number;
  offset: number;
  /** Bytes of the record, valid while it is handled. */
  bytes: Buffer;
  say: Say;
}

/** The header of an event that a record tells of, but for its id. */
export function headerOf({ frame, session, lane, tenant, line, offset }: Place): Omit<EventHeader, "eventId"> {
  return {
    agent: AGENT,
    session: session.id,
    lane: lane.id,
    turn: lane.turn === null ? null : lane.turn.turn,
    tenant,
    atMs: frame.atMs ?? session.atMs,
    timeQuality: frame.atMs === null ? "inherited" : "exact",
    line,
    offset,
  };
}

/** The header with its id. */
export function headed(place: Place, eventId: Digest): EventHeader {
  return { eventId, ...headerOf(place) };
}

/** Id of a record that stays the same in copies of it; null for records without one. */
export function identityOf({ frame }: Place): string | null {
  return frame.copyOf?.uuid ?? frame.uuid;
}
