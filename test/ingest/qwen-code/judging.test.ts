import { test } from "uvu";
import * as assert from "uvu/assert";
import { transcript } from "../../support/claude.js";
import { type Imported, imported } from "../../support/import.js";
import { states } from "../../support/judgments.js";
import { answer, system, user } from "../../support/qwen.js";

const words = "I look at the drawer first, then at the ledger, and at the rest when both are done. ".repeat(6);
const says = (text: string) => answer([{ text }]);
const edits = (file_path: string) =>
  answer([{ functionCall: { id: `call_000000000000000${file_path.length}`, name: "edit", args: { file_path } } }]);
const content = (role: string, text: string) => ({ role, parts: [{ text }] });
const compresses = (checkpoint: string, ...others: unknown[]) =>
  system("chat_compression", {
    info: { originalTokenCount: 500, newTokenCount: 50, compressionStatus: 1 },
    compressedHistory: [
      content("user", checkpoint),
      content("model", "Got it. Thanks for the additional context!"),
      ...others,
    ],
  });

const held = (...records: unknown[]): Imported => imported({ "q1.jsonl": transcript(...records, says("ok")) });

test("messages that stand in the compressed history stayed", () => {
  const demand = "Never touch the voucher migrations.";
  const second = edits("/shop/till/ledgerPort.ts");
  const store = held(
    says(words),
    edits("/shop/till/drawerPort.ts"),
    user(demand),
    second,
    compresses("See drawerPort.ts.", content("user", demand), second.message),
  );
  assert.equal(states(store), [{ kind: "modified_file", state: "kept", n: 1 }]);
  assert.is(store.value("SELECT count(*) FROM compaction_items WHERE fate = 'kept'"), 2);
  store.cleanup();
});

test("files that the client puts beside the checkpoint keep what they say", () => {
  const file = "Recently accessed file (full current content embedded):\n\n## /shop/till/ledgerPort.ts\n\n```\na\n```";
  const store = held(
    says(words),
    edits("/shop/till/drawerPort.ts"),
    edits("/shop/till/ledgerPort.ts"),
    compresses("Nothing.", content("user", file)),
  );
  assert.equal(states(store), [
    { kind: "modified_file", state: "kept", n: 1 },
    { kind: "modified_file", state: "lost", n: 1 },
  ]);
  store.cleanup();
});

test("the client's words around a checkpoint are no part of it", () => {
  const trailer = "Resume the prior task using the summary above. Continue from the last in-flight step; do not greet.";
  const store = held(says(words), edits("/shop/till/drawerPort.ts"), compresses(`See drawerPort.ts.\n\n${trailer}`));
  assert.is(store.value("SELECT summary_bytes FROM compactions"), "See drawerPort.ts.".length);
  store.cleanup();
});

test("what was rewound before was not in the context", () => {
  const first = says(words);
  const left = { ...user("Never touch the voucher migrations."), parentUuid: first.uuid };
  const wrong = { ...edits("/shop/till/ledgerPort.ts"), parentUuid: left.uuid };
  const rewind = { ...system("rewind", {}), parentUuid: first.uuid };
  const again = { ...user("Mend the drawer."), parentUuid: rewind.uuid };
  const right = { ...edits("/shop/till/drawerPort.ts"), parentUuid: again.uuid };
  const store = held(first, left, wrong, rewind, again, right, compresses("See drawerPort.ts."));
  assert.equal(states(store), [{ kind: "modified_file", state: "kept", n: 1 }]);
  store.cleanup();
});

test("a compression that failed left no history, and replaced nothing", () => {
  const failed = system("chat_compression", { info: { originalTokenCount: 500 }, compressedHistory: null });
  const store = held(says(words), failed);
  assert.is(store.value("SELECT count(*) FROM compactions"), 0);
  store.cleanup();
});

test.run();
