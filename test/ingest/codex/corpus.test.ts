import { test } from "uvu";
import * as assert from "uvu/assert";
import { importers } from "../../../src/ingest/agents.js";
import { corpusFile, corpusFolder, expectedFiles, expectedGroups, notRun } from "../../support/corpus.js";
import { differences, figuresOf, shuffled } from "../../support/corpus-figures.js";
import { importedPaths } from "../../support/import.js";

const options = { importers };

if (corpusFolder === null) notRun("real Codex rollouts (22 files, 3 families, 4 orders)");
else {
  const files = expectedFiles("codex-rollout");
  const spawned = "unsupported-or-odd/traex.jsonl";

  test("every real rollout gives the figures that were computed independently", () => {
    const wrong = files.filter(({ file }) => file !== spawned).flatMap((expected) => differences(expected, options));
    assert.equal(wrong, []);
  });

  test("a spawned thread gives its figures too, in the lane of a subagent", () => {
    const expected = files.find(({ file }) => file === spawned)!;
    assert.equal(differences(expected, options, ["sidechain_requests", "turns", "turns_served"]), []);
    const held = importedPaths([corpusFile(spawned)], options);
    assert.is(held.value("SELECT kind FROM lanes"), "subagent");
    assert.is(held.value("SELECT count(DISTINCT turn) FROM requests"), 1);
    held.cleanup();
  });

  test("families of files that share history count each request once", () => {
    const families = expectedGroups().filter(({ group }) => group!.startsWith("codex-"));
    assert.is(families.length, 3);
    for (const family of families) {
      const held = importedPaths(family.files!.split(" ").map(corpusFile), options);
      const figures = figuresOf(held);
      for (const name of ["requests", "input_uncached", "output", "cache_read", "cache_write"]) {
        if (family[name] !== "") assert.is(figures[name], family[name], `${family.group}: ${name}`);
      }
      held.cleanup();
    }
  });

  test("the order of the files does not matter, nor how often they are imported", () => {
    const paths = files.map(({ file }) => corpusFile(file!));
    const first = importedPaths(paths, options);
    const dump = first.dump();
    assert.is(first.again(options, paths).files.read, 0);
    assert.equal(first.dump(), dump);
    first.cleanup();
    for (const seed of [1, 2, 3]) {
      const other = importedPaths([], options);
      for (const path of shuffled(paths, seed)) other.again(options, [path]);
      assert.equal(other.dump(), dump, `order ${seed}`);
      other.cleanup();
    }
  });

  test("a debug log that looks alike is refused with a reason", () => {
    const held = importedPaths([corpusFile("codex/openai-2025-08/tui-hello-log.jsonl")], options);
    assert.equal(
      held.report.refused.map(({ reason }) => reason),
      ["not a transcript of a known agent"],
    );
    held.cleanup();
  });
}

test.run();
