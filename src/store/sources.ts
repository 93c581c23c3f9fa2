import type { Raw } from "../db/open.js";
import { type Cursor, CursorMoved, type Source, type SourceBatch } from "../events/sink.js";
import { cleanName } from "./clean.js";

/** Rows of `sources`: who said something, and how far it was read. */
export interface Sources {
  cursorOf(source: Source): Cursor | null;
  /** Key of the source's row, made when new. Fails when its cursor is not the one the batch started from. */
  enter(part: SourceBatch, nowMs: number): number;
  /** Moves the cursor to where the batch ends. */
  leave(id: number, part: SourceBatch, nowMs: number): void;
  /** Orders sources the same way in every store. */
  nameOf(id: number): string;
}

export function createSources(raw: Raw): Sources {
  const names = new Map<number, string>();
  const find = raw.prepare("SELECT id, offset FROM sources WHERE format = ? AND locator = ?");
  const read = raw.prepare(`
    SELECT size, mtime_ms AS mtimeMs, file_id AS fileId, offset, line, tail_digest AS tailDigest,
      lines_skipped AS linesSkipped, parser_version AS parserVersion, parser_state AS state
    FROM sources WHERE format = ? AND locator = ? AND offset IS NOT NULL`);
  const make = raw.prepare(
    "INSERT INTO sources (kind, format, locator, first_seen_ms, last_seen_ms) VALUES (?, ?, ?, ?, ?)",
  );
  const see = raw.prepare("UPDATE sources SET last_seen_ms = max(last_seen_ms, ?), lines_skipped = ? + ? WHERE id = ?");
  const skippedSoFar = raw.prepare("SELECT lines_skipped FROM sources WHERE id = ?").pluck();
  const move = raw.prepare(`
    UPDATE sources SET last_seen_ms = max(last_seen_ms, ?), size = ?, mtime_ms = ?, file_id = ?, offset = ?, line = ?,
      tail_digest = ?, lines_skipped = ?, parser_version = ?, parser_state = ? WHERE id = ?`);
  const name = raw.prepare("SELECT format || char(10) || locator FROM sources WHERE id = ?").pluck();

  return {
    cursorOf: ({ format, locator }) => (read.get(format, cleanName(locator)) as Cursor | undefined) ?? null,

    enter({ source, cursor, expectedOffset }, nowMs) {
      const { kind, format } = source;
      const locator = cleanName(source.locator);
      const row = find.get(format, locator) as { id: number; offset: number | null } | undefined;
      if (cursor !== null && (row?.offset ?? 0) !== (expectedOffset ?? 0)) throw new CursorMoved(source);
      return row?.id ?? Number(make.run(kind, format, locator, nowMs, nowMs).lastInsertRowid);
    },

    leave(id, { cursor, skipped, replace }, nowMs) {
      if (cursor === null) {
        see.run(nowMs, replace ? 0 : skippedSoFar.get(id), skipped.length, id);
        return;
      }
      const { size, mtimeMs, fileId, offset, line, tailDigest, linesSkipped, parserVersion, state } = cursor;
      move.run(
        nowMs,
        size,
        Math.round(mtimeMs),
        fileId,
        offset,
        line,
        tailDigest,
        linesSkipped,
        parserVersion,
        state,
        id,
      );
    },

    nameOf(id) {
      const known = names.get(id) ?? (name.get(id) as string);
      names.set(id, known);
      return known;
    },
  };
}
