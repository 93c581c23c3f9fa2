import * as fc from "fast-check";
import { test } from "uvu";
import * as assert from "uvu/assert";
import { clean, cleanJson, cleanLines } from "../../src/report/clean.js";

const hostile = [
  "\u001b[2J",
  "\u001b]0;title\u0007",
  "\u001b]8;;http://x\u001b\\link",
  "\u001b]52;c;aGk=\u0007",
  "\u001bP1;1|x\u001b\\",
  "\u009b31m",
  "a\rb",
  "a\bb",
  "\u0007",
  "\u202eevil",
  "\u2066x\u2069",
  "\u200b\u200d",
  "a\nb",
  "a\u2028b",
  "\u0000",
  "\u007f",
  "\ud800",
  "\u{e0041}",
];
const CONTROL = /[\u0000-\u001f\u007f-\u009f\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff]/u;

test("no hostile string keeps a character that acts", () => {
  assert.equal(
    hostile.filter((text) => CONTROL.test(clean(text))),
    [],
  );
});

test("ordinary text in any script stays as it is", () => {
  for (const text of ["plain", "Überblick", "日本語", "עברית", "🙂", "a_b 100% it's"]) assert.is(clean(text), text);
});

test("lines of our own keep newlines and colours, and nothing else that acts", () => {
  assert.is(cleanLines("\u001b[31mred\u001b[39m\nnext\u001b[2J"), "\u001b[31mred\u001b[39m\nnext\\x1b[2J");
});

test("JSON is the same value after cleaning, in plain characters", () => {
  fc.assert(
    fc.property(fc.oneof(fc.string({ unit: "binary" }), fc.constantFrom(...hostile)), (text) => {
      const json = cleanJson(JSON.stringify({ text }, null, 2));
      assert.is(JSON.parse(json).text, text);
      assert.not(CONTROL.test(json.replaceAll("\n", "")));
    }),
  );
});

test.run();
