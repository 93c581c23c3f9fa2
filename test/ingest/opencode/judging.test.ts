import { test } from "uvu";
import * as assert from "uvu/assert";
import { importers } from "../../../src/ingest/agents.js";
import { wordsAt } from "../../../src/ingest/reread.js";
import { type Imported, imported } from "../../support/import.js";
import { judgments, states } from "../../support/judgments.js";
import { assistant, database, type Exported, session, tool, user } from "../../support/opencode.js";

const words = "I look at the drawer first, then at the ledger, and at the rest when both are done. ".repeat(6);
const says = (text: string) => assistant([{ type: "text", text }]);
const edits = (filePath: string, state = {}) =>
  assistant([tool(`call_000000000000000${filePath.length}`, { input: { filePath }, ...state }, { tool: "edit" })]);
const compacts = (text: string, asked = {}, given = {}) => [
  user("", { type: "compaction", auto: true, ...asked }),
  assistant([{ type: "text", text }], { summary: true, ...given }),
];

const held = (...messages: Exported["messages"]): Imported =>
  imported({ "s1.export.json": JSON.stringify(session("ses_1", ...messages, says("ok")), null, 2) });

test("the tail stays as it was, from the message that the client names", () => {
  const tail = edits("/shop/till/ledgerPort.ts");
  const asked = { tail_start_id: tail.info.id };
  const store = held(says(words), edits("/shop/till/drawerPort.ts"), tail, ...compacts("See drawerPort.ts.", asked));
  assert.equal(states(store), [{ kind: "modified_file", state: "kept", n: 1 }]);
  assert.is(store.value("SELECT count(*) FROM compaction_items WHERE fate = 'kept'"), 1);
  store.cleanup();
});

test("a prompt that is put again after an overflow was not lost", () => {
  const demand = "Never touch the voucher migrations.";
  const before = [says(words), edits("/shop/till/drawerPort.ts"), user(demand), edits("/shop/till/ledgerPort.ts")];
  const lost = { kind: "modified_file", state: "lost", n: 2 };
  const again = held(...before, ...compacts("Nothing.", { overflow: true }), user(demand));
  assert.equal(states(again), [lost]);
  again.cleanup();
  const once = held(...before, ...compacts("Nothing.", { overflow: true }), user("Go on."));
  assert.equal(states(once), [lost, { kind: "user_constraint", state: "lost", n: 1 }]);
  once.cleanup();
  const manual = held(...before, ...compacts("Nothing."), user(demand));
  assert.equal(states(manual), [lost, { kind: "user_constraint", state: "lost", n: 1 }]);
  manual.cleanup();
});

test("results that had been cleared before were not the compaction's to lose", () => {
  const printed = { output: "4711 passed, 38 failed", input: { command: "npm test" } };
  const ran = (id: string, time: object) => assistant([tool(id, { ...printed, time }, { tool: "bash" })]);
  const counts = (store: Imported) => states(store).filter(({ kind }) => kind === "test_result");
  const there = held(says(words), ran("call_0000000000000001", { start: 1, end: 2 }), ...compacts("Nothing."));
  assert.equal(counts(there), [{ kind: "test_result", state: "lost", n: 1 }]);
  there.cleanup();
  const cleared = { start: 1, end: 2, compacted: 3 };
  const gone = held(says(words), ran("call_0000000000000001", cleared), ...compacts("Nothing."));
  assert.equal(counts(gone), []);
  gone.cleanup();
});

test("a compaction that failed replaced nothing", () => {
  const error = { name: "ContextOverflowError", data: { message: "too large" } };
  const store = held(says(words), ...compacts("", {}, { error, finish: "error" }));
  assert.is(store.value("SELECT count(*) FROM compactions"), 0);
  store.cleanup();
});

test("files that the client read for a prompt are no words of the user's", () => {
  const prompt = user("See the notes.");
  prompt.parts.push({ type: "text", text: "Always write tests first.", synthetic: true });
  const store = held(prompt, says(words), edits("/shop/till/drawerPort.ts"), ...compacts("Nothing."));
  assert.equal(states(store), [{ kind: "modified_file", state: "lost", n: 1 }]);
  store.cleanup();
});

test("sessions of a database are judged too, and their words found there again", () => {
  const store = imported({});
  const path = store.path("opencode.db");
  const { raw, put } = database(path);
  put(session("ses_0", user("hi"), says("ok")));
  put(session("ses_1", says(words), edits("/shop/till/drawerPort.ts"), ...compacts("Nothing."), says("ok")));
  raw.close();
  store.again({}, [path]);
  assert.equal(
    judgments(store).map(({ score }) => score),
    [0],
  );
  const [{ position, digest }] = store.rows(
    "SELECT byte_position AS position, lower(hex(digest)) AS digest FROM facts",
  ) as [{ position: number; digest: string }];
  const opencode = importers.find(({ agent }) => agent === "opencode")!;
  assert.is(wordsAt(path, opencode, "main", [position])?.get(digest), "/shop/till/drawerPort.ts");
  store.cleanup();
});

test.run();
