import { test } from "uvu";
import * as assert from "uvu/assert";
import { corpusFile, corpusFolder, expectedFiles, notRun } from "../../support/corpus.js";
import { differences, shuffled } from "../../support/corpus-figures.js";
import { importedPaths } from "../../support/import.js";

if (corpusFolder === null) notRun("real sessions of Copilot CLI (4 files, 2 orders)");
else {
  const files = ["copilot-events"].flatMap(expectedFiles);

  test("every real file gives the figures that were computed independently", () => {
    const wrong = files.flatMap((expected) => differences(expected, {}));
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
}

test.run();
