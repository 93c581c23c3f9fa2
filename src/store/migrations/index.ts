import { sql as store } from "./0001-store.js";

/** All steps of the schema in order. A released step is never edited: its checksum is recorded in every store. */
export const migrations = [{ name: "0001-store", sql: store }];
