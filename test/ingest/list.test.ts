import { mkdirSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { importers } from "../../src/ingest/agents.js";
import { listed, placeOf } from "../../src/ingest/list.js";
import { listJson, listText } from "../../src/report/import-list.js";
import { corpusFolder, notRun } from "../support/corpus.js";
import { importedPaths } from "../support/import.js";
import { temporaryFolder } from "../support/store.js";

const test = suite<{ home: string }>("list");
test.before.each((context) => {
  context.home = temporaryFolder();
});
test.after.each(({ home }) => rmSync(home, { recursive: true, force: true }));

const PAGE = { width: 400, colour: false, timezone: "UTC" };

function put(path: string, text: string, day?: string): void {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
  if (day !== undefined) utimesSync(path, new Date(day), new Date(day));
}

test("every agent is listed with all places that were looked at, found or not", ({ home }) => {
  put(join(home, ".codex/sessions/2026/a.jsonl"), "12345");
  const all = listed(importers, { home, variables: {} });
  assert.equal(
    all.map(({ agent }) => agent),
    importers.map(({ agent }) => agent),
  );
  const codex = all.find(({ agent }) => agent === "codex")!;
  assert.equal(
    codex.places.map(({ found, files, bytes }) => [found, files, bytes]),
    [
      [true, 1, 5],
      [false, 0, 0],
    ],
  );
  const text = listText(all, PAGE);
  assert.match(text, `${join(home, ".codex/sessions")}: 1 file, 0.0 MB`);
  assert.match(text, `${join(home, ".codex/archived_sessions")}: not there`);
  assert.match(text, /pi\n.*\.pi\/agent\/sessions: not there/);
});

test("how far back files reach is told by when they were written, and says so", ({ home }) => {
  put(join(home, ".claude/projects/a.jsonl"), "x", "2026-07-03T10:00:00Z");
  put(join(home, ".claude/projects/b.jsonl"), "x", "2026-08-01T10:00:00Z");
  put(join(home, ".claude/projects/notes.txt"), "x", "2020-01-01T00:00:00Z");
  const all = listed(importers, { home, variables: {} });
  assert.match(
    listText(all, PAGE),
    "reaches  2026-07-03 10:00:00 to 2026-08-01 10:00:00 by when files were last written; records in them can be older",
  );
  const [claude, cline] = listJson(all, []).agents;
  assert.equal(
    [claude!.files, claude!.oldestFileAt, claude!.newestFileAt],
    [2, "2026-07-03T10:00:00.000Z", "2026-08-01T10:00:00.000Z"],
  );
  assert.equal([cline!.files, cline!.oldestFileAt], [0, null]);
});

test("when the agent deletes its transcripts is its default, or what its settings say", ({ home }) => {
  const horizon = (agent: string) =>
    listed(importers, { home, variables: {} }).find((one) => one.agent === agent)!.cleanup;
  assert.equal(horizon("claude-code"), { days: 30, setting: "cleanupPeriodDays", file: null });
  assert.is(horizon("codex"), null);
  const claude = join(home, ".claude/settings.json");
  put(claude, '{"cleanupPeriodDays": 365}');
  assert.equal(horizon("claude-code"), { days: 365, setting: "cleanupPeriodDays", file: claude });
  put(claude, "not JSON");
  assert.is(horizon("claude-code")?.days, 30);
  const gemini = join(home, ".gemini/settings.json");
  for (const [sessionRetention, days] of [
    [{ maxAge: "2w" }, 14],
    [{ maxAge: "48h" }, 2],
    [{ enabled: false }, null],
    [{ enabled: true }, 30],
  ]) {
    put(gemini, JSON.stringify({ general: { sessionRetention } }));
    assert.is(horizon("gemini-cli")?.days, days);
  }
});

test("a path of one's own is listed by what it holds, whoever wrote it", ({ home }) => {
  put(join(home, "t/a.jsonl"), "123");
  put(join(home, "t/notes.txt"), "1");
  const { found, files, bytes } = placeOf(join(home, "t"), importers);
  assert.equal([found, files, bytes], [true, 1, 3]);
  assert.is(placeOf(join(home, "missing"), importers).found, false);
});

test("what the list says an agent cannot tell, no import of its transcripts tells", () => {
  assert.equal(contradictions(resolve("fixtures")), []);
  if (corpusFolder === null) return notRun("coverage of the corpus against the list: 1 check");
  assert.equal(contradictions(corpusFolder), []);
});

/** Coverage that an import gave, better than the list allows, or not mentioned in the list as it is. */
function contradictions(folder: string): unknown[] {
  const held = importedPaths([folder]);
  const rows = held.rows(`SELECT DISTINCT words.text AS agent, fact, level FROM coverage
    JOIN sessions ON sessions.id = coverage.session JOIN words ON words.id = sessions.agent`);
  held.cleanup();
  assert.ok(rows.length > 20);
  return rows.filter(({ agent, fact, level }) => {
    const importer = importers.find((one) => one.agent === agent)!;
    const listed = importer.coverage[fact as keyof typeof importer.coverage]?.level ?? "full";
    return listed === "absent" && level !== "absent";
  });
}

test.run();
