import { factTables } from "./facts.js";
import type { Store } from "./open.js";

/** What was added to the store after a batch, as far as an export has to know. */
export interface Growth {
  /** The newest batch; 0 in an empty store. */
  lastBatch: number;
  /** Inner keys of the sessions that sources spoke of in later batches, in the order in which they were made. */
  sessions: number[];
}

/** A batch of 0 finds everything. */
export function grownSince({ raw }: Store, batch: number): Growth {
  const lastBatch = raw.prepare("SELECT ifnull(max(id), 0) FROM batches").pluck().get() as number;
  const sessions = raw
    .prepare(
      `SELECT DISTINCT c.session FROM batches b JOIN claims c ON c.source = b.source
       WHERE b.id > ? AND c.lane = 0 ORDER BY c.session`,
    )
    .pluck()
    .all(batch) as number[];
  return { lastBatch, sessions };
}

/**
 * Turns of the session with a row of a later batch, as lane and prompt with a NUL between; "" stands for rows that
 * belong to no turn.
 */
export function turnsGrownSince({ raw }: Store, session: number, batch: number): Set<string> {
  const name = "CASE WHEN t.id IS NULL THEN '' ELSE l.lane_id || char(0) || t.prompt_id END";
  const tables = [...Object.values(factTables), "notes" as const];
  const grown = new Set<string>();
  for (const table of tables) {
    const turn = table === "notes" ? "NULL" : "f.turn";
    const names = raw
      .prepare(
        `SELECT DISTINCT ${name} FROM ${table} f LEFT JOIN turns t ON t.id = ${turn} LEFT JOIN lanes l ON l.id = t.lane
         WHERE f.session = ? AND f.batch > ?`,
      )
      .pluck()
      .all(session, batch) as string[];
    for (const found of names) grown.add(found);
  }
  const turns = raw
    .prepare(
      "SELECT l.lane_id || char(0) || t.prompt_id FROM turns t JOIN lanes l ON l.id = t.lane WHERE t.session = ? AND t.batch > ?",
    )
    .pluck()
    .all(session, batch) as string[];
  for (const found of turns) grown.add(found);
  return grown;
}
