/** The project's own sessions of pi, with figures known by hand. */
import { join, resolve } from "node:path";
import { test } from "uvu";
import * as assert from "uvu/assert";
import { figuresOf } from "../../support/corpus-figures.js";
import { importedPaths } from "../../support/import.js";

const FOLDER = resolve("fixtures/transcripts/pi");

const expected = {
  branch: {
    requests: 4,
    input_uncached: 40,
    cache_read: 2700,
    cache_write: 9270,
    output: 200,
    turns: 3,
    tool_calls: 1,
    compactions: 1,
  },
  "tree.jsonl": {
    requests: 2,
    input_uncached: 20,
    cache_read: 1800,
    cache_write: 180,
    output: 100,
    turns: 2,
    tool_calls: 0,
    compactions: 0,
  },
};

for (const [name, figures] of Object.entries(expected)) {
  test(`${name} gives its figures`, () => {
    const held = importedPaths([join(FOLDER, name)]);
    const told = figuresOf(held);
    assert.equal(Object.fromEntries(Object.keys(figures).map((figure) => [figure, Number(told[figure])])), figures);
    held.cleanup();
  });
}

test.run();
