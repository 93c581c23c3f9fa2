import type { SkippedLine } from "../events/sink.js";
import { encoded, object } from "./json.js";
import { type Line, MAX_LINE_BYTES } from "./lines.js";

/** One JSON object found in a file. */
export interface Found {
  /** Its strings, and its keys, hold UTF-8, one byte per character: read them through `json.ts`. */
  value: Record<string, unknown>;
  /** The bytes it was read from, valid until the next group is asked for. */
  bytes: Buffer;
  line: number;
  offset: number;
}

/** What one line, or one value over several lines, gave. The file can be left after it and entered again at `end`. */
export interface Group {
  found: Found[];
  skipped: SkippedLine[];
  end: { offset: number; line: number };
}

/**
 * The JSON objects of a file, line by line.
 *
 * Tolerates what real transcripts hold: byte order marks, CRLF, blocks of NUL bytes, invalid UTF-8, several values
 * glued on one line, one value printed over several lines, torn lines (also with the next record glued to the torn
 * one). Whatever cannot be read is skipped with a reason, and reading goes on with the next line.
 * A last line without a line end is taken when it is whole; else it is left for the next time.
 */
export function* valuesOf(lines: Iterable<Line>): Generator<Group> {
  let open: OpenValue | null = null;
  for (const line of lines) {
    if (open !== null) {
      const step: Step = extended(open, line);
      if (step.group !== null) yield step.group;
      open = step.open;
      if (step.took) continue;
    }
    const step = readLine(line);
    if (step.group !== null) yield step.group;
    open = step.open;
  }
}

/** Reason for values that are JSON, but no object. */
const NOT_AN_OBJECT = "not a JSON object";

/** A value that began on an earlier line and has not ended. */
interface OpenValue {
  parts: Buffer[];
  length: number;
  depth: number;
  line: number;
  offset: number;
  end: { offset: number; line: number };
}

/** What reading one line came to: a finished group, or a value that goes on, or neither: the line is unfinished. */
interface Step {
  group: Group | null;
  open: OpenValue | null;
  /** False when the line still has to be read by itself. */
  took: boolean;
}

const PENDING: Step = { group: null, open: null, took: true };
const OPEN_BRACE = 0x7b;
const OPEN_BRACKET = 0x5b;
const LINE_END = Buffer.from("\n");

function readLine(line: Line): Step {
  const end = { offset: line.end, line: line.line };
  const finished = (found: Found[], skipped: SkippedLine[]): Step => ({
    group: { found, skipped, end },
    open: null,
    took: true,
  });
  if (line.bytes === null) {
    return line.ended ? finished([], [skip(line, 0, `longer than ${MAX_LINE_BYTES >> 20} MiB`)]) : PENDING;
  }
  const { bytes, at, nul } = trimmed(line.bytes);
  const skipped = nul ? [skip(line, 0, "NUL bytes")] : [];
  if (bytes.length === 0) return line.ended ? finished([], skipped) : PENDING;
  const whole = parsed(bytes);
  if (isObject(whole)) {
    return finished([{ value: whole, bytes, line: line.line, offset: line.offset + at }], skipped);
  }
  if (whole !== undefined) return line.ended ? finished([], [...skipped, skip(line, at, NOT_AN_OBJECT)]) : PENDING;
  const open = nul ? null : opened(bytes, at, line);
  if (open !== null) return { group: null, open, took: true };
  const parts = split(bytes, line.line, line.offset + at);
  if (!line.ended && (parts.skipped.length > 0 || parts.found.length === 0)) return PENDING;
  return finished(parts.found, [...skipped, ...parts.skipped]);
}

/** A line that begins a value which the line does not end: pretty-printed JSON, or a torn record. */
function opened(bytes: Buffer, at: number, { line, offset, end, ended }: Line): OpenValue | null {
  if (!ended || (bytes[0] !== OPEN_BRACE && bytes[0] !== OPEN_BRACKET)) return null;
  const scan = scanned(bytes, 0, 0);
  if (scan.end !== null || scan.inString) return null;
  const parts = [Buffer.from(bytes), LINE_END];
  return { parts, length: bytes.length, depth: scan.depth, line, offset: offset + at, end: { offset: end, line } };
}

/** The open value with one more line. A line that is a record by itself, or cannot belong to a value, ends the attempt. */
function extended(open: OpenValue, line: Line): Step {
  const { bytes, at } = line.bytes === null ? { bytes: null, at: 0 } : trimmed(line.bytes);
  if (bytes === null || open.length + bytes.length > MAX_LINE_BYTES || isRecord(open, bytes, at)) return givenUp(open);
  const scan = scanned(bytes, 0, open.depth);
  const end = { offset: line.end, line: line.line };
  if (scan.end === null) {
    if (!line.ended) return PENDING;
    if (scan.inString) return givenUp(open);
    open.parts.push(Buffer.from(bytes), LINE_END);
    return { group: null, open: { ...open, length: open.length + bytes.length, depth: scan.depth, end }, took: true };
  }
  const all = Buffer.concat([...open.parts, bytes.subarray(0, scan.end)]);
  const value = parsed(all);
  if (value === undefined) return givenUp(open);
  const rest = split(bytes.subarray(scan.end), line.line, line.offset + at + scan.end);
  if (!line.ended && rest.skipped.length > 0) return PENDING;
  const group: Group = isObject(value)
    ? {
        found: [{ value, bytes: all, line: open.line, offset: open.offset }, ...rest.found],
        skipped: rest.skipped,
        end,
      }
    : {
        found: rest.found,
        skipped: [{ line: open.line, offset: open.offset, reason: NOT_AN_OBJECT }, ...rest.skipped],
        end,
      };
  return { group, open: null, took: true };
}

