import { type Kysely, type RawBuilder, type SqlBool, sql } from "kysely";
import type { Tables } from "../store/schema.js";
import { inScope, ofSessions, type ScopedTable, type Selection } from "../store/scope.js";

/** Tables whose rows make a session, a lane or a day worth showing. */
export const TELLING: ScopedTable[] = [
  "turns",
  "requests",
  "tool_calls",
  "compactions",
  "cache_events",
  "divergences",
  "contract_checks",
];

/** Sessions with anything of their own in scope; asked per session, so that the index on sessions answers. */
export function sessionsInScope(db: Kysely<Tables>, selection: Selection) {
  return db
    .selectFrom("sessions")
    .where(ofSessions(selection, "sessions.id"))
    .where(anythingOf(selection, TELLING, "sessions.id"));
}

/** True for a session with a row of its own in one of the tables in scope. */
export function anythingOf(selection: Selection, tables: ScopedTable[], session: string): RawBuilder<SqlBool> {
  const any = tables.map(
    (table) => sql<SqlBool>`exists (
      select 1 from ${sql.table(table)} where ${sql.ref(`${table}.session`)} = ${sql.ref(session)} and ${inScope(selection, table)})`,
  );
  return sql`(${sql.join(any, sql` or `)})`;
}
