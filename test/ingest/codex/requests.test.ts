import { test } from "uvu";
import * as assert from "uvu/assert";
import { transcript } from "../../support/claude.js";
import {
  bare,
  type Counts,
  call,
  compacted,
  complete,
  context,
  counter,
  event,
  item,
  line,
  meta,
  result,
  said,
  started,
  turnId,
} from "../../support/codex.js";
import { sameWhereverCut } from "../../support/cut.js";
import { readsWhateverStands } from "../../support/hostile.js";
import { type Imported, imported } from "../../support/import.js";
import { zstdOf } from "../../support/zstd.js";

const opened = [meta("s1"), started(1), context()];
const first: Counts = [100, 20, 30, 10];

function held(...records: unknown[]): Imported {
  return imported({ "rollout.jsonl": transcript(...records) });
}

/** Uncached, read, output and reasoning of what counts, request by request. */
function requests(store: Imported): string[] {
  const rows = store.rows("SELECT * FROM requests WHERE counted = 1 ORDER BY at_ms, source_offset");
  store.cleanup();
  return rows.map((row) => [row.uncached_tokens, row.read_tokens, row.output_tokens, row.reasoning_tokens].join(" "));
}

/** One value after another of a question's first column. */
function values(store: Imported, sql: string): unknown[] {
  const rows = store.rows(sql).map((row) => Object.values(row)[0]);
  store.cleanup();
  return rows;
}

test("a counter that is repeated with new times counts once, and its input leaves out what was cached", () => {
  assert.equal(requests(held(...opened, counter(first, first), counter(first, first), counter(first, first))), [
    "80 20 30 10",
  ]);
});

test("each change of the counter is a request; the counter is right where the last request disagrees", () => {
  const store = held(...opened, counter(first, first), counter([300, 120, 50, 10], [90, 50, 10, 0]));
  assert.is(store.value("SELECT count(*) FROM notes"), 1);
  assert.is(store.value("SELECT level FROM coverage WHERE fact = 'usage'"), "partial");
  assert.equal(requests(store), ["80 20 30 10", "100 100 20 0"]);
});

test("reasoning is part of the output", () => {
  const store = held(...opened, counter([10, 0, 120, 100]));
  assert.equal(requests(store), ["10 0 120 100"]);
});

test("cache writes are part of the input when they are told, and unknown when they are not", () => {
  const usage = { input_tokens: 100, cached_input_tokens: 20, cache_write_input_tokens: 30, output_tokens: 1 };
  const told = held(...opened, event("token_count", { info: { total_token_usage: usage } }));
  assert.is(told.value("SELECT uncached_tokens || ' ' || write_unsplit_tokens FROM requests"), "50 30");
  told.cleanup();
  assert.equal(values(held(...opened, counter(first)), "SELECT write_unsplit_tokens FROM requests"), [null]);
});

test("a counter that fell begins anew; one that fell to nothing is a request that failed", () => {
  const store = held(...opened, counter([1000, 800, 100, 40]), counter([0, 0, 0, 0]), counter([900, 700, 60, 20]));
  assert.equal(
    store.rows("SELECT status FROM requests ORDER BY at_ms").map(({ status }) => status),
    ["reported", "failed", "reported"],
  );
  assert.equal(requests(store), ["200 800 100 40", "0 0 0 0", "200 700 60 20"]);
});

test("rows without a counter, or with one nobody understands, are no requests", () => {
  const rows = [event("token_count", { info: null }), event("token_count", { info: { prompt: 1, completion: 2 } })];
  const store = held(...opened, ...rows);
  assert.is(store.value("SELECT level FROM coverage WHERE fact = 'usage'"), "absent");
  assert.equal(requests(store), []);
});

const parent = [meta("p"), started(1), context(), counter(first, first), counter([300, 100, 60, 10], [200, 80, 30, 0])];
const own = [started(2), context(), counter([600, 300, 80, 10], [300, 200, 20, 0])];
const child = [meta("c", { forked_from_id: "p" }), ...parent.slice(1), ...own];

