import { test } from "uvu";
import * as assert from "uvu/assert";
import { corpusFile, corpusFolder, expectedFiles, notRun } from "../../support/corpus.js";
import { differences, figuresOf, shuffled } from "../../support/corpus-figures.js";
import { importedPaths } from "../../support/import.js";

if (corpusFolder === null) notRun("real sessions of Qwen Code (2 files, 2 orders)");
else {
  const files = ["qwen-jsonl"].flatMap(expectedFiles);

  test("every real file gives the figures that were computed independently", () => {
    // The expected figures leave out tool calls and served turns of this agent; the next test knows them.
    const leftOut = ["tool_calls", "tool_errors", "turns_served"];
    const wrong = files.flatMap((expected) => differences(expected, {}, leftOut));
    assert.equal(wrong, []);
  });

  test("the order of the files does not matter, nor how often they are imported", () => {
    const paths = files.map(({ file }) => corpusFile(file!));
    const first = importedPaths(paths);
    const dump = first.dump();
    first.cleanup();
    for (const seed of [1, 2]) {
      const other = importedPaths([]);
      for (const path of shuffled([...paths, ...paths], seed)) other.again({}, [path]);
      assert.equal(other.dump(), dump, `order ${seed}`);
      other.cleanup();
    }
  });

  test("tool calls and turns that were answered are those that stand in the files", () => {
    const figures = { "qwen-code/splitrail/qwen_code.jsonl": [1, 1, 1] };
    for (const [file, expected] of Object.entries(figures)) {
      const held = importedPaths([corpusFile(file)]);
      const { tool_calls, tool_errors, turns_served } = figuresOf(held);
      assert.equal([tool_calls, tool_errors, turns_served].map(Number), expected);
      held.cleanup();
    }
  });
}

test.run();
