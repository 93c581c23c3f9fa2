/** The project's own sessions of Gemini CLI, with figures known by hand. */
import { resolve } from "node:path";
import { test } from "uvu";
import * as assert from "uvu/assert";
import { figuresOf } from "../../support/corpus-figures.js";
import { importedPaths } from "../../support/import.js";
import { judgments } from "../../support/judgments.js";

const expected = {
  requests: 6,
  input_uncached: 800,
  cache_read: 3600,
  output: 300,
  reasoning: 60,
  turns: 4,
  tool_calls: 3,
  tool_errors: 0,
  compactions: 1,
};

test("chats with repeated and rewound messages, an answer without counts and a compression give their figures", () => {
  const held = importedPaths([resolve("fixtures/transcripts/gemini-cli")]);
  const told = figuresOf(held);
  assert.equal(Object.fromEntries(Object.keys(expected).map((figure) => [figure, Number(told[figure])])), expected);
  assert.equal(
    judgments(held).map(({ passed, total }) => `${passed} of ${total}`),
    ["3 of 3"],
  );
  held.cleanup();
});

test.run();
