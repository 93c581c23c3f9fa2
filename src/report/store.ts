import { counted, grouped } from "../diagnostics/figure.js";
import { isoOf } from "./moments.js";
import { columns, type Page, table, timeOf } from "./page.js";

interface Status {
  path: string;
  storeId: string;
  schema: { version: number; steps: string[] };
  bytes: { database: number; wal: number; shm: number };
  journalMode: string;
  sources: number;
  sessions: number;
  rows: Record<string, number>;
  firstAtMs: number | null;
  lastAtMs: number | null;
  batches: number;
  lostBatches: number;
  permissions: { path: string; mode: string; loose: boolean }[];
  backups: { path: string; atMs: number; bytes: number }[];
}

/** What is in the store, where, and whether anything is wrong with it. */
export function statusText(status: Status, page: Page): string {
  const { bytes, rows, permissions, backups, lostBatches } = status;
  const loose = permissions.filter((place) => place.loose);
  const filled = Object.entries(rows).filter(([name, count]) => count > 0 && name !== "store" && name !== "migrations");
  const facts: [string, string][] = [
    ["store", status.path],
    ["identity", status.storeId],
    ["schema", `version ${status.schema.version} (${status.schema.steps.join(", ")})`],
    ["size", `${sizeText(bytes.database)}, write-ahead log ${sizeText(bytes.wal)}, journal mode ${status.journalMode}`],
    ["holds", `${counted(status.sessions, "session")} from ${counted(status.sources, "source")}`],
    ["events", `${timeOf(page, status.firstAtMs)} to ${timeOf(page, status.lastAtMs)}`],
    [
      "batches",
      `${grouped(status.batches)} committed, ${lostBatches === 0 ? "none lost" : `${grouped(lostBatches)} LOST: import again to restore them`}`,
    ],
    [
      "rights",
      loose.length === 0
        ? "yours alone"
        : loose.map((place) => `${place.path} is ${place.mode}: others can get in`).join("; "),
    ],
    [
      "backups",
      backups.length === 0
        ? "none"
        : `${backups.length}, newest ${timeOf(page, backups[0]!.atMs)} (${backups[0]!.path})`,
    ],
  ];
  return [
    columns(page, facts),
    "",
    table(
      page,
      ["table", "rows"],
      filled.map(([name, count]) => [name, { text: grouped(count), right: true }]),
    ),
  ].join("\n");
}

export function statusJson({ firstAtMs, lastAtMs, backups, ...status }: Status): object {
  return {
    schemaVersion: 1,
    store: status.path,
    ...status,
    firstAt: isoOf(firstAtMs),
    lastAt: isoOf(lastAtMs),
    backups: backups.map(({ atMs, ...backup }) => ({ ...backup, at: isoOf(atMs) })),
  };
}

function sizeText(bytes: number): string {
  return bytes < 1_000_000 ? `${grouped(Math.ceil(bytes / 1_000))} kB` : `${grouped(Math.round(bytes / 1_000_000))} MB`;
}
