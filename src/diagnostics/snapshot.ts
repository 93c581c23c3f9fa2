import type { Kysely } from "kysely";
import type { Tables } from "../store/schema.js";

/**
 * Runs a whole report on one state of the store: writers go on meanwhile, the report does not see them.
 * Inside a snapshot it is the snapshot that is there.
 */
export function inSnapshot<T>(db: Kysely<Tables>, report: (db: Kysely<Tables>) => Promise<T>): Promise<T> {
  return db.isTransaction ? report(db) : db.transaction().execute(report);
}
