/** The project's own rollouts: each kind of trouble stands in one of them, with figures known by hand. */
import { join, resolve } from "node:path";
import { test } from "uvu";
import * as assert from "uvu/assert";
import { figuresOf } from "../../support/corpus-figures.js";
import { importedPaths } from "../../support/import.js";

const FOLDER = resolve("fixtures/transcripts/codex");

const expected = {
  "before-envelopes.jsonl": {
    requests: 0,
    input_uncached: 0,
    cache_read: 0,
    output: 0,
    turns: 1,
    tool_calls: 1,
    compactions: 0,
  },
  "compacted.jsonl": {
    requests: 2,
    input_uncached: 37000,
    cache_read: 70000,
    output: 700,
    turns: 2,
    tool_calls: 1,
    compactions: 1,
  },
  fork: { requests: 3, input_uncached: 1700, cache_read: 2000, output: 150, turns: 2, tool_calls: 0, compactions: 0 },
  "orphan-subagent.jsonl": {
    requests: 3,
    input_uncached: 500,
    cache_read: 1200,
    output: 80,
    turns: 0,
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
