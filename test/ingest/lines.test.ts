import { closeSync, openSync, rmSync, statSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import * as fc from "fast-check";
import { test } from "uvu";
import * as assert from "uvu/assert";
import { linesOf, MAX_LINE_BYTES } from "../../src/ingest/lines.js";
import { temporaryFolder } from "../support/store.js";

/** The lines of a file with this content, read through a buffer of so many bytes. */
function linesIn(content: string | Buffer, bufferBytes = 64, from = { offset: 0, line: 0 }) {
  const folder = temporaryFolder();
  const path = join(folder, "a.jsonl");
  writeFileSync(path, content);
  const file = openSync(path, "r");
  const buffer = Buffer.alloc(bufferBytes);
  const source = { file, size: statSync(path).size, buffer, bytesRead: () => {} };
  const lines = [];
  for (const line of linesOf(source, from)) lines.push({ ...line, text: line.bytes?.toString("latin1") ?? null });
  closeSync(file);
  rmSync(folder, { recursive: true });
  return lines;
}

test("lines come with their offset, number and end, and the last one may be unfinished", () => {
  const lines = linesIn("one\n\nthree\r\nhalf");
  assert.equal(
    lines.map(({ text, offset, line, end, ended }) => [text, offset, line, end, ended]),
    [
      ["one", 0, 1, 4, true],
      ["", 4, 2, 5, true],
      ["three\r", 5, 3, 12, true],
      ["half", 12, 4, 16, false],
    ],
  );
});

test("an empty file has no lines", () => {
  assert.equal(linesIn(""), []);
});

test("reading goes on at an offset, and inside a line it keeps the line's number", () => {
  const after = linesIn("one\ntwo\n", 64, { offset: 4, line: 1 });
  assert.equal([after[0]!.text, after[0]!.line], ["two", 2]);
  const inside = linesIn("one\ntwo\nthree\n", 64, { offset: 7, line: 2 });
  assert.equal(
    inside.map(({ text, line }) => [text, line]),
    [
      ["", 2],
      ["three", 3],
    ],
  );
});

test("only a line feed ends a line", () => {
  assert.is(linesIn(Buffer.from("a\u2028b\u2029c\u0085d\re\n")).length, 1);
});

test("whatever the buffer's size, the lines are the file", () => {
  const text = fc.array(fc.string({ unit: fc.constantFrom("a", "é", "\n", "\r", "{", "\u2028"), maxLength: 40 }));
  fc.assert(
    fc.property(text, fc.integer({ min: 1, max: 50 }), (parts, bufferBytes) => {
      const content = Buffer.from(parts.join("\n"));
      const lines = linesIn(content, bufferBytes);
      const whole = lines.map(({ text, ended }) => text + (ended ? "\n" : "")).join("");
      assert.is(whole, content.toString("latin1"));
      for (const { text, offset, end, ended } of lines) assert.is(end - offset, text!.length + (ended ? 1 : 0));
    }),
    { numRuns: 200 },
  );
});

test("a line over 128 MiB is left out and reading goes on after it", () => {
  const folder = temporaryFolder();
  const path = join(folder, "long.jsonl");
  writeFileSync(path, "first\n");
  truncateSync(path, 6 + MAX_LINE_BYTES + 1);
  writeFileSync(path, "\nlast\n", { flag: "a" });
  const file = openSync(path, "r");
  const source = { file, size: statSync(path).size, buffer: Buffer.alloc(512 * 1024), bytesRead: () => {} };
  const told = [];
  for (const { bytes, line, ended } of linesOf(source)) told.push([bytes?.toString() ?? null, line, ended]);
  closeSync(file);
  rmSync(folder, { recursive: true });
  assert.equal(told, [
    ["first", 1, true],
    [null, 2, true],
    ["last", 3, true],
  ]);
});

test("what is written after the file was looked at waits for the next time", () => {
  const folder = temporaryFolder();
  const path = join(folder, "grows.jsonl");
  writeFileSync(path, "one\ntwo\nthree\n");
  const file = openSync(path, "r");
  const lines = [...linesOf({ file, size: 6, buffer: Buffer.alloc(64), bytesRead: () => {} })];
  closeSync(file);
  rmSync(folder, { recursive: true });
  assert.equal(
    lines.map(({ end, ended }) => [end, ended]),
    [
      [4, true],
      [6, false],
    ],
  );
});

test.run();
