/** The project's own sessions of Cline, with figures known by hand. */
import { resolve } from "node:path";
import { test } from "uvu";
import * as assert from "uvu/assert";
import { figuresOf } from "../../support/corpus-figures.js";
import { importedPaths } from "../../support/import.js";
import { judgments } from "../../support/judgments.js";

const expected = {
  requests: 7,
  input_uncached: 800,
  cache_read: 5100,
  cache_write: 350,
  output: 307,
  output_provisional: 1,
  turns: 3,
  turns_served: 3,
  tool_calls: 3,
  tool_errors: 1,
  compactions: 2,
};

test("a session and a task, each with a checkpoint, give their figures", () => {
  const held = importedPaths([resolve("fixtures/transcripts/cline")]);
  const told = figuresOf(held);
  assert.equal(Object.fromEntries(Object.keys(expected).map((figure) => [figure, Number(told[figure])])), expected);
  assert.equal(
    judgments(held).map(({ passed, total }) => `${passed} of ${total}`),
    ["0 of 1"],
  );
  held.cleanup();
});

test.run();
