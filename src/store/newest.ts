import { type Kysely, sql } from "kysely";
import type { Tables } from "./schema.js";
import { inScope, type Selection, without } from "./scope.js";

/** Time of the newest turn or request in the selection, whatever its window; null when there is none with a time. */
export async function newestMs(db: Kysely<Tables>, selection: Selection): Promise<number | null> {
  const anytime = without(selection, "sinceMs", "untilMs");
  const times: number[] = [];
  for (const table of ["turns", "requests"] as const) {
    const { at } = await db
      .selectFrom(`${table as "requests"} as row`)
      .select(sql<number | null>`max(row.at_ms)`.as("at"))
      .where(inScope(anytime, table, "row"))
      .executeTakeFirstOrThrow();
    if (at !== null) times.push(at);
  }
  return times.length === 0 ? null : Math.max(...times);
}
