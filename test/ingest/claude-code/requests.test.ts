import { test } from "uvu";
import * as assert from "uvu/assert";
import { attachment, call, prompt, reply, result, second, system, transcript, usage } from "../../support/claude.js";
import { imported } from "../../support/import.js";

const TOKENS = `uncached_tokens AS uncached, read_tokens AS read, write_5m_tokens AS write5m, write_1h_tokens AS write1h,
  write_unsplit_tokens AS unsplit, output_tokens AS output`;
const CHANGES = `SELECT w.text FROM requests r LEFT JOIN words w ON w.id = r.declared_change ORDER BY r.source_offset`;

/** Rows of a transcript of these records, imported afresh. */
function rowsOf(records: unknown[], sql: string): Record<string, unknown>[] {
  const held = imported({ "s1.jsonl": transcript(...records) });
  const rows = held.rows(sql);
  held.cleanup();
  return rows;
}

const changesOf = (records: unknown[]) => rowsOf(records, CHANGES).map(({ text }) => text);

test("three lines of one response are one request with the last output", () => {
  const line = (output: number, stop: string | null) =>
    reply(
      {
        id: "m1",
        stop,
        usage: usage({
          input_tokens: 4,
          cache_read_input_tokens: 0,
          cache_creation_input_tokens: 1000,
          cache_creation: undefined,
          output_tokens: output,
        }),
      },
      { requestId: "r1" },
    );
  const held = imported({ "s1.jsonl": transcript(line(1, null), line(1, null), line(120, "end_turn")) });
  assert.equal(held.rows(`SELECT ${TOKENS} FROM requests`), [
    { uncached: 4, read: 0, write5m: 0, write1h: 0, unsplit: 1000, output: 120 },
  ]);
  assert.equal(held.report.requests, { kept: 1, duplicates: 2, withoutKey: 0 });
  assert.equal(held.rows("SELECT output_quality AS quality, source_line AS line FROM requests"), [
    { quality: "final", line: 1 },
  ]);
  held.cleanup();
});

test("without a request id the message id is enough; without both each record counts and is reported", () => {
  const told = { usage: usage({ input_tokens: 50, output_tokens: 7 }) };
  const keyless = (given = {}) =>
    reply({ id: null, usage: usage({ input_tokens: 5, output_tokens: 1 }) }, { requestId: undefined, ...given });
  const same = { uuid: undefined, timestamp: second(0) };
  const held = imported({
    "s1.jsonl": transcript(
      reply({ id: "m2", ...told }, { requestId: undefined }),
      reply({ id: "m2", ...told }, { requestId: undefined }),
      keyless(),
      keyless(same),
      keyless(same),
    ),
  });
  assert.equal(held.report.requests, { kept: 4, duplicates: 1, withoutKey: 3 });
  assert.equal(held.value("SELECT sum(uncached_tokens) FROM requests"), 65);
  held.cleanup();
});

test("ids that a scrubber blotted out name nothing", () => {
  const blotted = () => reply({ id: "REDACTED" }, { requestId: "REDACTED" });
  assert.is(rowsOf([blotted(), blotted()], "SELECT 1 FROM requests").length, 2);
});

test("the request id stands in for a missing message id", () => {
  const line = () => reply({ id: null }, { requestId: "req-7" });
  assert.is(rowsOf([line(), line()], "SELECT 1 FROM requests").length, 1);
});

test("a resumed copy under another session adds nothing and belongs to the earlier one", () => {
  const original = [prompt("hi", { uuid: "p" }), reply({ id: "m3" }, { requestId: "r3" })];
  const copy = original.map((record) => ({ ...record, sessionId: "s2", requestId: undefined, forkedFrom: undefined }));
  const files = {
    "s1.jsonl": transcript(...original),
    "s2.jsonl": transcript(...copy, reply({ id: "m4" }, { sessionId: "s2", timestamp: second(1_000_000) })),
  };
  const held = imported(files);
  assert.equal(
    held.rows(`SELECT s.session_id AS session, r.message_id AS id, r.counted FROM requests r
      JOIN sessions s ON s.id = r.session ORDER BY 1, 2`),
    [
      { session: "s1", id: "m3", counted: 1 },
      { session: "s2", id: "m3", counted: 0 },
      { session: "s2", id: "m4", counted: 1 },
    ],
  );
  assert.is(held.report.requests.kept, 2);
  assert.is(held.value("SELECT sum(counted) FROM turns"), 1);
  held.cleanup();
});

