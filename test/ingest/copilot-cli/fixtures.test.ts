/** The project's own sessions of Copilot CLI, with figures known by hand. */
import { resolve } from "node:path";
import { test } from "uvu";
import * as assert from "uvu/assert";
import { figuresOf } from "../../support/corpus-figures.js";
import { importedPaths } from "../../support/import.js";
import { judgments } from "../../support/judgments.js";

const expected = {
  requests: 4,
  output: 200,
  sidechain_requests: 1,
  turns: 1,
  turns_served: 1,
  tool_calls: 4,
  tool_errors: 1,
  compactions: 1,
};

test("a session with a subagent, an answer told twice and a compaction in the background gives its figures", () => {
  const held = importedPaths([resolve("fixtures/transcripts/copilot-cli")]);
  const told = figuresOf(held);
  assert.equal(Object.fromEntries(Object.keys(expected).map((figure) => [figure, Number(told[figure])])), expected);
  assert.equal(
    judgments(held).map(({ passed, total }) => `${passed} of ${total}`),
    ["4 of 5"],
  );
  held.cleanup();
});

test.run();
