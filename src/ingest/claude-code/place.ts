import type { Digest, EventHeader } from "../../events/event.js";
import type { Frame } from "./records.js";
import type { FileState, LaneState, SessionState } from "./state.js";

export const AGENT = "claude-code";

/** Where a record stands: its session and lane, its position in the file, and what goes on every event. */
export interface Place {
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
}

/** The header of an event that a record tells of, but for its id. */
export function headerOf(place: Place, record: Pick<Frame, "atMs">): Omit<EventHeader, "eventId"> {
  const inherited = record.atMs === null;
  return {
    agent: AGENT,
    session: place.session.id,
    lane: place.lane.id,
    turn: place.lane.turn?.turn ?? null,
    tenant: place.tenant,
    atMs: inherited ? place.session.atMs : record.atMs,
    timeQuality: inherited ? "inherited" : "exact",
    line: place.line,
    offset: place.offset,
  };
}

/** The header with its id. */
export function headed(place: Place, record: Pick<Frame, "atMs">, eventId: Digest): EventHeader {
  return { eventId, ...headerOf(place, record) };
}

/** Id of a record that stays the same in copies of it; null for records without one. */
export function identityOf(record: Frame): string | null {
  return record.copyOf?.uuid ?? record.uuid;
}