test("a fork with new record ids names the prompt it copied", () => {
  const original = [prompt("hi", { uuid: "p" }), reply({ id: "m3" })];
  const [asked, answered] = original as Record<string, unknown>[];
  const from = { sessionId: "s1", messageUuid: "p" };
  const fork = transcript(
    { ...asked, uuid: "new-1", sessionId: "s2", forkedFrom: from },
    { ...answered, uuid: "new-2", sessionId: "s2", forkedFrom: { sessionId: "s1", messageUuid: "x" } },
  );
  const held = imported({ "s1.jsonl": transcript(...original), "s2.jsonl": fork });
  assert.equal(held.rows("SELECT count(*) AS rows, sum(counted) AS counted FROM turns"), [{ rows: 2, counted: 1 }]);
  assert.is(held.value("SELECT parent_session FROM sessions WHERE session_id = 's2'"), "s1");
  held.cleanup();
});

test("unknown usage is unknown, and a reported zero is zero", () => {
  const records = [
    reply({ usage: null }),
    reply({ usage: undefined }),
    reply({ usage: { cache_read_input_tokens: null, input_tokens: 9 } }),
    reply({ usage: { cache_read_input_tokens: 0, input_tokens: 9 } }),
  ];
  const rows = rowsOf(
    records,
    `SELECT status, read_tokens AS read, cache_reported AS reported, usage_state AS state,
    output_quality AS output FROM requests ORDER BY source_offset`,
  );
  assert.equal(rows, [
    { status: "missing", read: null, reported: 0, state: "partial", output: "missing" },
    { status: "missing", read: null, reported: 0, state: "partial", output: "missing" },
    { status: "reported", read: null, reported: 0, state: "partial", output: "missing" },
    { status: "reported", read: 0, reported: 1, state: "partial", output: "missing" },
  ]);
});

test("counts that are no counts are unknown, and the record is kept", () => {
  const records = [reply({ usage: usage({ input_tokens: -5, output_tokens: 2 ** 63, cache_read_input_tokens: "7" }) })];
  const [row] = rowsOf(
    records,
    "SELECT uncached_tokens AS a, output_tokens AS b, read_tokens AS c, usage_state AS state, raw_usage AS raw FROM requests",
  );
  assert.equal([row!.a, row!.b, row!.c, row!.state], [null, null, null, "partial"]);
  assert.match(String(row!.raw), '"input_tokens":-5');
});

test("cache writes are split by lifetime; parts that exceed the sum contradict it", () => {
  const of = (given: Record<string, unknown>) => reply({ usage: usage(given) });
  const split = (short: number, long: number) => ({
    ephemeral_5m_input_tokens: short,
    ephemeral_1h_input_tokens: long,
  });
  const records = [
    of({ cache_creation_input_tokens: 600, cache_creation: split(200, 400) }),
    of({ cache_creation_input_tokens: 600, cache_creation: split(100, 0) }),
    of({ cache_creation_input_tokens: 100, cache_creation: split(100, 100) }),
  ];
  const rows = rowsOf(
    records,
    `SELECT write_5m_tokens AS short, write_1h_tokens AS long, write_unsplit_tokens AS rest,
    usage_state AS state FROM requests ORDER BY source_offset`,
  );
  assert.equal(rows, [
    { short: 200, long: 400, rest: 0, state: "ok" },
    { short: 100, long: 0, rest: 500, state: "ok" },
    { short: 100, long: 100, rest: 0, state: "contradictory" },
  ]);
});

test("output without a stop reason is a lower bound", () => {
  const line = () =>
    reply({
      id: "m1",
      stop: null,
      usage: usage({ output_tokens: 1 }),
      content: [{ type: "text", text: "x".repeat(2000) }],
    });
  assert.equal(rowsOf([line(), line()], "SELECT output_tokens AS output, output_quality AS quality FROM requests"), [
    { output: 1, quality: "provisional" },
  ]);
  const held = imported({ "s1.jsonl": transcript(line()) });
  assert.is(held.value("SELECT level FROM coverage WHERE fact = 'final_output'"), "partial");
  held.cleanup();
});