test("a fork counts its parent's requests once, in whatever order the files come", () => {
  const files = { "a.jsonl": transcript(...parent), "b.jsonl": transcript(...child) };
  const forth = imported(files);
  const back = imported({ "a.jsonl": "", "b.jsonl": "" });
  for (const name of ["b.jsonl", "a.jsonl"] as const) back.again({}, [back.write(name, files[name])]);
  const owned = "SELECT group_concat(n) FROM (SELECT count(*) AS n FROM requests WHERE counted = 1 GROUP BY session)";
  assert.is(forth.value(owned), "2,1");
  assert.is(back.value("SELECT sum(uncached_tokens) FROM requests WHERE counted = 1"), 300);
  assert.is(back.value("SELECT count(*) FROM turns WHERE counted = 1"), 2);
  back.cleanup();
  forth.cleanup();
});

test("without ids of turns, copies agree in all counts since the oldest known ancestor", () => {
  const rows = [counter(first, first), counter([300, 100, 60, 10], [200, 80, 30, 0])];
  const grown = [...rows, counter([400, 150, 70, 10], [100, 50, 10, 0])];
  const store = imported({
    "a.jsonl": transcript(meta("gone-1", { forked_from_id: "gone" }), ...grown),
    "b.jsonl": transcript(meta("gone-2", { forked_from_id: "gone" }), ...rows),
    "c.jsonl": transcript(meta("grandchild", { forked_from_id: "x" }), meta("x", { forked_from_id: "gone" }), ...rows),
    "d.jsonl": transcript(meta("stranger"), ...rows),
  });
  assert.equal(requests(store).length, 3 + 2);
});

test("a fork whose counter begins with requests it does not show leaves them to its parent, and says so", () => {
  const store = held(
    meta("c", { forked_from_id: "p" }),
    started(2),
    counter([5100, 4100, 330, 60], [100, 100, 30, 10]),
  );
  assert.is(store.value("SELECT level FROM coverage WHERE fact = 'usage'"), "partial");
  assert.equal(requests(store), ["0 100 30 10"]);
  const silent = held(
    meta("c", { forked_from_id: "p" }),
    counter([5000, 4000, 300, 50], [0, 0, 0, 0]),
    ...own.slice(0, 2),
  );
  assert.equal(requests(silent), []);
});

test("a spawned thread is a session of its own, in a subagent's lane", () => {
  const source = { subagent: { thread_spawn: { parent_thread_id: "p", depth: 1, agent_role: "explorer" } } };
  const store = held(meta("c", { source }), ...own);
  assert.is(store.value("SELECT kind FROM lanes"), "subagent");
  assert.is(store.value("SELECT a.text FROM lanes l JOIN words a ON a.id = l.agent_type"), "explorer");
  assert.equal(values(store, "SELECT parent_session FROM sessions"), ["p"]);
});

test("a compaction is measured by the requests around it; its estimate is no request", () => {
  const store = held(
    ...opened,
    counter([90_000, 80_000, 500, 0], [90_000, 80_000, 500, 0], 90_500),
    compacted("", [{ type: "message" }, { type: "message" }]),
    counter([90_000, 80_000, 500, 0], [0, 0, 0, 0], 12_000),
    event("context_compacted"),
    counter([107_000, 82_000, 700, 0], [17_000, 2_000, 200, 0]),
  );
  const [row] = store.rows("SELECT * FROM compactions");
  assert.equal([row!.tokens_before, row!.tokens_after, row!.messages_after], [90_500, 17_000, 2]);
  assert.is(store.value("SELECT level FROM coverage WHERE fact = 'checkpoint_text'"), "absent");
  assert.equal(values(store, "SELECT rewrite_kind IS NOT NULL FROM requests ORDER BY at_ms"), [0, 1]);
});

test("a checkpoint in plain text is judged", () => {
  const store = held(...opened, counter(first, first, 90_000), compacted("ok"));
  const fault = "SELECT f.text FROM compactions c JOIN words f ON f.id = c.checkpoint_fault";
  assert.equal(values(store, fault), ["too_short"]);
});

