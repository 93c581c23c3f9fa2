import { test } from "uvu";
import * as assert from "uvu/assert";
import { importers } from "../../../src/ingest/agents.js";
import { corpusFile, corpusFolder, expectedFiles, notRun } from "../../support/corpus.js";
import { differences, shuffled } from "../../support/corpus-figures.js";
import { importedPaths } from "../../support/import.js";

const options = { importers };

if (corpusFolder === null) notRun("real sessions of pi (4 files, 4 orders)");
else {
  const files = expectedFiles("pi-jsonl");

  test("every real session gives the figures that were computed independently", () => {
    // The expected figures call output provisional where a stop reason is missing; pi always writes one.
    const wrong = files.flatMap((expected) => differences(expected, options, ["output_provisional"]));
    assert.equal(wrong, []);
  });

  test("output of answers that were cut off is a lower bound", () => {
    const held = importedPaths([corpusFile("pi/pi-mono/large-session.jsonl")], options);
    assert.is(held.value("SELECT count(*) FROM requests WHERE output_quality = 'provisional'"), 8);
    assert.is(held.value("SELECT count(*) FROM attempts"), 14);
    held.cleanup();
  });

  test("costs are those that pi tells", () => {
    const costs = { "pi/pi-mono/session.jsonl": 19.965165, "pi/pi-mono/large-session.jsonl": 30.330198 };
    for (const [file, dollars] of Object.entries(costs)) {
      const held = importedPaths([corpusFile(file)], options);
      const told = Number(held.value("SELECT sum(provider_cost_micros) FROM requests")) / 1e6;
      assert.ok(Math.abs(told - dollars) < 0.001, `${file}: ${told}`);
      held.cleanup();
    }
  });

  test("the order of the files does not matter, nor how often they are imported", () => {
    const paths = files.map(({ file }) => corpusFile(file!));
    const first = importedPaths(paths, options);
    const dump = first.dump();
    first.cleanup();
    for (const seed of [1, 2, 3]) {
      const other = importedPaths([], options);
      for (const path of shuffled([...paths, ...paths], seed)) other.again(options, [path]);
      assert.equal(other.dump(), dump, `order ${seed}`);
      other.cleanup();
    }
  });
}

test.run();
