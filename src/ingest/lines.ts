import { readSync } from "node:fs";

/** One line of a file, without its line end. */
export interface Line {
  /** The bytes, valid until the next line is asked for; null when the line is longer than `MAX_LINE_BYTES`. */
  bytes: Buffer | null;
  /** Byte offset of the line's first byte. */
  offset: number;
  /** 1-based. */
  line: number;
  /** Offset of the first byte after the line and its line end. */
  end: number;
  /** False for the last line of a file that does not end in a newline. */
  ended: boolean;
}

/** Longer lines are left out and counted. */
export const MAX_LINE_BYTES = 128 * 1024 * 1024;

const NEWLINE = 10;

/** An open file, read up to `size`: what is written meanwhile waits for the next time. */
export interface OpenFile {
  file: number;
  size: number;
  /** Reused for every file; longer lines get memory of their own. */
  buffer: Buffer;
  /** Told about every read. */
  bytesRead: (count: number) => void;
}

export const newBuffer = () => Buffer.allocUnsafeSlow(512 * 1024);

/**
 * Whole lines of an open file, in order.
 *
 * - Only `\n` ends a line; a raw U+2028 is text.
 * - Memory is the buffer, plus one line when a line is longer than the buffer.
 * - When `from` stands inside a line whose beginning was consumed earlier, the rest of it keeps that line's number.
 */
export function* linesOf(source: OpenFile, from = { offset: 0, line: 0 }): Generator<Line> {
  const { file, size, buffer, bytesRead } = source;
  let line = continuesLine(file, from.offset) ? from.line : from.line + 1;
  let offset = from.offset;
  let held = 0;
  let start = 0;

  const fill = () => {
    buffer.copyWithin(0, start, start + held);
    start = 0;
    const wanted = Math.min(buffer.length - held, size - offset - held);
    const got = wanted > 0 ? readSync(file, buffer, held, wanted, offset + held) : 0;
    bytesRead(got);
    held += got;
    return got;
  };

  while (true) {
    const newline = buffer.indexOf(NEWLINE, start);
    if (newline >= 0 && newline < start + held) {
      const length = newline + 1 - start;
      yield { bytes: buffer.subarray(start, newline), offset, line, end: offset + length, ended: true };
      start += length;
      held -= length;
      offset += length;
      line += 1;
    } else if (held < buffer.length || start > 0) {
      if (fill() > 0) continue;
      if (held > 0) {
        yield { bytes: buffer.subarray(start, start + held), offset, line, end: offset + held, ended: false };
      }
      return;
    } else {
      const long = longLine(source, offset);
      yield { ...long, offset, line };
      if (!long.ended) return;
      offset = long.end;
      start = 0;
      held = 0;
      line += 1;
    }
  }
}

/** A line that does not fit the buffer: its end is sought first, so that exactly its length is allocated. */
function longLine({ file, size, buffer: window, bytesRead }: OpenFile, offset: number) {
  let at = offset;
  let ended = false;
  while (at < size && !ended) {
    const got = readSync(file, window, 0, Math.min(window.length, size - at), at);
    if (got === 0) break;
    bytesRead(got);
    const newline = window.subarray(0, got).indexOf(NEWLINE);
    ended = newline >= 0;
    at += ended ? newline : got;
  }
  const length = at - offset;
  const end = ended ? at + 1 : at;
  if (length > MAX_LINE_BYTES) return { bytes: null, end, ended };
  const bytes = Buffer.allocUnsafe(length);
  let filled = 0;
  while (filled < length) {
    const got = readSync(file, bytes, filled, length - filled, offset + filled);
    if (got === 0) break;
    bytesRead(got);
    filled += got;
  }
  return { bytes: bytes.subarray(0, filled), end, ended };
}

function continuesLine(file: number, offset: number): boolean {
  if (offset === 0) return false;
  const before = Buffer.alloc(1);
  return readSync(file, before, 0, 1, offset - 1) === 1 && before[0] !== NEWLINE;
}
