import { rmSync } from "node:fs";
import { test } from "uvu";
import * as assert from "uvu/assert";
import { losses } from "../../src/diagnostics/losses.js";
import { importers } from "../../src/ingest/agents.js";
import { wordsAt } from "../../src/ingest/reread.js";
import { select } from "../../src/store/scope.js";
import { type Act, transcripts } from "../support/acts.js";
import { corpusFile, corpusFolder, notRun } from "../support/corpus.js";
import { sameWhereverCut } from "../support/cut.js";
import { type Imported, imported, importedPaths } from "../support/import.js";
import { judgments, states, unjudged } from "../support/judgments.js";

const AGENT_FOLDERS = ["cline", "codex", "copilot-cli", "gemini-cli", "kimi-cli", "opencode", "pi", "qwen-code"];
const DEMAND = "Never touch the voucher migrations. Please mend `roundToCent` in the till.";
/** Enough words for the context to be all there. */
const IDLE = "I look at the drawer first, then at the ledger, and at the rest when both are done. ".repeat(5);
const before: Act[] = [
  { user: DEMAND },
  { says: "The helper `roundToCent` rounds twice because it was copied from the ledger." },
  { says: IDLE },
  { edits: "/shop/till/drawerPort.ts" },
  { edits: "/shop/till/ledgerPort.ts" },
  { runs: "npm test -- till", prints: "TypeError: cannot round a basket\n\n4711 passed, 38 failed", failed: true },
  { runs: "npm run deploy:till", prints: "deployed", failed: false },
];
const CHECKPOINT =
  "The user said: never touch the voucher migrations. `roundToCent` was mended in drawerPort.ts. `npm test -- till` fails with TypeError: cannot round a basket, 4711 passed, 38 failed.";

const told = [
  { kind: "command", state: "kept", n: 1 },
  { kind: "command", state: "lost", n: 1 },
  { kind: "decision", state: "lost", n: 1 },
  { kind: "error", state: "kept", n: 1 },
  { kind: "identifier", state: "kept", n: 1 },
  { kind: "modified_file", state: "kept", n: 1 },
  { kind: "modified_file", state: "lost", n: 1 },
  { kind: "test_result", state: "kept", n: 1 },
  { kind: "user_constraint", state: "kept", n: 1 },
];

function held(agent: string, ...acts: Act[]): Imported {
  const files = imported(transcripts[agent]!(acts));
  assert.is(files.report.files.refused, 0, agent);
  return files;
}

async function lostWords(store: Imported, agent: string) {
  const [compaction] = await losses(store.store.db, await select(store.store.db, {}));
  const { source, lost } = compaction!.judgment!;
  const importer = importers.find((candidate) => candidate.agent === agent)!;
  const words = wordsAt(
    source,
    importer,
    "main",
    lost.flatMap(({ position }) => position ?? []),
  );
  return words && lost.map(({ digest }) => words.get(digest)).sort();
}

for (const agent of Object.keys(transcripts)) {
  test(`${agent}: planted facts are found where the checkpoint says them, and nowhere else`, () => {
    const store = held(agent, ...before, { compacts: CHECKPOINT });
    assert.equal(states(store), told);
    assert.equal(
      judgments(store).map(({ passed, total }) => [passed, total]),
      [[6, 9]],
    );
    assert.is(store.value("SELECT count(*) FROM compactions WHERE summary_digest IS NULL"), 0);
    store.cleanup();
  });

  test(`${agent}: a checkpoint that repeats everything keeps all, one of something else nothing`, () => {
    const all = before.map((act) =>
      Object.values(act)
        .filter((value) => typeof value === "string")
        .join("\n"),
    );
    for (const [compacts, score] of [
      [all.join("\n"), 1],
      ["A weather station sends readings over radio. The antenna must not be touched by anybody.", 0],
    ] as const) {
      const store = held(agent, ...before, { compacts });
      assert.equal(
        judgments(store).map((judgment) => judgment.score),
        [score],
      );
      store.cleanup();
    }
  });

  test(`${agent}: the second checkpoint is judged by what the first one and the time after it said`, () => {
    const after: Act[] = [
      { says: IDLE },
      { edits: "/shop/till/basketPort.ts" },
      { compacts: "The user said: never touch the voucher migrations. basketPort.ts was changed." },
    ];
    const store = held(agent, ...before, { compacts: CHECKPOINT }, ...after);
    const second = `SELECT w.text AS kind, f.state FROM facts f JOIN words w ON w.id = f.kind
      WHERE f.judgment = (SELECT max(id) FROM judgments) AND w.text IN ('modified_file', 'user_constraint', 'command')`;
    assert.is(judgments(store).length, 2);
    assert.equal(store.rows(second), [{ kind: "modified_file", state: "kept" }]);
    store.cleanup();
  });

  test(`${agent}: the words of what was lost are read again, until the transcript is gone`, async () => {
    const store = held(agent, ...before, { compacts: CHECKPOINT });
    assert.equal(await lostWords(store, agent), [
      "/shop/till/ledgerPort.ts",
      "The helper `roundToCent` rounds twice because it was copied from the ledger.",
      "npm run deploy:till",
    ]);
    for (const name of Object.keys(transcripts[agent]!(before))) rmSync(store.path(name));
    assert.is(await lostWords(store, agent), null);
    store.cleanup();
  });

  test(`${agent}: wherever an import is cut and run again, the judgments are those of one import`, () => {
    const [[name, text] = ["", ""], ...others] = Object.entries(
      transcripts[agent]!([...before, { compacts: CHECKPOINT }, { says: IDLE }, { compacts: CHECKPOINT }]),
    );
    // A task is three files.
    if (others.length === 0) sameWhereverCut(text, name.replace("/", "-"), 5);
  });

  test(`${agent}: a context that is mostly in another file is not judged, and that is said`, () => {
    const store = held(agent, { user: "Go on." }, { says: "Yes." }, { compacts: CHECKPOINT });
    assert.equal([judgments(store), unjudged(store)], [[], [{ why: "replaced_text_elsewhere" }]]);
    store.cleanup();
  });
}

if (corpusFolder === null) notRun("compactions of real sessions of other agents");
else {
  test("every real compaction is judged, or it is said why not", () => {
    const store = importedPaths(AGENT_FOLDERS.map(corpusFile));
    const open = store.value(`SELECT count(*) FROM compactions c WHERE c.counted = 1 AND c.form = 'full'
      AND NOT EXISTS (SELECT 1 FROM judgments j WHERE j.compaction = c.event_id)
      AND NOT EXISTS (SELECT 1 FROM notes n WHERE n.detail = lower(hex(c.event_id)))`);
    assert.is(open, 0);
    const encrypted = "SELECT count(*) FROM compactions WHERE counted = 1 AND form = 'full' AND summary_digest IS NULL";
    assert.is(unjudged(store).filter(({ why }) => why === "unreadable").length, store.value(encrypted));
    assert.is(store.value("SELECT count(*) FROM judgments WHERE score < 0 OR score > 1"), 0);
    assert.ok(judgments(store).length >= 1);
    store.cleanup();
  });
}

test.run();
