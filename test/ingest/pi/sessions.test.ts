import { test } from "uvu";
import * as assert from "uvu/assert";
import { transcript } from "../../support/claude.js";
import { sameWhereverCut } from "../../support/cut.js";
import { readsWhateverStands } from "../../support/hostile.js";
import { type Imported, imported } from "../../support/import.js";
import { answer, call, compaction, entry, header, message, nothing, prompt, result, usage } from "../../support/pi.js";

function held(...records: unknown[]): Imported {
  return imported({ "s.jsonl": transcript(...records) });
}

/** What a question with one row and one column gives. */
function value(store: Imported, sql: string): unknown {
  const found = store.value(sql);
  store.cleanup();
  return found;
}

const word = (column: string, table: string) => `SELECT w.text FROM ${table} t JOIN words w ON w.id = t.${column}`;

test("an answer is a request with disjoint counts, the cost pi tells, and the time it took", () => {
  const store = held(header("s"), prompt("hi"), answer());
  const [row] = store.rows("SELECT * FROM requests");
  const { uncached_tokens, read_tokens, write_unsplit_tokens, output_tokens, provider_cost_micros, latency_ms } = row!;
  assert.equal([uncached_tokens, read_tokens, write_unsplit_tokens, output_tokens], [10, 900, 90, 50]);
  assert.equal([provider_cost_micros, latency_ms], [12_500, 500]);
  store.cleanup();
});

test("writes that live for an hour are told apart where pi tells them", () => {
  const store = held(header("s"), answer({ usage: usage({ cacheWrite: 600, cacheWrite1h: 400 }) }));
  const split =
    "SELECT write_5m_tokens || ' ' || write_1h_tokens || ' ' || ifnull(write_unsplit_tokens, '-') FROM requests";
  assert.is(value(store, split), "200 400 -");
});

test("an answer without any tokens is a try; one that was cut off counts, and its output is a lower bound", () => {
  const overloaded = '529 {"type":"error","error":{"type":"overloaded_error"}}';
  const store = held(
    header("s"),
    prompt("hi"),
    answer({ stopReason: "aborted", usage: nothing, content: [] }),
    answer({ stopReason: "error", usage: nothing, errorMessage: overloaded }),
    answer({ stopReason: "aborted" }),
  );
  assert.is(store.value("SELECT count(*) FROM requests"), 1);
  assert.is(store.value("SELECT output_quality || ' ' || status FROM requests"), "provisional interrupted");
  assert.is(store.value("SELECT level FROM coverage WHERE fact = 'final_output'"), "partial");
  assert.equal(store.rows("SELECT outcome, http_status FROM attempts ORDER BY at_ms"), [
    { outcome: "aborted", http_status: null },
    { outcome: "failed", http_status: 529 },
  ]);
  assert.is(value(store, `${word("error_class", "attempts")} WHERE http_status = 529`), "overloaded_error");
});

test("one id of a response on two answers does not make them one", () => {
  assert.is(
    value(
      held(header("s"), answer({ responseId: "r1" }), answer({ responseId: "r1" })),
      "SELECT count(*) FROM requests",
    ),
    2,
  );
});

const history = [
  prompt("one"),
  call("toolu_01", "read", { path: "a" }),
  result("toolu_01", "text"),
  answer(),
  compaction("Read a.", 150_000),
];

test("a branch counts what it copied from its parent once, with entries older than its own header", () => {
  const copies = [...history, prompt("two"), answer()];
  const files = {
    "2026-05-01T09_parent.jsonl": transcript(header("parent"), ...history),
    "2026-05-01T10_child.jsonl": transcript(
      header("child", { branchedFrom: "/x/2026-05-01T09_parent.jsonl" }),
      ...copies,
    ),
  };
  const forth = imported(files);
  assert.is(forth.value("SELECT count(*) FROM requests WHERE counted = 1"), 3);
  assert.is(forth.value("SELECT count(*) FROM requests"), 5);
  assert.is(forth.value("SELECT count(*) FROM turns WHERE counted = 1"), 2);
  assert.is(forth.value("SELECT count(*) FROM tool_calls WHERE counted = 1"), 1);
  assert.is(forth.value("SELECT count(*) FROM compactions WHERE counted = 1"), 1);
  assert.is(forth.value("SELECT parent_session FROM sessions WHERE session_id = 'child'"), "parent");
  const back = imported({ ...files, "2026-05-01T09_parent.jsonl": "" });
  back.again({}, [back.write("2026-05-01T09_parent.jsonl", files["2026-05-01T09_parent.jsonl"])]);
  const owned =
    "SELECT s.session_id, count(*) AS n FROM requests r JOIN sessions s ON s.id = r.session WHERE counted = 1 GROUP BY 1";
  assert.equal(back.rows(owned), forth.rows(owned));
  forth.cleanup();
  back.cleanup();
});

test("compactions of the first form and of later ones are measured by the next request", () => {
  for (const kept of [
    { firstKeptEntryIndex: 3, firstKeptEntryId: undefined },
    { firstKeptEntryId: "e1", fromHook: false },
  ]) {
    const store = held(header("s"), prompt("a"), answer(), compaction("ok", 175_004, kept), answer());
    assert.equal(store.rows("SELECT tokens_before, tokens_after FROM compactions"), [
      { tokens_before: 175_004, tokens_after: 1000 },
    ]);
    assert.is(value(store, word("checkpoint_fault", "compactions")), "too_short");
  }
});

