import type { Readable } from "node:stream";
import type { SessionEvent } from "../../events/event.js";
import type { Appended, Sink, SkippedLine, Source } from "../../events/sink.js";
import { type DoorOptions, doorReader } from "./parse.js";

export interface DoorReport {
  lines: { read: number; skipped: number };
  /** New rows per kind. */
  added: Appended["added"];
  /** Events that were in the store already. */
  known: number;
  tenantConflicts: number;
  /** The first hundred refused lines. */
  skippedLines: SkippedLine[];
}

const BATCH = 5_000;
const SHOWN = 100;

/**
 * Appends JSON lines in the door's vocabulary to a sink. A line that cannot be understood is skipped and named; every
 * other line is kept. Reading the same lines again changes nothing.
 */
export async function readDoor(
  input: Readable,
  locator: string,
  sink: Sink,
  options: DoorOptions,
): Promise<DoorReport> {
  const source: Source = { kind: "manual", format: "sonny-events", locator };
  const read = doorReader(options);
  const report: DoorReport = {
    lines: { read: 0, skipped: 0 },
    added: {},
    known: 0,
    tenantConflicts: 0,
    skippedLines: [],
  };
  let events: SessionEvent[] = [];
  let skipped: SkippedLine[] = [];

  const flush = () => {
    if (events.length === 0 && skipped.length === 0) return;
    const appended = sink.append([{ source, events, skipped, cursor: null, expectedOffset: null, replace: false }]);
    for (const [kind, count] of Object.entries(appended.added) as [SessionEvent["kind"], number][]) {
      report.added[kind] = (report.added[kind] ?? 0) + count;
    }
    report.known += appended.known;
    report.tenantConflicts += appended.tenantConflicts;
    events = [];
    skipped = [];
  };

  let line = 0;
  for await (const text of linesOf(input)) {
    line += 1;
    const json = line === 1 ? text.replace(/^\ufeff/, "") : text;
    if (json.trim() === "") continue;
    report.lines.read += 1;
    const value = parsed(json);
    const result = value === undefined ? { refused: "not JSON" } : read(value, line, null);
    if ("event" in result) events.push(result.event);
    else {
      const skip = { line, offset: 0, reason: result.refused };
      report.lines.skipped += 1;
      skipped.push(skip);
      if (report.skippedLines.length < SHOWN) report.skippedLines.push(skip);
    }
    if (events.length >= BATCH) flush();
  }
  flush();
  return report;
}

/** Lines of a stream, without their ends; an error of the stream is thrown here. */
async function* linesOf(input: Readable): AsyncGenerator<string> {
  let rest = "";
  for await (const chunk of input.setEncoding("utf8")) {
    const lines = (rest + chunk).split("\n");
    rest = lines.pop() ?? "";
    yield* lines;
  }
  if (rest !== "") yield rest;
}

function parsed(json: string): unknown {
  try {
    return JSON.parse(json);
  } catch {
    return undefined;
  }
}
