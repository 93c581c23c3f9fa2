import type { Appended } from "../events/sink.js";
import type { Part } from "./read.js";

/** What an import did; lists are capped, counts are not. */
export interface ImportReport {
  files: {
    found: number;
    /** Opened, and recognised as a transcript. */
    read: number;
    /** Not opened: empty, or nothing has changed since the last import. */
    unchanged: number;
    refused: number;
  };
  /** Of the paths that were asked for: those that are no transcripts themselves, or cannot be read. */
  named: { refused: number };
  bytes: { read: number };
  /** Sessions that something new was said of. */
  sessions: number;
  turns: number;
  requests: {
    /** Requests that count and were not in the store before. */
    kept: number;
    /** Lines that repeat a request of their file, and requests that another file holds too. */
    duplicates: number;
    /** Requests without an id of the provider: each counts by itself. */
    withoutKey: number;
  };
  lines: { read: number; skipped: number };
  /** Events that contradict themselves: no store can hold them, and everything around them is kept. */
  events: { refused: number };
  compactions: number;
  toolCalls: number;
  /** Facts whose recorded tenant contradicts the known one, which stays. */
  tenantConflicts: number;
  /** Events of sessions that were forgotten on purpose. */
  forgotten: number;
  refused: { path: string; reason: string }[];
  skippedLines: { path: string; line: number; reason: string }[];
  refusedEvents: { path: string; line: number | null; reason: string }[];
}

/** So many entries the lists hold. */
const LISTED = 100;

/** Adds up what files gave, once it is committed. */
export interface Counting {
  found(files: number): void;
  unchanged(): void;
  refused(path: string, reason: string, named: boolean): void;
  bytesRead(count: number): void;
  /** One part of one file was committed. */
  part(part: Part): void;
  committed(appended: Appended): void;
  report(): ImportReport;
}

export function counting(): Counting {
  const sessions = new Set<string>();
  const report: ImportReport = {
    files: { found: 0, read: 0, unchanged: 0, refused: 0 },
    named: { refused: 0 },
    bytes: { read: 0 },
    sessions: 0,
    turns: 0,
    requests: { kept: 0, duplicates: 0, withoutKey: 0 },
    lines: { read: 0, skipped: 0 },
    events: { refused: 0 },
    compactions: 0,
    toolCalls: 0,
    tenantConflicts: 0,
    forgotten: 0,
    refused: [],
    skippedLines: [],
    refusedEvents: [],
  };
  return {
    found: (files) => {
      report.files.found += files;
    },
    unchanged: () => {
      report.files.unchanged += 1;
    },
    refused: (path, reason, named) => {
      report.files.refused += 1;
      report.named.refused += named ? 1 : 0;
      if (report.refused.length < LISTED) report.refused.push({ path, reason });
    },
    bytesRead: (count) => {
      report.bytes.read += count;
    },
    part: ({ source, events, skipped, lines, tally, last }) => {
      if (last) report.files.read += 1;
      for (const { agent, session } of events) sessions.add(`${agent}\0${session}`);
      report.lines.read += lines;
      report.lines.skipped += skipped.length;
      report.requests.duplicates += tally.repeated;
      report.requests.withoutKey += tally.withoutKey;
      for (const { line, reason } of skipped) {
        if (report.skippedLines.length < LISTED) report.skippedLines.push({ path: source.locator, line, reason });
      }
    },
    committed: ({ added, replaced = {}, copies, tenantConflicts, forgotten, refused }) => {
      report.turns += (added.turn ?? 0) - (replaced.turn ?? 0);
      report.requests.kept += (added.request ?? 0) - (replaced.request ?? 0) - copies;
      report.requests.duplicates += copies;
      report.compactions += (added.compaction ?? 0) - (replaced.compaction ?? 0);
      report.toolCalls += (added.tool_call ?? 0) - (replaced.tool_call ?? 0);
      report.tenantConflicts += tenantConflicts;
      report.forgotten += forgotten;
      report.events.refused += refused.length;
      for (const { source, line, reason } of refused) {
        if (report.refusedEvents.length < LISTED) report.refusedEvents.push({ path: source.locator, line, reason });
      }
    },
    report() {
      // A file that was rewritten may say less than before.
      for (const name of ["turns", "compactions", "toolCalls"] as const) report[name] = Math.max(0, report[name]);
      report.requests.kept = Math.max(0, report.requests.kept);
      return { ...report, sessions: sessions.size };
    },
  };
}
