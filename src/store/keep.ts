import { type Kysely, sql } from "kysely";
import type { Raw } from "../db/open.js";
import type { EventHeader } from "../events/event.js";
import {
  type Fact,
  type FactKind,
  factRows,
  factTables,
  moment,
  type Parts,
  partsOf,
  type Value,
  whole,
} from "./facts.js";
import { folded, type Placed, type Row } from "./fold.js";
import type { Frame } from "./frame.js";
import type { Tables } from "./schema.js";
import type { Said } from "./turns.js";

/** What became of a fact: a new row with this key, or something that was there. */
type Kept = { row: number } | "known" | "changed";

/**
 * Writes facts of one kind. The statements are built once by Kysely and run on the raw handle; only a fact that its
 * source had said before is read back and folded.
 */
export type KeepFact = (event: Fact, said: Said, turn: number | null) => Kept;

const HEADER = [
  "event_id",
  "source",
  "batch",
  "session",
  "lane",
  "turn",
  "tenant",
  "at_ms",
  "time_quality",
  "source_line",
  "source_offset",
] as const;

export function createKeeper(
  raw: Raw,
  db: Kysely<Tables>,
  frame: Frame,
  kind: FactKind,
  onConflict: (event: Fact, said: Said) => void,
): KeepFact {
  const table = factTables[kind];
  const rowOf = factRows[kind] as (event: Fact, frame: Frame, tenant: number | null) => Row;
  let prepared: ReturnType<typeof statements> | null = null;

  return (event, said, turn) => {
    const columns = rowOf(event, frame, said.tenant);
    prepared ??= statements(raw, db, table, columns);
    const header = headerOf(event, said, turn);
    const { changes, lastInsertRowid } = prepared.insert.run(header, Object.values(columns), event.eventId);
    if (changes === 1) {
      const id = Number(lastInsertRowid);
      const parts = partsOf(event, frame);
      if (parts !== null) writeParts(raw, id, parts, "add");
      return { row: id };
    }
    const row: Row = Object.fromEntries(HEADER.map((column, i) => [column, header[i]!]));
    return again(event, said, { ...row, ...columns });
  };

  /** The source has said this before. */
  function again(event: Fact, said: Said, row: Row): Kept {
    const found = prepared!.find.get(event.eventId, said.source) as Row & { id: number };
    const { id, counted: _, own_session, own_lane, own_turn, ...stored } = found;
    const tenant = (stored.tenant ?? said.tenant) as number | null;
    if (said.tenant !== null && said.tenant !== tenant) onConflict(event, said);
    const next: Row = { ...row, tenant };
    const before: Placed = {
      row: { ...stored, tenant },
      session: own_session as string,
      lane: own_lane as string,
      turn: (own_turn ?? "") as string,
    };
    const after: Placed = { row: next, session: event.session, lane: event.lane, turn: event.turn ?? "" };
    const fold = folded(kind, before, after, frame.text);
    const parts = partsOf(event, frame);
    const grown = parts !== null && writeParts(raw, id, parts, fold === null ? "fold" : "replace");
    if (fold === null && tenant === stored.tenant) return grown ? "changed" : "known";
    const changed: Row = { ...(fold ?? stored), tenant };
    prepared!.update.run([...prepared!.columns.map((column) => changed[column] ?? null), id]);
    return "changed";
  }
}

function headerOf(event: EventHeader, { source, batch, session, lane, tenant }: Said, turn: number | null): Value[] {
  return [
    event.eventId,
    source,
    batch,
    session.id,
    lane.id,
    turn,
    tenant,
    moment(event.atMs, "atMs"),
    event.timeQuality,
    whole(event.line, "line"),
    whole(event.offset, "offset"),
  ];
}

function statements(raw: Raw, db: Kysely<Tables>, table: (typeof factTables)[FactKind], sample: Row) {
  const named = [...HEADER, ...Object.keys(sample)];
  const anything = Object.fromEntries(named.map((column) => [column, 0]));
  const changing = named.filter((column) => column !== "event_id" && column !== "source");
  // One builder for all tables: the columns are checked where the rows are made (`factRows`).
  const first = sql`NOT EXISTS (SELECT 1 FROM ${sql.table(table)} WHERE event_id = ${0})`;
  const insert = db
    .insertInto(table)
    .values({ ...anything, counted: first } as never)
    .onConflict((conflict) => conflict.columns(["event_id", "source"]).doNothing());
  const update = db
    .updateTable(table)
    .set(Object.fromEntries(changing.map((column) => [column, 0])) as never)
    .where("id", "=", 0);
  return {
    columns: changing,
    insert: raw.prepare(insert.compile().sql),
    update: raw.prepare(update.compile().sql),
    find: raw.prepare(`
      SELECT r.*, s.session_id AS own_session, l.lane_id AS own_lane, t.prompt_id AS own_turn
      FROM ${table} r JOIN sessions s ON s.id = r.session LEFT JOIN lanes l ON l.id = r.lane LEFT JOIN turns t ON t.id = r.turn
      WHERE r.event_id = ? AND r.source = ?`),
  };
}

/**
 * Writes the rows that hang on a fact: `add` to a new one, `fold` into one that stays, or `replace` with the fact.
 * Items of a compaction add up; the facts of a judgment belong to one saying of it. Returns whether anything changed.
 */
function writeParts(raw: Raw, id: number, { items, facts }: Parts, how: "add" | "fold" | "replace"): boolean {
  let news = 0;
  for (const { message_id, fate, tokens } of items ?? []) {
    news += raw
      .prepare(`
        INSERT INTO compaction_items (compaction, message_id, fate, tokens) VALUES (?, ?, ?, ?)
        ON CONFLICT DO UPDATE SET fate = max(fate, excluded.fate), tokens = max(ifnull(tokens, excluded.tokens), ifnull(excluded.tokens, tokens))
        WHERE fate < excluded.fate OR ifnull(tokens, -1) < ifnull(excluded.tokens, -1)`)
      .run(id, message_id, fate, tokens).changes;
  }
  if (facts === undefined || how === "fold") return news > 0;
  if (how === "replace") raw.prepare("DELETE FROM facts WHERE judgment = ?").run(id);
  const insert = raw.prepare(`
    INSERT INTO facts (judgment, kind, digest, byte_position, text, origin_turn, origin_tool_call, state, weight, is_constraint)
    VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`);
  for (const fact of facts) {
    const { kind, digest, byte_position, text, origin_turn, origin_tool_call, state, weight, is_constraint } = fact;
    insert.run(id, kind, digest, byte_position, text, origin_turn, origin_tool_call, state, weight, is_constraint);
  }
  return true;
}
