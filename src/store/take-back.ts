import type { Raw } from "../db/open.js";
import type { Claims } from "./claims.js";
import { type CountedTable, countedTables } from "./copies.js";
import { factTables } from "./facts.js";
import { impliedIdOf } from "./turns.js";

/** What a source had said before it was taken back. */
export interface TakenBack {
  sessions: number[];
  /** Things of which other sources keep a row: their copies must be counted again. */
  copies: { table: CountedTable; eventId: Buffer }[];
  /** Known tenants by event, as hex: they stay when the source says the event again without one. */
  tenants: Map<string, number>;
}

/**
 * Removes everything one source said: its facts, turns, claims, coverage and notes. A turn that facts of other sources
 * belong to stays as one that nobody described. Sessions and lanes stay until `sweep`, because the source usually says
 * them again.
 */
export function takeBack(raw: Raw, source: number, claims: Claims, nameOf: (source: number) => string): TakenBack {
  const taken: TakenBack = { sessions: claims.takeBack(source), copies: [], tenants: new Map() };
  for (const session of taken.sessions) {
    for (const table of countedTables) {
      const rows = raw
        .prepare(
          `SELECT event_id AS eventId, tenant, EXISTS (SELECT 1 FROM ${table} o WHERE o.event_id = r.event_id AND o.id <> r.id) AS several
           FROM ${table} r WHERE session = ? AND source = ?`,
        )
        .iterate(session, source) as IterableIterator<{ eventId: Buffer; tenant: number | null; several: number }>;
      for (const { eventId, tenant, several } of rows) {
        if (several === 1) taken.copies.push({ table, eventId });
        if (tenant !== null) taken.tenants.set(eventId.toString("hex"), tenant);
      }
      if (table !== "turns") raw.prepare(`DELETE FROM ${table} WHERE session = ? AND source = ?`).run(session, source);
    }
    leaveTurns(raw, session, source, nameOf);
    raw.prepare("DELETE FROM coverage WHERE session = ? AND source = ?").run(session, source);
  }
  raw.prepare("DELETE FROM notes WHERE source = ?").run(source);
  return taken;
}

/** Removes the lanes and sessions among these of which nobody speaks any more. */
export function sweep(raw: Raw, sessions: number[]): void {
  const lanes = raw.prepare(
    "DELETE FROM lanes WHERE session = @id AND NOT EXISTS (SELECT 1 FROM claims c WHERE c.session = @id AND c.lane = lanes.id)",
  );
  const session = raw.prepare(`
    DELETE FROM sessions WHERE id = @id
      AND NOT EXISTS (SELECT 1 FROM claims WHERE session = @id)`);
  for (const id of sessions) {
    lanes.run({ id });
    session.run({ id });
  }
}

/** Turns of the source: gone, or implied by what other sources say. */
function leaveTurns(raw: Raw, session: number, source: number, nameOf: (source: number) => string): void {
  const implied = new Map<number, { atMs: number | null; source: number; batch: number }>();
  for (const table of Object.values(factTables)) {
    const facts = raw
      .prepare(`SELECT turn, source, batch, at_ms AS atMs FROM ${table} WHERE session = ? AND turn IS NOT NULL`)
      .iterate(session) as IterableIterator<{ turn: number; source: number; batch: number; atMs: number | null }>;
    for (const { turn, ...fact } of facts) {
      const best = implied.get(turn);
      const [mine, theirs] = [fact.atMs ?? Number.POSITIVE_INFINITY, best?.atMs ?? Number.POSITIVE_INFINITY];
      if (best === undefined || mine < theirs || (mine === theirs && nameOf(fact.source) < nameOf(best.source))) {
        implied.set(turn, fact);
      }
    }
  }
  const turns = raw
    .prepare(
      `SELECT t.id, t.prompt_id AS prompt, l.lane_id AS lane, s.session_id AS session, w.text AS agent
       FROM turns t JOIN lanes l ON l.id = t.lane JOIN sessions s ON s.id = t.session JOIN words w ON w.id = s.agent
       WHERE t.session = ? AND t.source = ?`,
    )
    .all(session, source) as { id: number; prompt: string; lane: string; session: string; agent: string }[];
  const remove = raw.prepare("DELETE FROM turns WHERE id = ?");
  const imply = raw.prepare(`
    UPDATE turns SET event_id = ?, source = ?, batch = ?, at_ms = ?, time_quality = 'inherited', tenant = NULL,
      source_line = NULL, source_offset = NULL, counted = 1, ended_at_ms = NULL, outcome = NULL, branch = NULL,
      project = NULL, client_version = NULL
    WHERE id = ?`);
  for (const turn of turns) {
    const fact = implied.get(turn.id);
    if (fact === undefined) remove.run(turn.id);
    else imply.run(impliedIdOf(turn, turn.prompt), fact.source, fact.batch, fact.atMs, turn.id);
  }
}
