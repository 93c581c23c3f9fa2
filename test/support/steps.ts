/** A made-up kind of database, and steps of its schema. */
import type { Step } from "../../src/db/migrate.js";

export const madeUp = { applicationId: 0x74657374 };

export const first: Step = {
  name: "0001-things",
  sql: "CREATE TABLE things (id INTEGER PRIMARY KEY, name TEXT NOT NULL) STRICT",
};

/** Changes every row and builds an index, so that there is time to be killed in. */
export const bigSteps: Step[] = [
  first,
  {
    name: "0002-sizes",
    sql: `
      ALTER TABLE things ADD COLUMN size INTEGER;
      UPDATE things SET size = length(name) + id % 7;
      CREATE INDEX things_by_size ON things (size, name);
      CREATE TABLE sizes AS SELECT size, count(*) AS things FROM things GROUP BY size;`,
  },
];