test("a reply of the client's own is an attempt that failed, not a request", () => {
  const failed = (text: string, given = {}) =>
    reply(
      {
        model: "<synthetic>",
        stop: "stop_sequence",
        usage: usage({ input_tokens: 0 }),
        content: [{ type: "text", text }],
      },
      { isApiErrorMessage: true, requestId: undefined, ...given },
    );
  const records = [
    prompt("hi"),
    failed("You've hit your limit", { apiErrorStatus: 429, error: "rate_limit" }),
    failed("API Error: 529 overloaded"),
    failed("Prompt is too long"),
    failed("No response requested.", { isApiErrorMessage: false }),
  ];
  const held = imported({ "s1.jsonl": transcript(...records) });
  assert.is(held.value("SELECT count(*) FROM requests"), 0);
  assert.equal(
    held.rows(`SELECT outcome, http_status AS status, w.text AS class FROM attempts a
    JOIN words w ON w.id = a.error_class ORDER BY source_offset`),
    [
      { outcome: "failed", status: 429, class: "rate_limit" },
      { outcome: "failed", status: 529, class: "overloaded_error" },
      { outcome: "failed", status: null, class: "prompt_too_long" },
      { outcome: "aborted", status: null, class: "no_response_requested" },
    ],
  );
  assert.is(held.value("SELECT outcome FROM turns"), "failed");
  held.cleanup();
});

test("retries are attempts with their number, status and pause", () => {
  const records = [
    system("api_error", {
      retryAttempt: 2,
      retryInMs: 1034.6,
      error: { status: 529, error: { type: "error", error: { type: "overloaded_error" } } },
    }),
    system("api_error", {
      retryAttempt: 1,
      retryInMs: 500,
      error: { message: "Connection error.", connection: { code: "ECONNRESET" } },
    }),
  ];
  assert.equal(
    rowsOf(
      records,
      `SELECT number, http_status AS status, backoff_ms AS pause, w.text AS class FROM attempts a
      JOIN words w ON w.id = a.error_class ORDER BY source_offset`,
    ),
    [
      { number: 2, status: 529, pause: 1035, class: "overloaded_error" },
      { number: 1, status: null, pause: 500, class: "ECONNRESET" },
    ],
  );
});

test("when another model answered, the request says which was asked, and both tries are kept", () => {
  const tries = [
    { type: "message", model: "claude-fable-5", input_tokens: 2, output_tokens: 2 },
    { type: "fallback_message", model: "claude-opus-4-8", input_tokens: 2, output_tokens: 136 },
  ];
  const held = imported({
    "s1.jsonl": transcript(reply({ model: "claude-opus-4-8", usage: usage({ iterations: tries }) })),
  });
  const [row] = held.rows(`SELECT m.text AS model, q.text AS asked, raw_usage AS raw FROM requests r
    JOIN words m ON m.id = r.model JOIN words q ON q.id = r.requested_model`);
  assert.equal([row!.model, row!.asked], ["claude-opus-4-8", "claude-fable-5"]);
  assert.match(String(row!.raw), "iterations");
  assert.equal(held.rows("SELECT number, outcome FROM attempts ORDER BY number"), [
    { number: 1, outcome: "failed" },
    { number: 2, outcome: "ok" },
  ]);
  held.cleanup();
});

test("the client's word about a refusal names the model of the next request", () => {
  const records = [system("model_refusal_fallback", { originalModel: "claude-fable-5" }), reply(), reply()];
  const rows = rowsOf(
    records,
    `SELECT w.text AS asked FROM requests r LEFT JOIN words w ON w.id = r.requested_model
    ORDER BY source_offset`,
  );
  assert.equal(rows, [{ asked: "claude-fable-5" }, { asked: null }]);
});

