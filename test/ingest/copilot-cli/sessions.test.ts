import { test } from "uvu";
import * as assert from "uvu/assert";
import { transcript } from "../../support/claude.js";
import { event, message, shutdown, start, user } from "../../support/copilot.js";
import { sameWhereverCut } from "../../support/cut.js";
import { readsWhateverStands } from "../../support/hostile.js";
import { type Imported, imported } from "../../support/import.js";

const held = (...records: unknown[]): Imported => imported({ "c1/events.jsonl": transcript(...records) });

function value(store: Imported, sql: string): unknown {
  const found = store.value(sql);
  store.cleanup();
  return found;
}

test("the only request of a model gets the sums that the end of the session tells", () => {
  const store = held(start(), user(), message("m1"), shutdown(1));
  const sql =
    "SELECT uncached_tokens || ' ' || read_tokens || ' ' || output_tokens || ' ' || reasoning_tokens FROM requests";
  assert.is(store.value(sql), "100 900 50 5");
  assert.is(value(store, "SELECT level FROM coverage WHERE fact = 'cache_counters'"), "full");
});

test("sums over several requests are not divided among them", () => {
  const store = held(start(), user(), message("m1"), message("m2"), shutdown(2));
  assert.is(store.value("SELECT count(*) FROM requests WHERE uncached_tokens IS NULL AND read_tokens IS NULL"), 2);
  assert.is(store.value("SELECT sum(output_tokens) FROM requests"), 100);
  assert.is(value(store, "SELECT level FROM coverage WHERE fact = 'cache_counters'"), "absent");
});

test("a session without an end knows the output alone", () => {
  const store = held(start(), user(), message("m1"));
  assert.is(store.value("SELECT output_tokens FROM requests"), 50);
  assert.is(store.value("SELECT level FROM coverage WHERE fact = 'usage'"), "partial");
  assert.is(value(store, "SELECT read_tokens FROM requests"), null);
});

test("two events of one response are one request with the greater output", () => {
  const store = held(start(), user(), message("m1", { outputTokens: 3 }), message("m1"));
  assert.is(store.value("SELECT count(*) FROM requests"), 1);
  assert.is(value(store, "SELECT output_tokens FROM requests"), 50);
});

test("calls are those that were begun, and the client says whether they failed", () => {
  const store = held(
    start(),
    user(),
    message("m1", { toolRequests: [{ toolCallId: "call_1" }] }),
    event("tool.execution_start", { toolCallId: "call_1", toolName: "bash", arguments: { command: "ls" } }),
    event("tool.execution_complete", { toolCallId: "call_1", success: false, error: { message: "no" } }),
  );
  assert.equal(store.rows("SELECT is_error, duration_ms FROM tool_calls"), [{ is_error: 1, duration_ms: 2000 }]);
  store.cleanup();
});

test("the system prompt is the shell's digest, and its text is not kept", () => {
  const store = held(start(), event("system.message", { role: "system", content: "You help." }), user(), message("m1"));
  assert.is(store.value("SELECT count(*) FROM requests WHERE shell_digest IS NOT NULL"), 1);
  assert.is(value(store, "SELECT level FROM coverage WHERE fact = 'shell_digests'"), "partial");
});

test("a compaction is measured by its own count", () => {
  const told = { success: true, preCompactionTokens: 90_000, summaryContent: "Goal: a parser." };
  const store = held(start(), user(), message("m1"), event("session.compaction_complete", told), message("m2"));
  assert.is(value(store, "SELECT tokens_before FROM compactions"), 90_000);
});

test("a session that the user stopped is interrupted; events of unknown groups are noted once", () => {
  const store = held(start(), user(), event("novel"), event("novel"), event("abort", { reason: "user" }));
  assert.is(store.value("SELECT count(*) FROM notes"), 1);
  assert.is(value(store, "SELECT outcome FROM turns"), "interrupted");
});

test("wherever an import is cut and run again, the store is that of one import", () => {
  sameWhereverCut(transcript(start(), user(), message("m1"), shutdown(1), user(), message("m2"), shutdown(2)));
});

test("whatever stands in whichever field, the file is read and the rest is kept", () => {
  readsWhateverStands(
    "events.jsonl",
    [start(), user(), message("m1")],
    [
      event("system.message", { content: "x" }),
      message("m2"),
      event("tool.execution_start", { toolCallId: "call_1", toolName: "bash", arguments: { command: "ls" } }),
      event("tool.execution_complete", { toolCallId: "call_1", success: true, result: { content: "a" } }),
      event("session.error", { errorType: "x", statusCode: 500 }),
      shutdown(1),
    ],
  );
});

test.run();