test("a compaction glued to the line before it is read", () => {
  const lines = transcript(header("s"), prompt("a"), answer());
  const store = imported({ "s.jsonl": `${lines.trimEnd()}${transcript(compaction("x", 5), answer())}` });
  assert.is(store.value("SELECT count(*) FROM compactions"), 1);
  assert.is(value(store, "SELECT count(*) FROM requests"), 2);
});

test("in a tree every answer is billed, and the first one of a branch says that the context is another", () => {
  const store = held(
    header("s"),
    prompt("a", { id: "e1", parentId: null }),
    answer({}, { id: "e2", parentId: "e1" }),
    prompt("b", { id: "e3", parentId: "e1" }),
    answer({}, { id: "e4", parentId: "e3" }),
    answer({}, { id: "e5", parentId: "e4" }),
  );
  assert.is(store.value("SELECT count(*) FROM requests"), 3);
  assert.is(value(store, `${word("rewrite_kind", "requests")} ORDER BY at_ms`), "branch");
});

test("a model switch is declared; the thinking level is a parameter", () => {
  const store = held(
    header("s", { thinkingLevel: "off" }),
    answer(),
    entry("thinking_level_change", { thinkingLevel: "high" }),
    answer({ model: "claude-sonnet-4-5" }),
  );
  assert.is(store.value("SELECT count(DISTINCT params_digest) FROM requests"), 2);
  assert.is(value(store, "SELECT count(declared_change) FROM requests"), 1);
});

test("failed calls, broken schemas and answers at the limit are told; a shell command of the user's is no call", () => {
  const store = held(
    header("s"),
    prompt("a"),
    call("toolu_000000000000000001", "read", { path: "a" }),
    result("toolu_000000000000000001", 'Validation failed for tool "read": path', { isError: true }),
    call("toolu_000000000000000002", "write", { path: "b" }, { stopReason: "length" }),
    message("bashExecution", { command: "ls", output: "a" }),
  );
  const codes = store.rows(`${word("code", "contract_checks")} ORDER BY 1`).map(({ text }) => text);
  assert.equal(codes, ["args_schema", "truncated_json"]);
  assert.is(store.value("SELECT count(*) FROM tool_calls"), 2);
  assert.is(value(store, "SELECT count(*) FROM tool_calls WHERE is_error = 1"), 1);
});

test("a turn that failed and was tried again is answered; the title is the last one said", () => {
  const store = held(
    header("s"),
    prompt("a"),
    answer({ stopReason: "error" }),
    answer(),
    prompt("b"),
    answer({ stopReason: "aborted" }),
    entry("session_info", { name: "Parser" }),
  );
  assert.equal(
    store.rows("SELECT outcome FROM turns ORDER BY at_ms").map(({ outcome }) => outcome),
    ["answered", "interrupted"],
  );
  assert.is(value(store, "SELECT title FROM sessions"), "Parser");
});

test("odd values are unknown; records without any time stand for themselves", () => {
  const { usage: _, ...silent } = answer().message as unknown as Record<string, unknown>;
  const store = held(
    header("s"),
    { type: "message", message: { role: "assistant", usage: { input: -1, output: "x" }, content: 5 } },
    { type: "message", message: { role: "assistant", usage: { input: -1, output: "x" }, content: 5 } },
    { type: "message", timestamp: 7, message: silent },
    { type: "compaction", summary: 3, tokensBefore: "x" },
    { type: "message", message: [] },
    entry("novel"),
    entry("novel"),
  );
  assert.is(store.report.requests.withoutKey, 2);
  assert.is(
    store.value("SELECT count(*) FROM notes n JOIN words w ON w.id = n.kind WHERE w.text = 'unknown_record'"),
    1,
  );
  assert.is(value(store, "SELECT count(*) FROM requests"), 3);
});

test("messages of other agents are not taken for pi's", () => {
  const droid = {
    type: "message",
    id: "1",
    timestamp: "2026-05-01T09:00:00Z",
    message: { role: "user", content: "hi" },
  };
  const store = imported({ "other.jsonl": transcript({ type: "session_start", id: "x" }, droid) });
  assert.is(store.report.refused[0]?.reason, "not a transcript of a known agent");
  store.cleanup();
});

test("wherever an import is cut and run again, the store is that of one import", () => {
  const failing = [answer({ stopReason: "error", usage: nothing }), answer({ stopReason: "aborted" })];
  sameWhereverCut(
    transcript(header("s"), ...history, prompt("two"), ...failing, answer(), entry("session_info", { name: "x" })),
  );
});

test("whatever stands in whichever field, the file is read and the rest is kept", () => {
  readsWhateverStands(
    "s.jsonl",
    [header("s"), prompt("good"), answer()],
    [
      header("t", { branchedFrom: "/x/a_b.jsonl", thinkingLevel: "off" }),
      ...history,
      answer({ usage: usage({ cacheWrite1h: 5, reasoning: 3 }), responseId: "r" }, { id: "e1", parentId: "e0" }),
      answer({ stopReason: "error", usage: nothing, errorMessage: "500 x" }),
      entry("session_info", { name: "x" }),
      entry("thinking_level_change", { thinkingLevel: "high" }),
    ],
  );
});

test.run();
