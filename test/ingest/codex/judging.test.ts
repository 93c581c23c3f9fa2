import { test } from "uvu";
import * as assert from "uvu/assert";
import { transcript } from "../../support/claude.js";
import { compacted, complete, context, counter, event, item, line, meta, said, started } from "../../support/codex.js";
import { type Imported, imported } from "../../support/import.js";
import { judgments, states, unjudged } from "../../support/judgments.js";

const message = (role: string, text: string) =>
  item("message", { role, content: [{ type: role === "user" ? "input_text" : "output_text", text }] });
const asks = (text: string) => [said(text), message("user", text)];
const kept = (text: string) => ({ type: "message", role: "user", content: [{ type: "input_text", text }] });
const patch = (file: string) =>
  item("custom_tool_call", {
    name: "apply_patch",
    call_id: `call_000000000000000${file.length}`,
    input: `*** Begin Patch\n*** Update File: ${file}\n*** End Patch`,
  });

const PREFIX =
  "Another language model started to solve this problem and produced a summary of its thinking process. Use this:";
const words = "I look at the drawer first, then at the ledger, and at the rest when both are done. ".repeat(6);
const held = (...records: unknown[]): Imported =>
  imported({ "rollout.jsonl": transcript(meta("s1"), context(), ...records, counter([2000, 0, 20, 0])) });
const before = counter([1000, 0, 10, 0], [1000, 0, 10, 0]);

test("demands that stay in the context word for word were not at risk, others were", () => {
  const [stays, goes] = ["Never touch the voucher migrations.", "Always round to half a cent."];
  const history = [kept(stays), kept(`${PREFIX}\nThe drawer was mended.`)];
  const store = held(...asks(goes), ...asks(stays), message("assistant", words), before, compacted("", history));
  assert.equal(states(store), [{ kind: "user_constraint", state: "lost", n: 1 }]);
  assert.is(store.value("SELECT count(*) FROM compaction_items WHERE fate = 'kept'"), 1);
  store.cleanup();
});

test("of a checkpoint that lists no history, the newest 20,000 tokens of what the user said stay", () => {
  const long = `Here is the log. ${"x ".repeat(45_000)}`;
  const [stays, goes] = ["Never touch the voucher migrations.", "Always round to half a cent."];
  const old = line("compacted", { message: `${PREFIX}\nThe drawer was mended.` });
  const store = held(...asks(goes), ...asks(long), ...asks(stays), message("assistant", words), before, old);
  assert.equal(states(store), [{ kind: "user_constraint", state: "lost", n: 1 }]);
  store.cleanup();
});

test("a message whose middle was cut out is still the message that stays", () => {
  const start = `Never touch the voucher migrations. ${"The log follows. ".repeat(20)}`;
  const cut = `${start}…900 tokens truncated…end`;
  const history = [kept(cut), kept(`${PREFIX}\nThe drawer was mended.`)];
  const store = held(
    ...asks(`${start}${"y ".repeat(3000)}end`),
    patch("/shop/till/drawerPort.ts"),
    before,
    compacted("", history),
  );
  assert.equal(states(store), [{ kind: "modified_file", state: "lost", n: 1 }]);
  store.cleanup();
});

test("the client's words before a checkpoint are no part of it", () => {
  const checkpoint = "The drawer was mended in drawerPort.ts.";
  const store = held(
    message("assistant", words),
    patch("/shop/till/drawerPort.ts"),
    before,
    compacted(`${PREFIX}\n${checkpoint}`),
  );
  assert.is(store.value("SELECT summary_bytes FROM compactions"), checkpoint.length);
  assert.equal(states(store), [{ kind: "modified_file", state: "kept", n: 1 }]);
  store.cleanup();
});

test("a checkpoint that the provider encrypted is unjudged, and the session says that it cannot be read", () => {
  const history = [kept("Go on."), { type: "compaction", encrypted_content: "gAAAA" }];
  const store = held(...asks("Go on."), message("assistant", words), before, compacted("", history));
  assert.equal([judgments(store), unjudged(store)], [[], [{ why: "unreadable" }]]);
  assert.is(store.value("SELECT level FROM coverage WHERE fact = 'checkpoint_text'"), "absent");
  store.cleanup();
});

test("turns that were taken back have left the context", () => {
  const store = held(
    message("assistant", words),
    started(1),
    ...asks("Mend the drawer."),
    patch("/shop/till/drawerPort.ts"),
    complete(1),
    started(2),
    ...asks("Never touch the voucher migrations."),
    patch("/shop/till/ledgerPort.ts"),
    event("thread_rolled_back", { num_turns: 1 }),
    before,
    compacted("Nothing is left to do."),
  );
  assert.equal(states(store), [{ kind: "modified_file", state: "lost", n: 1 }]);
  store.cleanup();
});

test("what the client writes in the user's name is no demand", () => {
  const store = held(
    message("user", "<environment_context>Never leave this folder.</environment_context>"),
    message("user", "# AGENTS.md instructions for /shop\n\nAlways write tests."),
    message("assistant", words),
    patch("/shop/till/drawerPort.ts"),
    before,
    compacted("Nothing is left to do."),
  );
  assert.equal(states(store), [{ kind: "modified_file", state: "lost", n: 1 }]);
  store.cleanup();
});

test.run();