test("turns are what the client says; steering adds none; old versions have one turn per prompt", () => {
  const store = held(meta("s1"), started(1), said("a"), said("b"), complete(1), started(2), said("c"));
  store.again({}, [
    store.write("s2.jsonl", transcript(meta("s2"), said("a"), counter(first), said("b"), counter([200, 20, 40, 10]))),
  ]);
  const turns = store.rows(
    "SELECT s.session_id || ' ' || ifnull(t.outcome, '-') AS t FROM turns t JOIN sessions s ON s.id = t.session ORDER BY t.at_ms",
  );
  assert.equal(
    turns.map(({ t }) => t),
    ["s1 answered", "s1 -", "s2 -", "s2 -"],
  );
  assert.equal(values(store, "SELECT count(DISTINCT turn) FROM requests"), [2]);
});

test("a prompt just before the client begins a turn belongs to that turn; aborted and failed turns are told", () => {
  const aborted = event("turn_aborted", { turn_id: turnId(1), reason: "interrupted" });
  const store = held(meta("s1"), said("a"), started(1), aborted, started(2), complete(2, { error: { message: "x" } }));
  assert.equal(values(store, "SELECT outcome FROM turns ORDER BY at_ms"), ["interrupted", "failed"]);
});

test("calls meet their results; broken arguments and refusals are violations", () => {
  const store = held(
    ...opened,
    call("call_00000000000000000001", "exec_command", { cmd: "ls" }),
    result("call_00000000000000000001", "a\nb"),
    call("call_00000000000000000002", "exec_command", "{oops"),
    result("call_00000000000000000002", "failed to parse function arguments: EOF"),
    item("custom_tool_call", {
      call_id: "call_00000000000000000003",
      name: "apply_patch",
      input: "*** Update File: a.ts\n",
    }),
    event("patch_apply_end", { call_id: "call_00000000000000000003", success: false }),
    item("custom_tool_call_output", { call_id: "call_00000000000000000003", output: "no" }),
    item("web_search_call", { status: "completed", action: { type: "search", query: "x" } }),
    item("web_search_call", { status: "completed", action: { type: "search", query: "x" } }),
    result("call_00000000000000000009", "orphan"),
  );
  const code = "SELECT c.text FROM contract_checks k JOIN words c ON c.id = k.code ORDER BY c.text";
  assert.equal(
    store.rows(code).map(({ text }) => text),
    ["args_not_json", "args_schema"],
  );
  assert.is(store.value("SELECT count(*) FROM tool_calls WHERE use_seen = 1 AND result_seen = 1"), 5);
  assert.is(store.value("SELECT count(*) FROM tool_calls WHERE use_seen = 0"), 1);
  assert.equal(values(store, "SELECT count(*) FROM tool_calls WHERE is_error = 1"), [1]);
});

test("ids that were blotted out name nothing", () => {
  const store = held(...opened, call("REDACTED", "shell", {}), call("REDACTED", "shell", {}));
  assert.equal(values(store, "SELECT count(*) FROM tool_calls"), [2]);
});

test("base instructions name the shell, and their text is not kept", () => {
  const other = meta("s2", { base_instructions: { text: "You are another agent." } });
  const store = imported({
    "a.jsonl": transcript(...opened, counter(first)),
    "b.jsonl": transcript(other, started(3), counter(first)),
    "c.jsonl": transcript(meta("s3", { base_instructions: null }), started(4), counter(first)),
  });
  assert.is(store.value("SELECT count(DISTINCT shell_digest) FROM requests"), 2);
  assert.is(store.value("SELECT count(*) FROM requests WHERE shell_digest IS NULL"), 1);
  assert.not.ok(JSON.stringify(store.dump()).includes("another agent"));
  assert.equal(values(store, "SELECT level FROM coverage WHERE fact = 'shell_digests' ORDER BY level"), [
    "absent",
    "partial",
    "partial",
  ]);
});

test("the form before envelopes is a session with unknown usage", () => {
  const store = held(...bare("05990000-0000-4000-8000-000000000001"));
  assert.is(store.value("SELECT count(*) FROM turns"), 1);
  assert.is(store.value("SELECT count(*) FROM tool_calls WHERE result_seen = 1"), 1);
  assert.is(store.value("SELECT level FROM coverage WHERE fact = 'usage'"), "absent");
  assert.equal(requests(store), []);
});

