/** The project's own sessions of Qwen Code, with figures known by hand. */
import { resolve } from "node:path";
import { test } from "uvu";
import * as assert from "uvu/assert";
import { figuresOf } from "../../support/corpus-figures.js";
import { importedPaths } from "../../support/import.js";
import { judgments } from "../../support/judgments.js";

const expected = {
  requests: 6,
  input_uncached: 800,
  cache_read: 4500,
  output: 300,
  reasoning: 60,
  turns: 3,
  turns_served: 3,
  tool_calls: 3,
  tool_errors: 1,
  compactions: 1,
};

test("a session with telemetry, a rewind, a refused call and a compression gives its figures", () => {
  const held = importedPaths([resolve("fixtures/transcripts/qwen-code")]);
  const told = figuresOf(held);
  assert.equal(Object.fromEntries(Object.keys(expected).map((figure) => [figure, Number(told[figure])])), expected);
  assert.equal(
    judgments(held).map(({ passed, total }) => `${passed} of ${total}`),
    ["3 of 4"],
  );
  held.cleanup();
});

test.run();
