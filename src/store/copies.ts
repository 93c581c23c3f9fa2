import type { Raw } from "../db/open.js";
import { type FactTable, factTables } from "./facts.js";

export type CountedTable = FactTable | "turns";

/** Tables in which copies of a thing have rows of their own. */
export const countedTables: CountedTable[] = [...Object.values(factTables), "turns"];

/** Which report of a thing is the fuller one, before everything else. */
const fuller: Partial<Record<CountedTable, string>> = {
  requests:
    "CASE r.output_quality WHEN 'final' THEN 0 WHEN 'provisional' THEN 1 ELSE 2 END, ifnull(r.output_tokens, -1) DESC, r.copy_rank, ",
  tool_calls: "r.result_seen DESC, r.use_seen DESC, ",
};

/**
 * Decides which of the rows of one thing counts: the fullest, then that of the session that began earlier, then the
 * smaller session id, then a source that was read before one that was received, then the smaller source. Depends only on what is in the store, never on what came first.
 */
export interface Copies {
  /** Decides again about one thing. Returns the keys of its rows. */
  recount(table: CountedTable, eventId: Buffer): number[];
  /** Key of the row that counts, as far as copies go. */
  firstOf(table: CountedTable, eventId: Buffer): number;
  /** Things with a row from `first` on that was a copy when it was written: it does not count yet. */
  since(table: CountedTable, first: number): Buffer[];
  /** Things with a row in the session that have several rows. */
  inSession(table: CountedTable, session: number): Buffer[];
}

export function createCopies(raw: Raw): Copies {
  const statements = new Map(countedTables.map((table) => [table, prepare(raw, table)]));
  return {
    recount(table, eventId) {
      const { rows, count } = statements.get(table)!;
      const found = rows.all(eventId) as { id: number; counted: number }[];
      for (const [i, { id, counted }] of found.entries()) {
        const due = i === 0 ? 1 : 0;
        if (counted !== due) count.run(due, id);
      }
      return found.map(({ id }) => id);
    },
    firstOf: (table, eventId) => (statements.get(table)!.rows.get(eventId) as { id: number }).id,
    since: (table, first) => once(statements.get(table)!.since.all(first) as Buffer[]),
    inSession: (table, session) => once(statements.get(table)!.inSession.all(session) as Buffer[]),
  };
}

function once(ids: Buffer[]): Buffer[] {
  return [...new Map(ids.map((id) => [id.toString("latin1"), id])).values()];
}

function prepare(raw: Raw, table: CountedTable) {
  const several = `EXISTS (SELECT 1 FROM ${table} o WHERE o.event_id = r.event_id AND o.id <> r.id)`;
  const lanes = table === "turns" ? ", l.lane_id, r.prompt_id" : "";
  return {
    rows: raw.prepare(`
      SELECT r.id, r.counted
      FROM ${table} r JOIN sessions s ON s.id = r.session JOIN sources o ON o.id = r.source JOIN words a ON a.id = s.agent
      ${table === "turns" ? "JOIN lanes l ON l.id = r.lane" : ""}
      WHERE r.event_id = ?
      ORDER BY ${fuller[table] ?? ""}s.started_at_ms IS NULL, s.started_at_ms, s.session_id, o.kind = 'otlp', o.format, o.locator, a.text${lanes}`),
    count: raw.prepare(`UPDATE ${table} SET counted = ? WHERE id = ?`),
    // Not DISTINCT: for its order SQLite would walk through the index of all events.
    since: raw.prepare(`SELECT event_id FROM ${table} NOT INDEXED WHERE id >= ? AND counted = 0`).pluck(),
    inSession: raw.prepare(`SELECT r.event_id FROM ${table} r WHERE r.session = ? AND ${several}`).pluck(),
  };
}
