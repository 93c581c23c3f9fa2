import { test } from "uvu";
import * as assert from "uvu/assert";
import { importers } from "../../../src/ingest/agents.js";
import { corpusFile, corpusFolder, expectedFiles, notRun } from "../../support/corpus.js";
import { differences } from "../../support/corpus-figures.js";
import { importedPaths } from "../../support/import.js";

const options = { importers };
const MAIN = "kimi-cli/agent-sessions/assistant_tools.wire.jsonl";
const SUBAGENT = "kimi-cli/agent-sessions/subagent_agent-0.wire.jsonl";

if (corpusFolder === null) notRun("real wire files of Kimi CLI (2 files)");
else {
  // The expected figures leave out the tool calls of this format, and the turns that were served.
  const leftOut = ["tool_calls", "tool_errors", "turns_served"];

  test("every real wire file gives the figures that were computed independently", () => {
    const files = expectedFiles("kimi-wire");
    assert.is(files.length, 2);
    for (const expected of files) {
      const lane = expected.file === SUBAGENT ? ["sidechain_requests", "turns"] : [];
      assert.equal(differences(expected, options, [...leftOut, ...lane]), []);
    }
  });

  test("a subagent's requests and turn stand in a subagent's lane", () => {
    const held = importedPaths([corpusFile(SUBAGENT)], options);
    assert.equal(held.rows("SELECT kind FROM lanes"), [{ kind: "subagent" }]);
    assert.is(held.value("SELECT count(*) FROM turns"), 1);
    assert.is(held.value("SELECT count(*) FROM requests"), 3);
    held.cleanup();
  });

  test("the compaction's call, tool calls and tries without an answer are told", () => {
    const held = importedPaths([corpusFile(MAIN)], options);
    const prompt = "SELECT r.uncached_tokens + r.read_tokens FROM requests r JOIN lanes l ON l.id = r.lane";
    assert.is(held.value(`${prompt} WHERE l.kind = 'compaction'`), 42_371);
    assert.is(held.value("SELECT count(*) FROM tool_calls WHERE use_seen = 1 AND result_seen = 1"), 19);
    assert.is(held.value("SELECT count(*) FROM tool_calls WHERE is_error = 1"), 1);
    assert.is(held.value("SELECT count(*) FROM attempts"), 2);
    assert.is(held.value("SELECT tokens_before FROM compactions"), 41_095);
    held.cleanup();
  });
}

test.run();
