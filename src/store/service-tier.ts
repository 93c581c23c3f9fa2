import { sql } from "kysely";

/**
 * The service tier that a request was recorded with (`batch`, `flex`, `priority`), or its speed (`fast`); null for the
 * plain one and where nothing was recorded. Read from the raw usage, which is kept where it holds more than counts; one
 * that was cut short is not JSON and says nothing. `alias` is the table's name in the query.
 */
export function serviceTierOf(alias: string) {
  const raw = sql.ref(`${alias}.raw_usage`);
  const word = (path: string) => sql`nullif(iif(json_valid(${raw}), ${raw} ->> ${sql.lit(path)}, null), 'standard')`;
  return sql<string | null>`iif(${raw} is null, null, coalesce(${word("$.speed")}, ${word("$.service_tier")}))`;
}
