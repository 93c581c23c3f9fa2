import { closeSync, openSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "uvu";
import * as assert from "uvu/assert";
import { text } from "../../src/ingest/json.js";
import { linesOf } from "../../src/ingest/lines.js";
import { valuesOf } from "../../src/ingest/values.js";
import { temporaryFolder } from "../support/store.js";

/** What is found in a file with this content: values with their lines and offsets, skips, and where reading stopped. */
function valuesIn(content: string | Buffer, from = { offset: 0, line: 0 }) {
  const folder = temporaryFolder();
  const path = join(folder, "a.jsonl");
  writeFileSync(path, content);
  const file = openSync(path, "r");
  const source = { file, size: statSync(path).size, buffer: Buffer.alloc(64), bytesRead: () => {} };
  const raw: unknown[] = [];
  const at: [number, number][] = [];
  const skipped: [number, string][] = [];
  let end = from;
  for (const group of valuesOf(linesOf(source, from))) {
    for (const { value, line, offset } of group.found) {
      raw.push(value);
      at.push([line, offset]);
    }
    for (const { line, reason } of group.skipped) skipped.push([line, reason]);
    end = group.end;
  }
  closeSync(file);
  rmSync(folder, { recursive: true });
  const left = Buffer.byteLength(content) - end.offset;
  return {
    at,
    skipped,
    end,
    left,
    get values() {
      return asText(raw) as unknown[];
    },
  };
}

/** The same value with its strings as text. */
function asText(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value), (_, entry) => (typeof entry === "string" ? text(entry) : entry));
}

test("each line is one object", () => {
  const { values, at, skipped, left } = valuesIn('{"a":1}\n{"a":2}\n');
  assert.equal(values, [{ a: 1 }, { a: 2 }]);
  assert.equal(at, [
    [1, 0],
    [2, 8],
  ]);
  assert.equal([skipped, left], [[], 0]);
});

test("NUL blocks, values that are no objects, a byte order mark, CRLF and a half line", () => {
  const good = '{"a":1}';
  const text = `${good}\n${"\0".repeat(300)}\n${good}\n42\nnull\n[]\n\ufeff${good}\r\n{"a":`;
  const { values, skipped, end, left } = valuesIn(text);
  assert.is(values.length, 3);
  assert.equal(skipped, [
    [2, "NUL bytes"],
    [4, "not a JSON object"],
    [5, "not a JSON object"],
    [6, "not a JSON object"],
  ]);
  assert.equal([left, end.line], [5, 7]);
});

test("a half line is taken once, when it is complete", () => {
  const whole = '{"a":1}\n{"b":22}\n{"c":3}\n';
  const first = valuesIn(whole.slice(0, 12));
  assert.equal(first.values, [{ a: 1 }]);
  assert.equal(valuesIn(whole, first.end).values, [{ b: 22 }, { c: 3 }]);
});

test("a whole object without a line end is taken, and its line end later belongs to its line", () => {
  const whole = '{"a":1}\n{"b":2}\n{"c":3}\n';
  const first = valuesIn(whole.slice(0, 15));
  assert.equal(first.values, [{ a: 1 }, { b: 2 }]);
  const rest = valuesIn(whole, first.end);
  assert.equal([rest.values, rest.at, rest.end.line], [[{ c: 3 }], [[3, 16]], 3]);
});

test("a number at the end of a file may be longer than it seems", () => {
  const first = valuesIn('{"a":1}\n42');
  assert.equal([first.skipped, first.left], [[], 2]);
});

test("several objects on one line are told apart", () => {
  const { values, at, skipped } = valuesIn('{"a":"}{"}{"b":[1,{"c":"\\""}]} {"d":4}\n{"e":5}\n');
  assert.equal(values, [{ a: "}{" }, { b: [1, { c: '"' }] }, { d: 4 }, { e: 5 }]);
  assert.equal(
    at.map(([line]) => line),
    [1, 1, 1, 2],
  );
  assert.equal(skipped, []);
});

test("NUL bytes before a record cost nothing but a note", () => {
  const { values, skipped } = valuesIn(`\0\0\0{"a":1}\n{"a":2}\0\0{"a":3}\n`);
  assert.is(values.length, 3);
  assert.equal(skipped, [
    [1, "NUL bytes"],
    [2, "not JSON"],
  ]);
});

test("a torn line costs one record, also when the next is glued to it", () => {
  const torn = valuesIn('{"a":1}\n{"text":"hal\n{"b":2}\n');
  assert.equal(torn.values, [{ a: 1 }, { b: 2 }]);
  assert.equal(torn.skipped, [[2, "not JSON"]]);
  const glued = valuesIn('{"text":"hal{"type":"next","c":{"d":1}}\n{"e":1}\n');
  assert.equal(glued.values, [{ type: "next", c: { d: 1 } }, { e: 1 }]);
  assert.equal(glued.skipped, [[1, "not JSON"]]);
});

test("a line torn between two fields does not swallow the records after it", () => {
  const { values, skipped } = valuesIn('{"a":1,\n{"b":2}\n{"c":3}\n');
  assert.equal(values, [{ b: 2 }, { c: 3 }]);
  assert.equal(skipped, [[1, "unfinished JSON"]]);
});

test("the inside of a torn record is never taken for a record", () => {
  const { values, skipped } = valuesIn('{"type":"user","message":{"role":"user"},"uu\n{"b":2}\n');
  assert.equal(values, [{ b: 2 }]);
  assert.is(skipped.length, 1);
});

test("JSON printed over several lines is one value", () => {
  const pretty = JSON.stringify({ a: { b: ["x", { c: "}" }] } }, null, 2);
  const { values, at, skipped } = valuesIn(`${pretty}\n{"d":1}\n${pretty}\n`);
  assert.equal(values, [{ a: { b: ["x", { c: "}" }] } }, { d: 1 }, { a: { b: ["x", { c: "}" }] } }]);
  assert.equal(
    at.map(([line]) => line),
    [1, 11, 12],
  );
  assert.equal(skipped, []);
});

test("an unfinished value over several lines waits for its end", () => {
  const pretty = `{"a":1}\n${JSON.stringify({ a: { b: 1 } }, null, 2)}\n`;
  const first = valuesIn(pretty.slice(0, 25));
  assert.equal([first.values, first.end], [[{ a: 1 }], { offset: 8, line: 1 }]);
  assert.equal(valuesIn(pretty, first.end).values, [{ a: { b: 1 } }]);
});

test("raw line separators of Unicode inside a string are text", () => {
  assert.equal(valuesIn('{"text":"a\u2028b\u2029c"}\n').values, [{ text: "a\u2028b\u2029c" }]);
});

test("invalid UTF-8 costs a character, not the record", () => {
  const bytes = Buffer.concat([Buffer.from('{"text":"a'), Buffer.from([0xff, 0xc3]), Buffer.from('b"}\n')]);
  assert.equal(valuesIn(bytes).values, [{ text: "a\ufffd\ufffdb" }]);
});

test("escapes are read, of whatever character; a lone surrogate becomes a mark", () => {
  assert.equal(valuesIn('{"text":"\\u0000\\u001b \\u00e9 \\u6e2c é 測 \\\\users \\ud800"}\n').values, [
    { text: "\0\u001b é 測 é 測 \\users \ufffd" },
  ]);
});

test("deeply nested JSON ends nothing", () => {
  const deep = `{"a":${"[".repeat(100_000)}${"]".repeat(100_000)}}`;
  assert.is(valuesIn(`${deep}\n{"b":1}\n`).at.length, 2);
});

test.run();