test("usage with a service tier, a speed or tools of the provider is kept as it came", () => {
  const odd = [{ service_tier: "priority" }, { speed: "fast" }, { server_tool_use: { web_search_requests: 2 } }];
  const plain = [{ service_tier: null }, { speed: "standard", iterations: [{}] }, { server_tool_use: null }];
  const records = [...odd, ...plain].map((given) => reply({ usage: usage(given) }));
  const rows = rowsOf(records, "SELECT raw_usage IS NOT NULL AS kept FROM requests ORDER BY source_offset");
  assert.equal(
    rows.map(({ kept }) => kept),
    [1, 1, 1, 0, 0, 0],
  );
});

test("the provider's reason for a missed cache is kept", () => {
  const records = [
    reply({ diagnostics: { cache_miss_reason: { type: "messages_changed", cache_missed_input_tokens: 6455 } } }),
    reply({ diagnostics: { cache_miss_reason: { type: "unavailable" } } }),
    reply(),
  ];
  assert.equal(
    rowsOf(
      records,
      `SELECT w.text AS reason, missed_tokens AS missed FROM requests r
      LEFT JOIN words w ON w.id = r.miss_reason ORDER BY source_offset`,
    ),
    [
      { reason: "messages_changed", missed: 6455 },
      { reason: "unavailable", missed: null },
      { reason: null, missed: null },
    ],
  );
});

test("the first listing of tools and skills is no change; later ones are", () => {
  const tools = attachment({ type: "deferred_tools_delta", addedNames: ["A"] });
  const skills = (isInitial: boolean) => attachment({ type: "skill_listing", isInitial });
  const servers = attachment({ type: "mcp_instructions_delta", removedNames: ["x"] });
  const agents = attachment({ type: "agent_listing_delta", isInitial: false });
  assert.equal(changesOf([tools, skills(true), reply(), tools, reply(), skills(true), reply()]), [null, "tools", null]);
  assert.equal(changesOf([reply(), servers, skills(false), reply(), agents, servers, reply()]), [
    null,
    "instructions",
    "instructions,tools",
  ]);
});

test("another model, another mode, another client version and a resume are said", () => {
  const resumed = attachment({ type: "hook_success", hookName: "SessionStart:resume" });
  const mode = (permissionMode: string) => ({ type: "permission-mode", permissionMode, sessionId: "s1" });
  const records = [
    mode("default"),
    reply(),
    mode("default"),
    reply({ model: "claude-sonnet-5" }),
    mode("plan"),
    reply({ model: "claude-sonnet-5" }),
    prompt("x", { permissionMode: "acceptEdits" }),
    resumed,
    reply({ model: "claude-sonnet-5" }, { version: "2.1.220" }),
  ];
  assert.equal(changesOf(records), [null, "model", "mode", "mode,resume,upgrade"]);
});

test("results between the lines of a response do not split it", () => {
  const records = [
    call("toolu_000000000000000a", "Read", { file_path: "/a" }, { id: "m1", stop: null }),
    result("toolu_000000000000000a", "a"),
    call("toolu_000000000000000b", "Read", { file_path: "/b" }, { id: "m1", usage: usage({ output_tokens: 80 }) }),
    result("toolu_000000000000000b", "b"),
  ];
  assert.equal(rowsOf(records, "SELECT output_tokens AS output FROM requests"), [{ output: 80 }]);
});

test("a record without a time takes the time of the one before it", () => {
  const records = [reply({}, { timestamp: second(5) }), reply({}, { timestamp: "not a time" })];
  assert.equal(
    rowsOf(
      records,
      "SELECT time_quality AS quality, at_ms = (SELECT min(at_ms) FROM requests) AS same FROM requests ORDER BY source_offset",
    ),
    [
      { quality: "exact", same: 1 },
      { quality: "inherited", same: 1 },
    ],
  );
});

test("keys in another order and spaces after colons change nothing", () => {
  const record = reply({ id: "m1" }) as Record<string, unknown>;
  const spaced = JSON.stringify(Object.fromEntries(Object.entries(record).reverse()), null, 1).replace(/\n\s*/g, " ");
  const held = imported({ "s1.jsonl": `${spaced}\n` });
  assert.is(held.value("SELECT sum(read_tokens) FROM requests"), 900);
  held.cleanup();
});

test.run();
