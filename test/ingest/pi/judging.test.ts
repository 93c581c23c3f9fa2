import { test } from "uvu";
import * as assert from "uvu/assert";
import { transcript } from "../../support/claude.js";
import { type Imported, imported } from "../../support/import.js";
import { judgments, states } from "../../support/judgments.js";
import { answer, compaction, entry, header, prompt, result } from "../../support/pi.js";

type Given = Record<string, unknown>;

const words = "I look at the drawer first, then at the ledger, and at the rest when both are done. ";
const says = (text: string, given: Given = {}) => answer({ content: [{ type: "text", text }] }, given);
const edits = (path: string, given: Given = {}) =>
  answer(
    { content: [{ type: "toolCall", id: `toolu_00000000000000${path.length}`, name: "edit", arguments: { path } }] },
    given,
  );
const compacts = (summary: string, given: Given) => compaction(summary, 100, given);

const held = (...records: unknown[]): Imported => imported({ "session.jsonl": transcript(...records) });

/** Each entry hangs on the one before, unless it says on which. */
function tree(...entries: Given[]): Given[] {
  return entries.map((one, n) => ({ id: `e${n}`, parentId: n === 0 ? null : `e${n - 1}`, ...one }));
}

test("what stays beside the checkpoint was not at risk, and is at risk the next time", () => {
  const first = tree(
    says(words),
    edits("/shop/till/drawerPort.ts"),
    edits("/shop/till/ledgerPort.ts"),
    compacts("The drawer is done, see drawerPort.ts.", { firstKeptEntryId: "e2" }),
    says(words),
  );
  const one = held(header("s1"), ...first);
  assert.equal(states(one), [{ kind: "modified_file", state: "kept", n: 1 }]);
  one.cleanup();

  const two = held(header("s1"), ...first, ...tree(...first, compacts("Done.", { firstKeptEntryId: "none" })).slice(5));
  const second = "SELECT state FROM facts WHERE judgment = (SELECT max(id) FROM judgments)";
  assert.equal([judgments(two).length, two.rows(second)], [2, [{ state: "lost" }]]);
  two.cleanup();
});

test("entries without ids are named by their number in the file, the head counted", () => {
  const v1 = { ...header("s1"), version: undefined };
  const records = [says(words), edits("/shop/till/drawerPort.ts"), edits("/shop/till/ledgerPort.ts")];
  const summary = entry("compaction", { summary: "The drawer is done.", tokensBefore: 100, firstKeptEntryIndex: 3 });
  const store = held(v1, ...records, summary, says("ok"));
  assert.equal(states(store), [{ kind: "modified_file", state: "lost", n: 1 }]);
  store.cleanup();
});

test("a branch that was left is not in the context", () => {
  const store = held(
    header("s1"),
    ...tree(
      prompt("Mend the till."),
      says(words),
      prompt("Never touch the voucher migrations."),
      edits("/shop/till/ledgerPort.ts"),
      prompt("Mend the drawer.", { parentId: "e1" }),
      edits("/shop/till/drawerPort.ts"),
      compacts("See drawerPort.ts.", { firstKeptEntryId: "none" }),
    ),
  );
  assert.equal(states(store), [{ kind: "modified_file", state: "kept", n: 1 }]);
  store.cleanup();
});

test("who goes back behind a compaction has the text again that it had replaced", () => {
  const store = held(
    header("s1"),
    ...tree(
      says(words),
      edits("/shop/till/drawerPort.ts"),
      compacts("Nothing.", { firstKeptEntryId: "none" }),
      says(words, { parentId: "e1" }),
      compacts("See drawerPort.ts.", { firstKeptEntryId: "none" }),
    ),
  );
  assert.equal(
    judgments(store).map(({ score }) => score),
    [0, 1],
  );
  store.cleanup();
});

test("a checkpoint glued to the entry before it is judged all the same", () => {
  const [first, second, third] = tree(
    says(words),
    result("toolu_0000000000000001", "a"),
    compacts("See drawerPort.ts.", { firstKeptEntryId: "none" }),
  );
  const edit = tree(edits("/shop/till/drawerPort.ts"))[0]!;
  const lines = `${transcript(header("s1"), { ...edit, id: "x" }, { ...first, parentId: "x" })}${JSON.stringify(second)}${JSON.stringify(third)}\n`;
  const store = imported({ "session.jsonl": lines });
  assert.equal(states(store), [{ kind: "modified_file", state: "kept", n: 1 }]);
  store.cleanup();
});

test("a command that the user ran is known, unless the model was not to see it", () => {
  const ran = (command: string, given: Given = {}) => ({
    ...prompt(""),
    message: { role: "bashExecution", command, output: "4711 passed", exitCode: 0, ...given },
  });
  const store = held(
    header("s1"),
    ...tree(
      says(words),
      ran("npm run deploy:till"),
      ran("npm run secret:till", { excludeFromContext: true }),
      compacts("Nothing.", { firstKeptEntryId: "none" }),
    ),
  );
  assert.equal(
    states(store).filter(({ kind }) => kind === "command"),
    [{ kind: "command", state: "lost", n: 1 }],
  );
  store.cleanup();
});

test.run();