function givenUp(open: OpenValue): Step {
  const skipped = [{ line: open.line, offset: open.offset, reason: "unfinished JSON" }];
  return { group: { found: [], skipped, end: open.end }, open: null, took: false };
}

/** True for a line at the left margin that is a whole object: the value before it was torn. Arrays may hold such lines. */
function isRecord(open: OpenValue, bytes: Buffer, at: number): boolean {
  return open.parts[0]?.[0] === OPEN_BRACE && at === 0 && bytes[0] === OPEN_BRACE && isObject(parsed(bytes));
}

/** Takes the objects out of a line that is not one value. Everything else on it is one skip. */
function split(bytes: Buffer, line: number, offset: number): { found: Found[]; skipped: SkippedLine[] } {
  const found: Found[] = [];
  const skipped: SkippedLine[] = [];
  let from = 0;
  while (from < bytes.length) {
    if (isBlank(bytes[from]!)) {
      from += 1;
      continue;
    }
    const end = bytes[from] === OPEN_BRACE ? scanned(bytes, from, 0).end : null;
    const slice = bytes.subarray(from, end ?? from);
    const value = parsed(slice);
    if (isObject(value)) {
      found.push({ value, bytes: slice, line, offset: offset + from });
      from += slice.length;
      continue;
    }
    skipped.push({ line, offset: offset + from, reason: "not JSON" });
    const glued = gluedRecord(bytes, from + 1);
    if (glued !== null) found.push({ ...glued, line, offset: offset + bytes.length - glued.bytes.length });
    break;
  }
  return { found, skipped };
}

const GLUED_TRIES = 64;
const GLUED_BYTES = 4 * 1024 * 1024;
const RECORD_START = Buffer.from('{"');

/** A record glued to a torn one: it must reach to the end of the line, so that no inner object passes for it. */
function gluedRecord(bytes: Buffer, from: number): { value: Record<string, unknown>; bytes: Buffer } | null {
  if (bytes.length > GLUED_BYTES) return null;
  let at = bytes.indexOf(RECORD_START, from);
  for (let tries = 0; at >= 0 && tries < GLUED_TRIES; tries += 1) {
    const value = parsed(bytes.subarray(at));
    if (isObject(value)) return { value, bytes: bytes.subarray(at) };
    at = bytes.indexOf(RECORD_START, at + 1);
  }
  return null;
}

/** Follows brackets and strings: where the value that begins at `from` ends, or how deep it stands at the last byte. */
function scanned(bytes: Buffer, from: number, startDepth: number) {
  let depth = startDepth;
  let inString = false;
  for (let i = from; i < bytes.length; i += 1) {
    const byte = bytes[i]!;
    if (inString) {
      if (byte === 0x5c) i += 1;
      else if (byte === 0x22) inString = false;
    } else if (byte === 0x22) inString = true;
    else if (byte === OPEN_BRACE || byte === OPEN_BRACKET) depth += 1;
    else if (byte === 0x7d || byte === 0x5d) {
      depth -= 1;
      if (depth <= 0) return { end: i + 1, depth, inString: false };
    }
  }
  return { end: null, depth, inString };
}

/**
 * Undefined when the bytes are not one JSON value. The bytes are parsed as they are; only an escape such as `\u00e9`
 * stands for another text than its byte, and then the value is read as text and encoded.
 */
function parsed(bytes: Buffer): unknown {
  try {
    return hasWideEscape(bytes) ? JSON.parse(bytes.toString("utf8"), inUtf8) : JSON.parse(bytes.toString("latin1"));
  } catch {
    return undefined;
  }
}

const ESCAPE = Buffer.from("\\u");

/** Whether a character outside ASCII is written as an escape. */
function hasWideEscape(bytes: Buffer): boolean {
  for (let at = bytes.indexOf(ESCAPE); at >= 0; at = bytes.indexOf(ESCAPE, at + 2)) {
    if (bytes[at + 2] !== 0x30 || bytes[at + 3] !== 0x30 || bytes[at + 4]! >= 0x38) return true;
  }
  return false;
}

function inUtf8(_key: string, value: unknown): unknown {
  if (typeof value === "string") return encoded(value);
  const keyed = object(value);
  if (keyed === null || !Object.keys(keyed).some((key) => encoded(key) !== key)) return value;
  return Object.fromEntries(Object.entries(keyed).map(([key, entry]) => [encoded(key), entry]));
}

/** The line without blanks, byte order marks and NUL bytes around it. */
function trimmed(line: Buffer): { bytes: Buffer; at: number; nul: boolean } {
  let start = 0;
  let end = line.length;
  let nul = false;
  for (; start < end; start += 1) {
    const byte = line[start]!;
    if (byte === 0xef && line[start + 1] === 0xbb && line[start + 2] === 0xbf) start += 2;
    else if (byte !== 0 && !isBlank(byte)) break;
    nul ||= byte === 0;
  }
  for (; end > start; end -= 1) {
    const byte = line[end - 1]!;
    if (byte !== 0 && !isBlank(byte)) break;
    nul ||= byte === 0;
  }
  return { bytes: end - start === line.length ? line : line.subarray(start, end), at: start, nul };
}

const isBlank = (byte: number) => byte === 0x20 || byte === 0x0d || byte === 0x09 || byte === 0x0a;

function isObject(value: unknown): value is Record<string, unknown> {
  return object(value) !== null;
}

function skip({ line, offset }: Line, at: number, reason: string): SkippedLine {
  return { line, offset: offset + at, reason };
}
