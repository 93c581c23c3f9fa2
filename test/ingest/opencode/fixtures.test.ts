/** The project's own sessions of opencode, with figures known by hand. */
import { resolve } from "node:path";
import { test } from "uvu";
import * as assert from "uvu/assert";
import { figuresOf } from "../../support/corpus-figures.js";
import { importedPaths } from "../../support/import.js";
import { judgments } from "../../support/judgments.js";

const expected = {
  requests: 7,
  input_uncached: 140,
  cache_read: 4200,
  cache_write: 760,
  output: 420,
  reasoning: 70,
  sidechain_requests: 0,
  turns: 2,
  turns_served: 2,
  tool_calls: 5,
  tool_errors: 1,
  compactions: 1,
  microcompactions: 1,
};

test("a session with a subagent, cleared results, blotted-out ids and a compaction gives its figures", () => {
  const held = importedPaths([resolve("fixtures/transcripts/opencode")]);
  const told = figuresOf(held);
  assert.equal(Object.fromEntries(Object.keys(expected).map((figure) => [figure, Number(told[figure])])), expected);
  assert.equal(
    judgments(held).map(({ passed, total }) => `${passed} of ${total}`),
    ["4 of 7"],
  );
  held.cleanup();
});

test.run();
