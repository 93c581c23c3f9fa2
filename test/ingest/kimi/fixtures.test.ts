/** The project's own session of Kimi CLI, with figures known by hand. */
import { resolve } from "node:path";
import { test } from "uvu";
import * as assert from "uvu/assert";
import { figuresOf } from "../../support/corpus-figures.js";
import { importedPaths } from "../../support/import.js";

const expected = {
  requests: 4,
  input_uncached: 40,
  cache_read: 3600,
  cache_write: 360,
  output: 190,
  sidechain_requests: 1,
  turns: 3,
  turns_served: 2,
  tool_calls: 2,
  compactions: 1,
};

test("a session with a subagent, a compaction and an unanswered request gives its figures", () => {
  const held = importedPaths([resolve("fixtures/transcripts/kimi")]);
  const told = figuresOf(held);
  assert.equal(Object.fromEntries(Object.keys(expected).map((figure) => [figure, Number(told[figure])])), expected);
  held.cleanup();
});

test.run();
