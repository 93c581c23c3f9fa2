import type { EventKind, SessionEvent } from "../events/event.js";
import type { Cursor, Source } from "../events/sink.js";
import { cleanName } from "./clean.js";
import { type FactKind, factTables } from "./facts.js";
import type { Store } from "./open.js";
import { createSources } from "./sources.js";
import { readTombstones } from "./tombstones.js";

/** What a store holds already, for those who only want to count. */
export interface Known {
  cursorOf(source: Source): Cursor | null;
  /**
   * Whether an append would find a row of the event: of this source (a turn: of any source of its session), or of
   * other ones only. `forgotten` would be left out. `tenant` is the known one that would stay.
   */
  find(
    event: SessionEvent,
    source: Source,
  ): { where: "here" | "elsewhere" | "nowhere" | "forgotten"; tenant: string | null };
}

export function createKnown({ raw }: Pick<Store, "raw">): Known {
  const { cursorOf } = createSources(raw);
  const forgotten = readTombstones(raw);
  const ofSession = raw.prepare(`
    SELECT w.text AS tenant FROM sessions s JOIN words a ON a.id = s.agent LEFT JOIN words w ON w.id = s.tenant
    WHERE s.session_id = ? AND a.text = ?`);
  const ofTurn = raw.prepare(`
    SELECT w.text AS tenant, s.session_id = ? AND l.lane_id = ? AS here FROM turns t
    JOIN sessions s ON s.id = t.session JOIN lanes l ON l.id = t.lane LEFT JOIN words w ON w.id = t.tenant
    WHERE t.event_id = ? ORDER BY here DESC`);
  const ofFact = new Map(
    (Object.keys(factTables) as FactKind[]).map((kind) => [
      kind as EventKind,
      raw.prepare(`
        SELECT w.text AS tenant, s.format = ? AND s.locator = ? AS here FROM ${factTables[kind]} f
        JOIN sources s ON s.id = f.source LEFT JOIN words w ON w.id = f.tenant
        WHERE f.event_id = ? ORDER BY here DESC`),
    ]),
  );

  type Row = { tenant: string | null; here?: number } | undefined;
  function rowOf(event: SessionEvent, { format, locator }: Source): Row {
    if (event.kind === "session") return ofSession.get(event.session, event.agent) as Row;
    if (event.kind === "turn") return ofTurn.get(event.session, event.lane, event.eventId) as Row;
    return ofFact.get(event.kind)?.get(format, cleanName(locator), event.eventId) as Row;
  }

  return {
    cursorOf,
    find(event, source) {
      if (forgotten?.(event)) return { where: "forgotten", tenant: null };
      const row = rowOf(event, source);
      if (row === undefined) return { where: "nowhere", tenant: null };
      const here = row.here !== 0;
      return { where: here ? "here" : "elsewhere", tenant: here ? row.tenant : null };
    },
  };
}
