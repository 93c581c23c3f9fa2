import { test } from "uvu";
import * as assert from "uvu/assert";
import { importers } from "../../../src/ingest/agents.js";
import {
  corpusFile,
  corpusFolder,
  type Expected,
  expectedFiles,
  expectedGroups,
  notRun,
} from "../../support/corpus.js";
import { type Imported, importedPaths } from "../../support/import.js";

const options = { importers: importers.filter(({ agent }) => agent === "claude-code") };

if (corpusFolder === null) notRun("real Claude Code transcripts (66 files, 6 families, 4 orders)");
else {
  const files = expectedFiles("claude-jsonl");

  test("every real transcript gives the figures that were computed independently", () => {
    const wrong = files.flatMap((expected) => differences(expected));
    assert.equal(wrong, []);
  });

  test("families of files that share history count each request once", () => {
    for (const group of expectedGroups().filter(({ group }) => FAMILIES.has(group!))) {
      const names = FAMILIES.get(group.group!)!(group, files);
      const held = importedPaths(names.map(corpusFile), options);
      const { requests, input_uncached, output, cache_read, cache_write, sidechain_requests } = figuresOf(held);
      const figures = { requests, input_uncached, output, cache_read, cache_write, sidechain_requests };
      const expected = Object.fromEntries(Object.keys(figures).map((name) => [name, group[name]]));
      assert.equal(figures, expected, group.group);
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

  test("files of other agents, side files and look-alikes are refused with a reason", () => {
    const held = importedPaths(
      [corpusFile("codex"), corpusFile("unsupported-or-odd"), corpusFile("qwen-code")],
      options,
    );
    assert.is(held.report.files.read, 2);
    assert.ok(held.report.refused.every(({ reason }) => reason === "not a transcript of a known agent"));
    assert.ok(held.report.refused.some(({ path }) => path.endsWith("iflow.jsonl")));
    held.cleanup();
  });
}

/** Which files make a family. */
const FAMILIES = new Map<string, (group: Expected, files: Expected[]) => string[]>([
  ["claude-all", (_, files) => files.map(({ file }) => file!)],
  [
    "claude-without-proxy-and-handwritten",
    (_, files) =>
      files.map(({ file }) => file!).filter((file) => !/kimi-cli-devs|happy|daaain-misc|unsupported-or-odd/.test(file)),
  ],
  ...["entire-cli-snapshots", "kimi-cli-devs-snapshots", "claude-real-fork", "worktrees-parent-plus-6-subagents"].map(
    (name): [string, (group: Expected) => string[]] => [name, (group) => group.files!.split(" ")],
  ),
]);

/** What differs between one file's expected and imported figures. */
function differences(expected: Expected): string[] {
  const held = importedPaths([corpusFile(expected.file!)], options);
  const badLines = held.report.skippedLines.filter(({ reason }) => reason !== "not a JSON object").length;
  const refused = held.report.files.refused === 1;
  const figures: Record<string, string> = {
    ...figuresOf(held),
    bad_lines: refused ? expected.bad_lines! : `${badLines}`,
  };
  held.cleanup();
  return Object.entries(figures)
    .filter(([name, value]) => expected[name] !== value)
    .map(([name, value]) => `${expected.file}: ${name} is ${value}, expected ${expected[name]}`);
}

/** The store's figures under the names of the expected ones. */
function figuresOf(held: Imported): Record<string, string> {
  const [row] = held.rows(`
    WITH r AS (SELECT r.*, l.kind AS lane_kind FROM requests r JOIN lanes l ON l.id = r.lane WHERE r.counted = 1)
    SELECT
      (SELECT count(*) FROM r) AS requests,
      (SELECT sum(uncached_tokens) FROM r) AS input_uncached,
      (SELECT sum(output_tokens) FROM r) AS output,
      (SELECT sum(read_tokens) FROM r) AS cache_read,
      (SELECT sum(write_5m_tokens + write_1h_tokens + write_unsplit_tokens) FROM r) AS cache_write,
      (SELECT sum(write_5m_tokens) FROM r) AS cache_write_5m,
      (SELECT sum(write_1h_tokens) FROM r) AS cache_write_1h,
      (SELECT count(*) FROM r WHERE lane_kind <> 'parent') AS sidechain_requests,
      (SELECT count(*) FROM r WHERE output_quality = 'provisional') AS output_provisional,
      (SELECT count(*) FROM compactions WHERE counted = 1 AND form = 'full') AS compactions,
      (SELECT count(*) FROM compactions WHERE counted = 1 AND form = 'micro') AS microcompactions,
      (SELECT count(*) FROM attempts WHERE counted = 1 AND number IS NULL) AS synthetic,
      (SELECT count(*) FROM turns t JOIN lanes l ON l.id = t.lane WHERE counted = 1 AND l.kind = 'parent') AS turns,
      (SELECT count(DISTINCT turn) FROM r WHERE lane_kind = 'parent') AS turns_served,
      (SELECT count(*) FROM tool_calls WHERE counted = 1 AND use_seen = 1) AS tool_calls,
      (SELECT count(*) FROM tool_calls WHERE counted = 1 AND is_error = 1) AS tool_errors`);
  return Object.fromEntries(Object.entries(row!).map(([name, value]) => [name, String(value ?? 0)]));
}

/** The same entries in another order that depends on the seed alone. */
function shuffled<T>(entries: T[], seed: number): T[] {
  const keyed = entries.map((entry, i) => ({ entry, key: Math.sin(seed * 1000 + i) }));
  return keyed.sort((a, b) => a.key - b.key).map(({ entry }) => entry);
}

test.run();
