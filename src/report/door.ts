import type { SkippedLine } from "../events/sink.js";
import { clean } from "./clean.js";

interface Recorded {
  store: string;
  lines: { read: number; skipped: number };
  added: Partial<Record<string, number>>;
  known: number;
  tenantConflicts: number;
  skippedLines: SkippedLine[];
}

/** What came through the event door, and which lines did not. */
export function doorText(report: Recorded): string {
  const kinds = Object.entries(report.added).map(([kind, count]) => `${count} ${kind.replaceAll("_", " ")}`);
  const lines = [
    `${report.lines.read} lines read, ${report.lines.read - report.lines.skipped} understood; new: ${kinds.join(", ") || "nothing"}; known already: ${report.known}`,
  ];
  if (report.tenantConflicts > 0)
    lines.push(`${report.tenantConflicts} rows said another tenant than the one known: the known one stays`);
  for (const { line, reason } of report.skippedLines) lines.push(`line ${line} refused: ${clean(reason)}`);
  const more = report.lines.skipped - report.skippedLines.length;
  if (more > 0) lines.push(`and ${more} more lines refused`);
  return [...lines, `store: ${clean(report.store)}`].join("\n");
}
