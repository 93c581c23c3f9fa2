import { test } from "uvu";
import * as assert from "uvu/assert";
import { transcript } from "../../support/claude.js";
import { sameWhereverCut } from "../../support/cut.js";
import { about, gemini, tokens, user } from "../../support/gemini.js";
import { type Imported, imported } from "../../support/import.js";

const held = (...records: unknown[]): Imported => imported({ "session-1.jsonl": transcript(...records) });

function value(store: Imported, sql: string): unknown {
  const found = store.value(sql);
  store.cleanup();
  return found;
}

test("input holds what was read from the cache, and thoughts are output", () => {
  const sql =
    "SELECT uncached_tokens || ' ' || read_tokens || ' ' || output_tokens || ' ' || reasoning_tokens FROM requests";
  assert.is(value(held(about(), user("u1"), gemini("m1")), sql), "100 900 70 20");
});

test("a prompt of 10, an answer of 20 and thoughts of 100 are output 120 of which 100 reasoning", () => {
  const counts = { input: 10, output: 20, cached: 0, thoughts: 100, tool: 0, total: 130 };
  const sql = "SELECT uncached_tokens || ' ' || output_tokens || ' ' || reasoning_tokens FROM requests";
  assert.is(value(held(about(), user("u1"), gemini("m1", { tokens: counts })), sql), "10 120 100");
});

test("more cached than input is never negative, and told as it was", () => {
  const counts = tokens({ input: 100, cached: 120 });
  const store = held(about(), user("u1"), gemini("m1", { tokens: counts }));
  assert.is(store.value("SELECT uncached_tokens FROM requests"), 0);
  assert.is(value(store, "SELECT usage_state FROM requests"), "contradictory");
});

test("a message whose counts are all zero, or that has none, was no request; its calls count", () => {
  const nothing = tokens({ input: 0, output: 0, cached: 0, thoughts: 0 });
  const toolCalls = [
    { id: "read_file-1768510349284-ca46", name: "read_file", args: {}, status: "error", result: "no" },
  ];
  const store = held(about(), user("u1"), gemini("m1", { tokens: nothing }), gemini("m2", { tokens: null, toolCalls }));
  assert.is(store.value("SELECT count(*) FROM requests"), 0);
  assert.is(value(store, "SELECT count(*) FROM tool_calls WHERE is_error = 1"), 1);
});

test("a later line of the same id replaces the earlier one", () => {
  const store = held(
    about(),
    user("u1"),
    gemini("m1", { tokens: null }),
    gemini("m1", { tokens: tokens({ output: 80 }) }),
  );
  assert.is(store.value("SELECT count(*) FROM requests"), 1);
  assert.is(value(store, "SELECT output_tokens FROM requests"), 100);
});

test("what was rewound was billed, and the next request says that the context is another", () => {
  const store = held(
    about(),
    user("u1"),
    gemini("m1"),
    user("u2"),
    gemini("m2"),
    { $rewindTo: "u2" },
    user("u3"),
    gemini("m3"),
  );
  assert.is(store.value("SELECT count(*) FROM requests"), 3);
  const branched = "SELECT count(*) FROM requests t JOIN words w ON w.id = t.rewrite_kind WHERE w.text = 'branch'";
  assert.is(value(store, branched), 1);
});

test("a list of messages that is set anew keeps what was billed before", () => {
  const [u1, m1] = [user("u1"), gemini("m1")];
  const store = held(about(), u1, m1, gemini("m2"), { $set: { summary: "Parser", messages: [u1, m1] } });
  assert.is(store.value("SELECT count(*) FROM requests"), 2);
  assert.is(value(store, "SELECT title FROM sessions"), "Parser");
});

test("a chat that is rewritten in place replaces what it said, and a number in its middle is noticed", () => {
  const messages = [user("u1"), gemini("m1"), gemini("m2")];
  const chat = (output: number) => {
    messages[1] = { ...messages[1]!, tokens: tokens({ output }) } as never;
    return JSON.stringify(about({ startTime: "2026-05-01T09:00:00Z", messages }), null, 2);
  };
  const store = imported({ "session-1.json": chat(50) });
  store.write("session-1.json", chat(60));
  assert.is(store.again().files.read, 1);
  assert.is(store.value("SELECT count(*) FROM requests"), 2);
  assert.is(value(store, "SELECT sum(output_tokens) FROM requests"), 150);
});

test("unknown types are noted, and odd values do no harm", () => {
  const store = held(
    about({ directories: 5 }),
    user("u1"),
    gemini("m1"),
    gemini("m2", { tokens: [1], toolCalls: { a: 1 }, timestamp: {} }),
    { id: 7, type: "novel" },
    { $set: 5 },
    { $rewindTo: 8 },
    { $set: { messages: [null, 5, {}] } },
  );
  assert.is(store.report.files.refused, 0);
  assert.is(store.value("SELECT count(*) FROM notes"), 2);
  assert.is(value(store, "SELECT count(*) FROM requests"), 1);
});

test("wherever an import is cut and run again, the store is that of one import", () => {
  const lines = [about(), user("u1"), gemini("m1"), { $rewindTo: "u1" }, user("u2"), gemini("m2"), gemini("m2")];
  sameWhereverCut(transcript(...lines), "session-1.jsonl");
  sameWhereverCut(JSON.stringify(about({ messages: [user("u1"), gemini("m1")] }), null, 2), "session-1.json");
});

test.run();
