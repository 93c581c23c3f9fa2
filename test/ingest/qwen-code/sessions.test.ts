import { test } from "uvu";
import * as assert from "uvu/assert";
import { transcript } from "../../support/claude.js";
import { sameWhereverCut } from "../../support/cut.js";
import { readsWhateverStands } from "../../support/hostile.js";
import { type Imported, imported } from "../../support/import.js";
import { answer, call, result, system, user } from "../../support/qwen.js";

const held = (...records: unknown[]): Imported => imported({ "q1.jsonl": transcript(...records) });

function value(store: Imported, sql: string): unknown {
  const found = store.value(sql);
  store.cleanup();
  return found;
}

test("the prompt's count holds what was read from the cache, and thoughts are output", () => {
  const sql = "SELECT uncached_tokens || ' ' || read_tokens || ' ' || output_tokens FROM requests";
  assert.is(value(held(user("hi"), answer()), sql), "100 900 50");
});

test("what telemetry repeats of an answer counts once", () => {
  const telemetry = system("ui_telemetry", {
    uiEvent: { "event.name": "qwen-code.api_response", input_token_count: 1000, output_token_count: 45 },
  });
  assert.is(value(held(user("hi"), telemetry, answer()), "SELECT count(*) FROM requests"), 1);
});

test("an answer on two records is one request with the calls of both; one without usage is none", () => {
  const first = answer([call("call_1")], { usageMetadata: undefined });
  const second = { ...answer([call("call_2")]), uuid: first.uuid };
  const store = held(user("hi"), first, second, answer([{ text: "lost" }], { usageMetadata: undefined }));
  assert.is(store.value("SELECT count(*) FROM requests"), 1);
  assert.is(value(store, "SELECT count(*) FROM tool_calls"), 2);
});

test("a failed call and what it broke are told", () => {
  const refused = result("call_1", { error: "no" }, { status: "error", errorType: "invalid_tool_params" });
  const store = held(user("hi"), answer([call("call_1")]), refused);
  assert.is(store.value("SELECT is_error FROM tool_calls"), 1);
  assert.is(value(store, "SELECT w.text FROM contract_checks t JOIN words w ON w.id = t.code"), "args_schema");
});

test("a rewind leaves what was billed, and the next request says that the context is another", () => {
  const rewind = system("rewind", { targetUuid: "x" });
  const store = held(user("one"), answer(), rewind, user("two"), answer());
  assert.is(store.value("SELECT count(*) FROM requests"), 2);
  const branched = "SELECT count(*) FROM requests t JOIN words w ON w.id = t.rewrite_kind WHERE w.text = 'branch'";
  assert.is(value(store, branched), 1);
});

test("a compression is measured by its own count and by the next request", () => {
  const compression = system("chat_compression", {
    info: { originalTokenCount: 90_000, newTokenCount: 4000, compressionStatus: 1 },
    compressedHistory: [{ role: "user", parts: [{ text: "Goal: a parser." }] }],
  });
  const store = held(user("one"), answer(), compression, answer());
  assert.equal(store.rows("SELECT tokens_before, tokens_after FROM compactions"), [
    { tokens_before: 90_000, tokens_after: 1000 },
  ]);
  store.cleanup();
});

test("wherever an import is cut and run again, the store is that of one import", () => {
  sameWhereverCut(transcript(user("one"), answer([call("call_1")]), result("call_1", { output: "a" }), answer()));
});

test("whatever stands in whichever field, the file is read and the rest is kept", () => {
  readsWhateverStands(
    "q1.jsonl",
    [user("one"), answer()],
    [
      answer([call("call_1")]),
      result("call_1", { output: "a" }),
      system("chat_compression", { info: { originalTokenCount: 5 }, compressedHistory: [{ parts: [{ text: "x" }] }] }),
      system("custom_title", { customTitle: "x" }),
      system("ui_telemetry", { uiEvent: { "event.name": "qwen-code.api_error", status_code: 500, error_type: "x" } }),
    ],
  );
});

test.run();
