import { test } from "uvu";
import * as assert from "uvu/assert";
import { transcript } from "../../support/claude.js";
import { about, gemini, user } from "../../support/gemini.js";
import { type Imported, imported } from "../../support/import.js";
import { judgments, states } from "../../support/judgments.js";

const words = "I look at the drawer first, then at the ledger, and at the rest when both are done. ".repeat(6);
const says = (id: string, content: string) => gemini(id, { content });
const edits = (id: string, file_path: string, given = {}) =>
  gemini(id, {
    content: "",
    toolCalls: [{ id: `replace-${id}`, name: "replace", args: { file_path }, status: "success", result: [], ...given }],
  });
const snapshot = (id: string, text: string) =>
  user(id, { content: [{ text: `<state_snapshot>${text}</state_snapshot>` }] });
const setAnew = (...messages: unknown[]) => ({ $set: { messages } });

const held = (...records: unknown[]): Imported => imported({ "session-1.jsonl": transcript(about(), ...records) });

test("messages that stand in the new history stayed", () => {
  const [first, second] = [edits("m1", "/shop/till/drawerPort.ts"), edits("m2", "/shop/till/ledgerPort.ts")];
  const anew = setAnew(snapshot("c1", "See drawerPort.ts."), second);
  const store = held(says("m0", words), first, second, anew, says("m3", "ok"));
  assert.equal(states(store), [{ kind: "modified_file", state: "kept", n: 1 }]);
  const rewritten = "SELECT w.text FROM requests r JOIN words w ON w.id = r.rewrite_kind";
  assert.is(store.value(rewritten), "compaction");
  assert.is(store.value("SELECT count(*) FROM turns"), 0);
  store.cleanup();
});

test("a message that is written again says nothing twice", () => {
  const once = says("m1", "The helper is `roundToCent` now.");
  const store = held(
    says("m0", words),
    edits("m2", "/shop/till/drawerPort.ts"),
    once,
    once,
    setAnew(snapshot("c1", "See drawerPort.ts.")),
    says("m3", "ok"),
  );
  assert.equal(states(store), [{ kind: "modified_file", state: "kept", n: 1 }]);
  store.cleanup();
});

test("what was rewound before was not in the context", () => {
  const store = held(
    says("m0", words),
    edits("m1", "/shop/till/drawerPort.ts"),
    user("u1", { content: "Never touch the voucher migrations." }),
    edits("m2", "/shop/till/ledgerPort.ts"),
    { $rewindTo: "u1" },
    user("u2", { content: "Go on." }),
    setAnew(snapshot("c1", "See drawerPort.ts.")),
    says("m3", "ok"),
  );
  assert.equal(states(store), [{ kind: "modified_file", state: "kept", n: 1 }]);
  store.cleanup();
});

test("results in the history, and what the client says of the surroundings, are no prompts", () => {
  const results = user("u1", { content: [{ functionResponse: { id: "x", response: { output: "Always." } } }] });
  const setup = user("u2", { content: [{ text: "<session_context>Never leave this folder.</session_context>" }] });
  const store = held(setup, says("m0", words), results);
  assert.is(store.value("SELECT count(*) FROM turns"), 0);
  store.cleanup();
});

test("a chat without a compression may be one that does not tell of any", () => {
  const level = "SELECT level FROM coverage WHERE fact = 'compactions'";
  const silent = held(user("u1"), says("m0", "ok"));
  assert.is(silent.value(level), "absent");
  silent.cleanup();
  const told = held(says("m0", words), setAnew(snapshot("c1", "Nothing.")), says("m1", "ok"));
  assert.equal([told.value(level), judgments(told)], ["partial", []]);
  told.cleanup();
});

test("a text like a checkpoint that a person pasted is none", () => {
  const store = held(snapshot("u1", "Mend the till."), says("m0", words));
  assert.is(store.value("SELECT count(*) FROM compactions"), 0);
  store.cleanup();
});

test.run();