test("a compressed rollout gives what the plain one gives, and both together count once", () => {
  const text = Buffer.from(transcript(...child, said("x".repeat(300_000))));
  const store = imported({ "rollout.jsonl.zst": zstdOf(text) });
  assert.is(store.report.files.read, 1);
  assert.is(store.again().files.unchanged, 1);
  store.again({}, [store.write("rollout.jsonl", text)]);
  assert.is(store.value("SELECT count(*) FROM sources"), 2);
  assert.is(requests(store).length, 3);
});

test("a compressed rollout that is damaged or unfinished is refused with a reason", () => {
  const whole = zstdOf(Buffer.from(transcript(...opened)));
  const damaged = Buffer.from(whole);
  damaged.fill(0xff, 9, 14);
  const store = imported({
    "a.jsonl.zst": whole.subarray(0, 200),
    "b.jsonl.zst": damaged,
    "c.jsonl": transcript(...child),
  });
  assert.is(store.report.files.read, 1);
  assert.equal(
    store.report.refused.map(({ reason }) => reason),
    Array(2).fill("cannot be unpacked: damaged, or still being written"),
  );
  store.cleanup();
});

test("odd values are unknown; records of kinds to come are noted once", () => {
  const odd = ["session_meta", "turn_context", "compacted", "event_msg", "response_item"].flatMap((type) => [
    line(type, { type: 7, id: [], model: {}, turn_id: 1, info: "x", message: 1, replacement_history: {} }),
    {
      timestamp: "[trimmed]",
      type,
      payload: { type: "token_count", info: { total_token_usage: { input_tokens: -1 } } },
    },
  ]);
  const store = held(...opened, ...odd, line("novel", {}), line("novel", {}), counter(first));
  assert.is(
    store.value("SELECT count(*) FROM notes n JOIN words w ON w.id = n.kind WHERE w.text = 'unknown_record'"),
    1,
  );
  assert.equal(requests(store), ["80 20 30 10"]);
});

test("wherever an import is cut and run again, the store is that of one import", () => {
  sameWhereverCut(
    transcript(
      ...child,
      said("more"),
      call("call_00000000000000000001", "exec_command", { cmd: "ls" }),
      result("call_00000000000000000001", "a"),
      call("short", "exec_command", { cmd: "pwd" }),
      call("short", "shell", { cmd: "pwd" }),
      result("short", "a"),
      compacted("Summary."),
      counter([600, 300, 80, 10], [0, 0, 0, 0], 40),
      counter([700, 350, 90, 10], [100, 50, 10, 0]),
      event("error", { message: "x", codex_error_info: "usage_limit_exceeded" }),
      counter([0, 0, 0, 0]),
      complete(2),
      counter([50, 0, 5, 0]),
    ),
    "rollout.jsonl",
  );
  sameWhereverCut(
    transcript(meta("old"), said("a"), counter(first), said("b"), counter([200, 20, 40, 10])),
    "old.jsonl",
  );
});

test("whatever stands in whichever field, the file is read and the rest is kept", () => {
  const good = [...opened, counter([100, 20, 50, 10], [100, 20, 50, 10])];
  const source = { subagent: { thread_spawn: { parent_thread_id: "p", agent_role: "x" } } };
  readsWhateverStands("rollout.jsonl", good, [
    meta("s1", { source, dynamic_tools: [{ name: "x" }] }),
    ...own,
    said("more"),
    call("call_00000000000000000001", "exec_command", { cmd: "ls" }),
    result("call_00000000000000000001", [{ type: "input_text", text: "a" }]),
    item("web_search_call", { status: "completed", action: { type: "search", query: "x" } }),
    event("mcp_tool_call_end", { call_id: "c", duration: { secs: 0, nanos: 1 }, result: { Ok: { isError: false } } }),
    event("patch_apply_end", { call_id: "c", success: true }),
    compacted("Summary.", [{}]),
    counter([600, 300, 80, 10], [0, 0, 0, 0], 40),
    counter([700, 350, 90, 10], [100, 50, 10, 0]),
    event("error", { message: "x", codex_error_info: { http: { http_status_code: 500 } } }),
    event("turn_aborted", { turn_id: turnId(2) }),
    counter([0, 0, 0, 0]),
    complete(2, { error: {} }),
    ...bare("b"),
  ]);
});

test.run();
