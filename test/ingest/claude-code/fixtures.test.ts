/** The project's own transcripts: each kind of trouble stands in one of them, with figures known by hand. */
import { join, resolve } from "node:path";
import { test } from "uvu";
import * as assert from "uvu/assert";
import { importedPaths } from "../../support/import.js";

const FOLDER = resolve("fixtures/transcripts/claude-code");

const FIGURES = `SELECT
  (SELECT count(*) FROM requests WHERE counted = 1) AS requests,
  (SELECT sum(output_tokens) FROM requests WHERE counted = 1) AS output,
  (SELECT count(*) FROM requests r JOIN lanes l ON l.id = r.lane WHERE counted = 1 AND l.kind <> 'parent') AS subagents,
  (SELECT count(*) FROM turns t JOIN lanes l ON l.id = t.lane WHERE counted = 1 AND l.kind = 'parent') AS turns,
  (SELECT count(*) FROM tool_calls WHERE counted = 1) AS calls,
  (SELECT count(*) FROM compactions WHERE counted = 1) AS compactions,
  (SELECT count(*) FROM attempts WHERE counted = 1) AS attempts`;

const expected = {
  "compacted.jsonl": { requests: 4, output: 381, subagents: 0, turns: 2, calls: 2, compactions: 1, attempts: 1 },
  "old-inline-subagent.jsonl": {
    requests: 4,
    output: 15,
    subagents: 2,
    turns: 1,
    calls: 1,
    compactions: 0,
    attempts: 0,
  },
  fork: { requests: 3, output: 150, subagents: 0, turns: 3, calls: 0, compactions: 0, attempts: 0 },
  nested: { requests: 3, output: 150, subagents: 1, turns: 1, calls: 1, compactions: 0, attempts: 0 },
  "damaged.jsonl": { requests: 6, output: 300, subagents: 0, turns: 2, calls: 0, compactions: 0, attempts: 1 },
};

for (const [name, figures] of Object.entries(expected)) {
  test(`${name} gives its figures`, () => {
    const held = importedPaths([join(FOLDER, name)]);
    assert.equal(held.rows(FIGURES), [figures]);
    held.cleanup();
  });
}

test("damage is told line by line, and the unfinished last line waits", () => {
  const held = importedPaths([join(FOLDER, "damaged.jsonl")]);
  const lines = held.report.skippedLines.map(({ line, reason }) => `${line} ${reason}`);
  assert.equal(lines.slice(0, 4), ["3 NUL bytes", "4 not a JSON object", "5 not a JSON object", "6 not a JSON object"]);
  assert.equal(
    lines.slice(4).map((line) => line.replace(/^\d+ /, "")),
    ["not JSON", "not JSON"],
  );
  assert.is(held.value("SELECT size - offset FROM sources"), 200);
  held.cleanup();
});

test("all of them together, in either order, are one store", () => {
  const names = Object.keys(expected).map((name) => join(FOLDER, name));
  const forth = importedPaths(names);
  const back = importedPaths([]);
  for (const name of names.reverse()) back.again({}, [name]);
  assert.equal(back.dump(), forth.dump());
  forth.cleanup();
  back.cleanup();
});

test.run();
