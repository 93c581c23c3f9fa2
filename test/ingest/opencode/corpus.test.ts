import { test } from "uvu";
import * as assert from "uvu/assert";
import { corpusFile, corpusFolder, expectedFiles, expectedGroups, notRun } from "../../support/corpus.js";
import { differences, figuresOf, shuffled } from "../../support/corpus-figures.js";
import { importedPaths } from "../../support/import.js";

if (corpusFolder === null) notRun("real exports of opencode (9 files, 1 group, 3 orders)");
else {
  const files = expectedFiles("opencode-export-json");

  test("every real export gives the figures that were computed independently", () => {
    // The expected figures know small compactions of Claude Code alone.
    const wrong = files.flatMap((expected) => differences(expected, {}, ["microcompactions"]));
    assert.equal(wrong, []);
  });

  test("all exports together give the figures of their group, in any order, twice", () => {
    const [group] = expectedGroups().filter(({ group }) => group === "opencode-nimbus-all");
    const paths = group!.files!.split(" ").map(corpusFile);
    const first = importedPaths(paths);
    const told = figuresOf(first);
    for (const name of ["requests", "input_uncached", "output", "cache_read", "cache_write"]) {
      assert.is(told[name], group![name], name);
    }
    const dump = first.dump();
    first.cleanup();
    for (const seed of [1, 2]) {
      const other = importedPaths([]);
      for (const path of shuffled([...paths, ...paths], seed)) other.again({}, [path]);
      assert.equal(other.dump(), dump, `order ${seed}`);
      other.cleanup();
    }
  });

  test("costs are those that opencode tells", () => {
    const held = importedPaths([corpusFile("opencode/nimbus/37-364f83fa16-0.export.json")]);
    const told = Number(held.value("SELECT sum(provider_cost_micros) FROM requests")) / 1e6;
    assert.ok(Math.abs(told - 3.511859) < 0.001, `${told}`);
    held.cleanup();
  });

  test("single files of a storage folder, under names that opencode does not give, are refused", () => {
    const paths = expectedFiles("not imported").map(({ file }) => file!);
    for (const file of paths.filter((path) => path.startsWith("opencode/"))) {
      const held = importedPaths([corpusFile(file)]);
      assert.is(held.report.refused[0]?.reason, "not a transcript of a known agent", file);
      held.cleanup();
    }
  });
}

test.run();
