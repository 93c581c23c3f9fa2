import Database from "better-sqlite3";
import { migrations } from "../../src/store/migrations/index.js";

interface Column {
  name: string;
  type: string;
  notnull: number;
  pk: number;
}

/** Every table and index of the migrated store. */
export function storePage(): string {
  const db = new Database(":memory:");
  for (const step of migrations) db.exec(step.sql);
  const tables = db
    .prepare("SELECT name, sql FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%' ORDER BY name")
    .all() as { name: string; sql: string }[];
  const lines = [
    "# Store",
    "",
    `Generated from the migrated schema (${migrations.map(({ name }) => name).join(", ")}). The store is one SQLite file; any SQLite client can read it. Open it read-only: \`sqlite3 'file:cache.db?mode=ro'\`.`,
    "",
    "Rules that hold in every table: `NULL` is unknown and `0` was measured; times are milliseconds since the epoch; `event_id` names a thing over the whole store, `source` says who saw it, and of all rows with one `event_id` exactly one has `counted = 1`. Repeated words are stored once in `words`.",
    "",
  ];
  for (const { name, sql } of tables) {
    const columns = db.prepare('SELECT name, type, "notnull", pk FROM pragma_table_info(?)').all(name) as Column[];
    const references = new Map(
      (
        db.prepare('SELECT "from", "table" FROM pragma_foreign_key_list(?)').all(name) as {
          from: string;
          table: string;
        }[]
      ).map((key) => [key.from, key.table]),
    );
    lines.push(`## ${name}`, "", "| column | type | |", "|---|---|---|");
    for (const column of columns) {
      const notes = [
        column.pk > 0 ? "key" : column.notnull ? "" : "may be unknown",
        references.has(column.name) ? `→ ${references.get(column.name)}` : "",
        valuesOf(sql, column.name),
      ].filter((note) => note !== "");
      lines.push(`| \`${column.name}\` | ${column.type.toLowerCase()} | ${notes.join("; ")} |`);
    }
    const indexes = db
      .prepare("SELECT sql FROM sqlite_schema WHERE type = 'index' AND tbl_name = ? AND sql IS NOT NULL ORDER BY name")
      .all(name) as { sql: string }[];
    const unique = [...sql.matchAll(/^\s*UNIQUE \(([^)]+)\)/gm)].map(([, names]) => `unique (${names})`);
    const keys = [
      ...unique,
      ...indexes.map((index) =>
        index.sql.replace(/^CREATE (UNIQUE )?INDEX \S+ ON \S+ /, (_, u = "") => `${u.toLowerCase()}index `),
      ),
    ];
    lines.push("", ...(keys.length > 0 ? [`Keys: ${keys.map((key) => `\`${key}\``).join(", ")}.`, ""] : []));
  }
  db.close();
  return lines.join("\n");
}

function valuesOf(sql: string, column: string): string {
  const values = new RegExp(`CHECK \\(${column} IN \\(([^)]*)\\)\\)`).exec(sql)?.[1];
  return values === undefined ? "" : `one of ${values.replaceAll("'", "`")}`;
}
