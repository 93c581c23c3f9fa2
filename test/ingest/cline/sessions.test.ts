import { test } from "uvu";
import * as assert from "uvu/assert";
import { assistant, message, result, session, use, user } from "../../support/cline.js";
import { sameWhereverCut } from "../../support/cut.js";
import { type Imported, imported } from "../../support/import.js";

function value(store: Imported, sql: string): unknown {
  const found = store.value(sql);
  store.cleanup();
  return found;
}

test("input holds what was read and written", () => {
  const store = imported({ "a.messages.json": session("a", [user("hi"), assistant()]) });
  const sql =
    "SELECT uncached_tokens || ' ' || read_tokens || ' ' || write_unsplit_tokens || ' ' || output_tokens FROM requests";
  assert.is(store.value(sql), "100 850 50 50");
  assert.is(value(store, "SELECT provider_cost_micros FROM requests"), 500_000);
});

test("results are no prompts, and tell whether a call failed", () => {
  const messages = [
    user("hi"),
    assistant([use("toolu_0000000000000001")]),
    result("toolu_0000000000000001", { is_error: true }),
    assistant(),
  ];
  const store = imported({ "a.messages.json": session("a", messages) });
  assert.is(store.value("SELECT count(*) FROM turns"), 1);
  assert.is(store.value("SELECT count(*) FROM tool_calls WHERE is_error = 1"), 1);
  assert.is(value(store, "SELECT outcome FROM turns"), "answered");
});

test("a fork repeats its parent's messages, which count once", () => {
  const history = [user("hi"), assistant()];
  const about = { session_id: "b", cwd: "/home/ann", metadata: { title: "Größe", fork: { forkedFromSessionId: "a" } } };
  const store = imported({
    "a/a.messages.json": session("a", history),
    "b/b.messages.json": session("b", [...history, user("ho"), assistant()]),
    "b/b.json": JSON.stringify(about),
  });
  assert.is(store.value("SELECT count(*) FROM requests"), 3);
  assert.is(store.value("SELECT count(*) FROM requests WHERE counted = 1"), 2);
  assert.is(store.value("SELECT count(*) FROM turns WHERE counted = 1"), 2);
  assert.is(value(store, "SELECT title || ' ' || parent_session FROM sessions WHERE session_id = 'b'"), "Größe a");
});

test("the system prompt is the digest of the newest request alone", () => {
  const messages = [user("hi"), assistant(), user("ho"), assistant()];
  const store = imported({ "a.messages.json": session("a", messages, { system_prompt: "You help." }) });
  assert.is(value(store, "SELECT count(*) FROM requests WHERE shell_digest IS NOT NULL"), 1);
});

test("a message without counts was no request; odd values do no harm", () => {
  const messages = [
    user("hi"),
    assistant(),
    assistant([], { inputTokens: 0, outputTokens: 0, cacheReadTokens: 0, cacheWriteTokens: 0 }),
    message("assistant", [null, 5, { type: "tool_use", id: {} }], { metrics: 7, modelInfo: [] }),
    message("user", 5 as never),
  ];
  const store = imported({ "a.messages.json": session("a", messages) });
  assert.is(store.report.files.refused, 0);
  assert.is(value(store, "SELECT count(*) FROM requests"), 1);
});

test("wherever a document is cut and written again, the store is that of one import", () => {
  sameWhereverCut(session("a", [user("hi"), assistant()]), "a.messages.json");
});

test.run();
