import { test } from "uvu";
import * as assert from "uvu/assert";
import { edited, requested, says, summarised, task, typed, written } from "../../support/cline-task.js";
import { type Imported, imported } from "../../support/import.js";
import { states } from "../../support/judgments.js";

const words = "I look at the drawer first, then at the ledger, and at the rest when both are done. ".repeat(6);

function value(store: Imported, sql: string): unknown {
  const found = store.value(sql);
  store.cleanup();
  return found;
}

test("each request's counts are disjoint, and its model is the one that was in use", () => {
  const about = { model_usage: [{ ts: 0, model_id: "claude-sonnet-4-5", model_provider_id: "anthropic" }] };
  const store = imported(task([says("task", "hi"), requested(), says("completion_result", "done")], [], about));
  assert.equal(
    store.rows(`SELECT uncached_tokens AS u, read_tokens AS r, write_unsplit_tokens AS w, output_tokens AS o,
      provider_cost_micros AS cost FROM requests`),
    [{ u: 100, r: 800, w: 100, o: 50, cost: 500_000 }],
  );
  assert.is(store.value("SELECT w.text FROM requests r JOIN words w ON w.id = r.model"), "claude-sonnet-4-5");
  assert.is(value(store, "SELECT outcome FROM turns"), "answered");
});

test("what was cut off or failed is told as that", () => {
  const rows = [
    says("task", "hi"),
    requested({ cancelReason: "user_cancelled" }),
    requested({ tokensIn: 0, tokensOut: 0, cacheReads: 0, cacheWrites: 0, cancelReason: "streaming_failed" }),
    { type: "ask", ask: "api_req_failed", text: "overloaded" },
  ];
  const store = imported(task(rows));
  assert.is(store.value("SELECT output_quality FROM requests"), "provisional");
  assert.is(value(store, "SELECT count(*) FROM attempts"), 2);
});

test("a request that waits for its counts is none yet", () => {
  const store = imported(task([says("task", "hi"), says("api_req_started", '{"request":"…"}')]));
  assert.is(value(store, "SELECT count(*) FROM requests"), 0);
});

test("calls stand in the history, behind the message that was the newest one", () => {
  const history = [
    typed("<task>hi</task># Current Working Directory (/home/ann/project) Files"),
    edited("toolu_0000000000000001", "a.ts"),
    {
      role: "user",
      content: [{ type: "tool_result", tool_use_id: "toolu_0000000000000001", content: "no", is_error: true }],
    },
    written("ok"),
  ];
  const at = (n: number) => ({ conversationHistoryIndex: n });
  const store = imported(task([says("task", "hi", at(-1)), requested({}, at(-1)), requested({}, at(1))], history));
  assert.is(store.value("SELECT count(*) FROM tool_calls WHERE is_error = 1"), 1);
  assert.is(value(store, "SELECT project FROM sessions"), "/home/ann/project");
});

const opening = [typed("<task>Mend the till.</task>"), written(words)];

test("what a later row takes out of the history was replaced, the rest stayed", () => {
  const history = [
    ...opening,
    typed("<feedback>Never touch the voucher migrations.</feedback>"),
    edited("toolu_0000000000000001", "/shop/till/drawerPort.ts"),
    typed("<feedback>Go on.</feedback>"),
    edited("toolu_0000000000000002", "/shop/till/ledgerPort.ts"),
    typed("Summarise."),
    { role: "assistant", content: [{ type: "tool_use", id: "x", name: "summarize_task", input: { context: "…" } }] },
  ];
  const rows = [
    says("task", "Mend the till."),
    requested({}, {}),
    summarised("See drawerPort.ts.", 7),
    requested({}, { conversationHistoryDeletedRange: [2, 4] }),
  ];
  const store = imported(task(rows, history));
  assert.equal(states(store), [
    { kind: "modified_file", state: "kept", n: 1 },
    { kind: "user_constraint", state: "lost", n: 1 },
  ]);
  store.cleanup();
});

test("what had been cut from the history before was not the checkpoint's to keep", () => {
  const history = [
    ...opening,
    typed("<feedback>Never touch the voucher migrations.</feedback>"),
    edited("toolu_0000000000000001", "/shop/till/ledgerPort.ts"),
    typed("<feedback>Go on.</feedback>"),
    written(words),
    typed("Go on."),
    edited("toolu_0000000000000002", "/shop/till/drawerPort.ts"),
  ];
  const rows = [
    says("task", "Mend the till."),
    requested({}, { conversationHistoryDeletedRange: [2, 3] }),
    summarised("See drawerPort.ts.", 7, { conversationHistoryDeletedRange: [2, 3] }),
    requested({}, { conversationHistoryDeletedRange: [2, 9] }),
  ];
  const store = imported(task(rows, history));
  assert.equal(states(store), [{ kind: "modified_file", state: "kept", n: 1 }]);
  store.cleanup();
});

test("a checkpoint that the user did not agree to replaced nothing", () => {
  const condense = { type: "ask", ask: "condense", text: "See drawerPort.ts.", conversationHistoryIndex: 1 };
  const store = imported(task([says("task", "Mend the till."), requested(), condense, requested()], opening));
  assert.is(value(store, "SELECT count(*) FROM compactions"), 0);
});

test("calls that the model writes as text, and their results, are read as what they are", () => {
  const history = [
    ...opening,
    typed("Go on."),
    written(
      "Now the drawer.\n<replace_in_file>\n<path>/shop/till/drawerPort.ts</path>\n<diff>\nx\n</diff>\n</replace_in_file>",
    ),
    {
      role: "user",
      content: [
        { type: "text", text: "[replace_in_file for '/shop/till/drawerPort.ts'] Result:\nNever mind." },
        { type: "text", text: "<environment_details>\nAlways on.\n</environment_details>" },
      ],
    },
    written("<execute_command>\n<command>npm run deploy:till</command>\n</execute_command>"),
  ];
  const rows = [says("task", "Mend the till."), requested(), summarised("See drawerPort.ts.", 5), requested()];
  const store = imported(task(rows, history));
  assert.equal(states(store), [
    { kind: "command", state: "lost", n: 1 },
    { kind: "modified_file", state: "kept", n: 1 },
  ]);
  store.cleanup();
});

test("a task that grew in any of its files is read again; one that did not is not", () => {
  const store = imported(task([says("task", "hi"), requested()], opening));
  assert.is(store.again().files.read, 0);
  store.write("tasks/1777626000000/api_conversation_history.json", JSON.stringify([...opening, typed("more")]));
  assert.is(store.again().files.read, 1);
  assert.is(value(store, "SELECT count(*) FROM requests"), 1);
});

test("the same files of another extension are refused", () => {
  const rows = [says("task", "hi"), requested({ apiProtocol: "anthropic" })];
  const store = imported(task(rows));
  assert.is(store.report.files.refused, 1);
  assert.is(value(store, "SELECT count(*) FROM requests"), 0);
});

test.run();
