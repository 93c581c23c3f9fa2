import { immediate } from "../db/transaction.js";
import type { Store } from "./open.js";

/** Bodies that wait for a target, as JSON, and how far each target has been served. */
export interface StoredOutbox<T> {
  waiting(target: string): { id: number; spans: T[] }[];
  add(target: string, bodies: T[][]): void;
  done(id: number): void;
  replace(id: number, bodies: T[][]): number[];
  failed(id: number, why: string): void;
  cursorOf(target: string): number;
  advance(target: string, batch: number): void;
}

export function storedOutbox<T>({ raw }: Store): StoredOutbox<T> {
  const waiting = raw.prepare("SELECT id, payload FROM outbox WHERE target = ? ORDER BY position, id");
  const insert = raw.prepare("INSERT INTO outbox (target, position, payload, items) VALUES (?, ?, ?, ?)");
  const placeOf = raw.prepare("SELECT target, position FROM outbox WHERE id = ?");
  const remove = raw.prepare("DELETE FROM outbox WHERE id = ?");
  const fail = raw.prepare("UPDATE outbox SET attempts = attempts + 1, last_error = ? WHERE id = ?");
  const cursor = raw.prepare("SELECT batch FROM export_cursors WHERE target = ?").pluck();
  const move = raw.prepare(`
    INSERT INTO export_cursors (target, batch) VALUES (?, ?)
    ON CONFLICT DO UPDATE SET batch = max(batch, excluded.batch)`);
  const last = raw.prepare("SELECT ifnull(max(position), 0) FROM outbox WHERE target = ?").pluck();

  const put = (target: string, position: number, spans: T[]) =>
    Number(insert.run(target, position, Buffer.from(JSON.stringify(spans)), spans.length).lastInsertRowid);

  return {
    waiting(target) {
      const rows = waiting.all(target) as { id: number; payload: Buffer }[];
      return rows.map(({ id, payload }) => ({ id, spans: JSON.parse(payload.toString("utf8")) as T[] }));
    },
    add(target, bodies) {
      immediate(raw, () => {
        let position = last.get(target) as number;
        for (const spans of bodies) {
          position += 1;
          put(target, position, spans);
        }
      });
    },
    done(id) {
      immediate(raw, () => remove.run(id));
    },
    replace(id, bodies) {
      return immediate(raw, () => {
        const { target, position } = placeOf.get(id) as { target: string; position: number };
        remove.run(id);
        return bodies.map((spans) => put(target, position, spans));
      });
    },
    failed(id, why) {
      immediate(raw, () => fail.run(why.slice(0, 500), id));
    },
    cursorOf: (target) => (cursor.get(target) as number | undefined) ?? 0,
    advance(target, batch) {
      immediate(raw, () => move.run(target, batch));
    },
  };
}
