import { test } from "uvu";
import * as assert from "uvu/assert";
import { corpusFile, corpusFolder, expectedFiles, notRun } from "../../support/corpus.js";
import { differences, shuffled } from "../../support/corpus-figures.js";
import { importedPaths } from "../../support/import.js";

if (corpusFolder === null) notRun("real sessions of Cline (1 files, 2 orders)");
else {
  const files = ["cline-messages-json"].flatMap(expectedFiles);

  test("every real file gives the figures that were computed independently", () => {
    // The expected figures leave out served turns of this agent.
    const wrong = files.flatMap((expected) => differences(expected, {}, ["turns_served"]));
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

  test("costs are those that Cline tells", () => {
    const held = importedPaths([corpusFile("cline/sdk/session.messages.json")]);
    const told = Number(held.value("SELECT sum(provider_cost_micros) FROM requests")) / 1e6;
    assert.ok(Math.abs(told - 2.036023) < 0.001, `${told}`);
    held.cleanup();
  });

  test("the file that describes a session is refused", () => {
    const held = importedPaths([corpusFile("cline/sdk/session.json")]);
    assert.is(held.report.refused[0]?.reason, "not a transcript of a known agent");
    held.cleanup();
  });
}

test.run();
