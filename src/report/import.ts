import { clean } from "./clean.js";

/** What an import did, as the importer counts it. */
interface Imported {
  /** Null: nothing was stored. */
  store: string | null;
  /** The store that a dry run counted against; null where there was none. */
  comparedWith: string | null;
  files: { found: number; read: number; unchanged: number; refused: number };
  bytes: { read: number };
  sessions: number;
  turns: number;
  requests: { kept: number; duplicates: number; withoutKey: number };
  lines: { read: number; skipped: number };
  events: { refused: number };
  compactions: number;
  toolCalls: number;
  tenantConflicts: number;
  forgotten: number;
  refused: { path: string; reason: string }[];
  skippedLines: { path: string; line: number; reason: string }[];
  refusedEvents: { path: string; line: number | null; reason: string }[];
}

/** Lists on the screen are shorter than in JSON. */
const SHOWN = 10;

/** What was read, what was left out and why. */
export function importText(report: Imported): string {
  const { files, requests, lines } = report;
  if (files.found === 0) return clean("no transcripts found; sonny import --list says where they are looked for");
  const text = [
    `${counted(files.found, "file")} found: ${files.read} read, ${files.unchanged} unchanged, ${files.refused} refused`,
    `${leadOf(report)}: ${counted(requests.kept, "request")}, ${counted(report.turns, "turn")} in all lanes, ${counted(report.toolCalls, "tool call")}, ${counted(report.compactions, "compaction and micro-compaction", "compactions and micro-compactions")} in ${counted(report.sessions, "session")}`,
    `counted once: ${counted(requests.duplicates, "repeated line or copy", "repeated lines and copies")} of requests left out`,
  ];
  if (requests.withoutKey > 0)
    text.push(`${counted(requests.withoutKey, "request")} without an id of the provider: each counts`);
  if (report.tenantConflicts > 0)
    text.push(`${counted(report.tenantConflicts, "row")} said another tenant than the one known: the known one stays`);
  if (report.forgotten > 0) text.push(`${counted(report.forgotten, "event")} of forgotten sessions left out`);
  text.push(
    ...some(report.refused, files.refused, "files refused", ({ path, reason }) => `refused: ${path}: ${reason}`),
  );
  text.push(
    ...some(
      report.skippedLines,
      lines.skipped,
      "lines skipped",
      ({ path, line, reason }) => `skipped: ${path}:${line}: ${reason}`,
    ),
  );
  text.push(
    ...some(
      report.refusedEvents,
      report.events.refused,
      "events left out",
      ({ path, line, reason }) => `left out: ${path}${line === null ? "" : `:${line}`}: ${reason}`,
    ),
  );
  text.push(report.store === null ? "nothing was stored" : `store: ${report.store}`);
  return text.map(clean).join("\n");
}

function leadOf({ store, comparedWith }: Imported): string {
  if (store !== null) return "new";
  return comparedWith === null ? "would be new in an empty store" : `would be new in ${comparedWith}`;
}

function some<T>(entries: T[], total: number, what: string, line: (entry: T) => string): string[] {
  const more = total - Math.min(entries.length, SHOWN);
  return [...entries.slice(0, SHOWN).map(line), ...(more > 0 ? [`and ${more} more ${what}; --json lists them`] : [])];
}

function counted(count: number, one: string, many = `${one}s`): string {
  return `${count} ${count === 1 ? one : many}`;
}
