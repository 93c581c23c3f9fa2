import { test } from "uvu";
import * as assert from "uvu/assert";
import {
  attachment,
  boundary,
  call,
  checkpoint,
  progress,
  prompt,
  reply,
  result,
  second,
  system,
  transcript,
  usage,
} from "../../support/claude.js";
import { type Imported, imported } from "../../support/import.js";

const TURNS = "SELECT prompt_id AS prompt, outcome, ended_at_ms - at_ms AS lasted FROM turns ORDER BY source_offset";

/** A checkpoint of a fair length. */
const GOOD = `${"- `src/a.ts` holds the parser.\n".repeat(80)}Done.`;

function heldOf(...records: unknown[]): Imported {
  return imported({ "s1.jsonl": transcript(...records) });
}

/** Rows of a transcript of these records, imported afresh. */
function rowsOf(records: unknown[], sql: string): Record<string, unknown>[] {
  const held = heldOf(...records);
  const rows = held.rows(sql);
  held.cleanup();
  return rows;
}

test("only what a person wrote begins a turn", () => {
  const wrapped = (text: string) => prompt(text);
  const records = [
    prompt("one", { uuid: "p1" }),
    prompt("a reminder", { isMeta: true }),
    wrapped("<local-command-stdout>x</local-command-stdout>"),
    wrapped("<local-command-caveat>x</local-command-caveat>"),
    wrapped("<bash-stdout>x</bash-stdout>"),
    wrapped("<task-notification>x</task-notification>"),
    wrapped("[Request interrupted by user for tool use]"),
    checkpoint("a summary"),
    result("toolu_000000000000000a", "x"),
    prompt("", { message: { role: "user", content: ["odd"] } }),
    prompt("", { message: { role: "user" } }),
    { type: "user", message: "odd", uuid: "x", sessionId: "s1" },
    prompt("<command-name>/cost</command-name>", { uuid: "p2" }),
    prompt("", { uuid: "p3", message: { role: "user", content: [{ type: "image", source: {} }] } }),
  ];
  assert.equal(
    rowsOf(records, TURNS).map(({ prompt }) => prompt),
    ["p1", "p2", "p3"],
  );
});

test("a turn lasts until its last answer, and says how it ended", () => {
  const at = (seconds: number) => ({ timestamp: second(seconds) });
  const records = [
    prompt("a", { uuid: "p1", ...at(0) }),
    reply({ stop: null }, at(5)),
    reply({}, at(7)),
    prompt("b", { uuid: "p2", ...at(10) }),
    reply({ stop: "tool_use" }, at(11)),
    prompt("[Request interrupted by user]", at(13)),
    prompt("c", { uuid: "p3", ...at(20) }),
    prompt("d", { uuid: "p4", ...at(30) }),
    reply({ stop: null }, at(31)),
    system("turn_duration", { durationMs: 2000, ...at(32) }),
  ];
  assert.equal(rowsOf(records, TURNS), [
    { prompt: "p1", outcome: "answered", lasted: 7000 },
    { prompt: "p2", outcome: "interrupted", lasted: 3000 },
    { prompt: "p3", outcome: null, lasted: null },
    { prompt: "p4", outcome: "answered", lasted: 2000 },
  ]);
});

test("a turn knows its branch, project and client version", () => {
  const records = [prompt("a", { uuid: "p1", gitBranch: "feature", cwd: "/work", version: "2.1.1" })];
  const sql = `SELECT b.text AS branch, p.text AS project, v.text AS version FROM turns t
    JOIN words b ON b.id = t.branch JOIN words p ON p.id = t.project JOIN words v ON v.id = t.client_version`;
  assert.equal(rowsOf(records, sql), [{ branch: "feature", project: "/work", version: "2.1.1" }]);
});

test("a prompt that reached no provider is a turn without a request", () => {
  const held = heldOf(
    prompt("<command-name>/exit</command-name>", { uuid: "p1" }),
    prompt("hi", { uuid: "p2" }),
    reply(),
  );
  assert.is(held.value("SELECT count(*) FROM turns"), 2);
  assert.is(held.value("SELECT count(DISTINCT turn) FROM requests"), 1);
  held.cleanup();
});

test("a conversation that goes on under another session id keeps its turn", () => {
  const held = heldOf(prompt("plan", { uuid: "p1" }), reply({ id: "m1" }, { sessionId: "s2" }));
  assert.equal(held.rows("SELECT count(*) AS rows, sum(counted) AS counted FROM turns"), [{ rows: 2, counted: 1 }]);
  assert.is(held.value("SELECT count(*) FROM requests WHERE turn IS NOT NULL"), 1);
  held.cleanup();
});

test("a use and its result are one call, with digests and sizes", () => {
  const held = heldOf(
    call("toolu_000000000000000a", "Read", { file_path: "/a.ts", limit: 5 }, {}, { timestamp: second(0) }),
    result("toolu_000000000000000a", [{ type: "text", text: "héllo" }], { timestamp: second(2) }),
    call("toolu_000000000000000b", "Read", { limit: 5, file_path: "/a.ts" }, {}, { timestamp: second(3) }),
    result(
      "toolu_000000000000000b",
      "héllo",
      { timestamp: second(4), toolUseResult: { durationMs: 12.4 } },
      { is_error: true },
    ),
    call("toolu_000000000000000c", "Bash", { command: "ls" }),
    result("toolu_000000000000000d", "orphan"),
  );
  const rows = held.rows(`SELECT call_id AS id, use_seen AS used, result_seen AS answered, result_bytes AS bytes,
    is_error AS error, duration_ms AS ms FROM tool_calls ORDER BY source_offset`);
  assert.equal(rows, [
    { id: "toolu_000000000000000a", used: 1, answered: 1, bytes: 6, error: 0, ms: 2000 },
    { id: "toolu_000000000000000b", used: 1, answered: 1, bytes: 6, error: 1, ms: 12 },
    { id: "toolu_000000000000000c", used: 1, answered: 0, bytes: null, error: null, ms: null },
    { id: "toolu_000000000000000d", used: 0, answered: 1, bytes: 6, error: 0, ms: null },
  ]);
  const distinct = (column: string) =>
    held.value(
      `SELECT count(DISTINCT ${column}) FROM tool_calls WHERE tool = (SELECT id FROM words WHERE text = 'Read')`,
    );
  assert.equal([distinct("arguments_digest"), distinct("target_digest"), distinct("result_digest")], [1, 1, 1]);
  held.cleanup();
});

test("short ids of other servers are unique only within their session", () => {
  const one = (sessionId: string) => [
    call("Bash:0", "Bash", { command: "ls" }, {}, { sessionId }),
    result("Bash:0", "x", { sessionId }),
  ];
  const held = imported({ "s1.jsonl": transcript(...one("s1")), "s2.jsonl": transcript(...one("s2")) });
  assert.is(held.value("SELECT sum(counted) FROM tool_calls"), 2);
  held.cleanup();
});

test("calls whose ids were blotted out are joined by the record that made them", () => {
  const held = heldOf(
    call("REDACTED", "Read", { file_path: "/a" }, {}, { uuid: "u1" }),
    call("REDACTED", "Read", { file_path: "/b" }, {}, { uuid: "u2" }),
    result("REDACTED", "b", { sourceToolAssistantUUID: "u2" }),
  );
  assert.equal(held.rows("SELECT use_seen AS used, result_seen AS answered FROM tool_calls ORDER BY source_offset"), [
    { used: 1, answered: 0 },
    { used: 1, answered: 1 },
  ]);
  held.cleanup();
});

test("broken contracts are read from calls and their refusals", () => {
  const refused = (id: string, text: string) => [
    call(id, "Edit", { file_path: "/a" }),
    result(id, `<tool_use_error>${text}</tool_use_error>`, {}, { is_error: true }),
  ];
  const records = [
    ...refused("toolu_000000000000000a", "Error: No such tool available: Edit"),
    ...refused(
      "toolu_000000000000000b",
      "InputValidationError: Edit failed: The required parameter `old_string` is missing",
    ),
    ...refused("toolu_000000000000000c", "File has not been read yet"),
    call("toolu_000000000000000f", "Bash", { command: "cat log" }),
    result("toolu_000000000000000f", "Exit code 1\nError: No such tool available: Edit", {}, { is_error: true }),
    call("toolu_000000000000000d", "Write", "not an object"),
    call("toolu_000000000000000e", "Write", { content: "cut" }, { stop: "max_tokens" }),
  ];
  const sql = `SELECT w.text AS code, c.text AS contract, pointer, subject_ref AS ref FROM contract_checks k
    JOIN words w ON w.id = k.code JOIN words c ON c.id = k.contract ORDER BY source_offset`;
  assert.equal(rowsOf(records, sql), [
    { code: "tool_unknown", contract: "Edit", pointer: null, ref: "toolu_000000000000000a" },
    { code: "args_schema", contract: "Edit", pointer: "/old_string", ref: "toolu_000000000000000b" },
    { code: "args_not_json", contract: "Write", pointer: null, ref: "toolu_000000000000000d" },
    { code: "truncated_json", contract: "Write", pointer: null, ref: "toolu_000000000000000e" },
  ]);
});

test("a compaction is measured from the boundary to the next request", () => {
  const held = heldOf(
    prompt("a", { uuid: "p1" }),
    reply({ usage: usage({ cache_read_input_tokens: 150_000 }) }),
    boundary(
      {
        trigger: "auto",
        preTokens: 160_000,
        postTokens: 18_000,
        durationMs: 1500.5,
        preservedMessages: { uuids: ["k1", "k2"] },
      },
      { uuid: "b1" },
    ),
    checkpoint(GOOD),
    reply({}, { isSidechain: true, agentId: "a1" }),
    reply({
      usage: usage({
        input_tokens: 100,
        cache_read_input_tokens: 50_000,
        cache_creation_input_tokens: 900,
        cache_creation: null,
      }),
    }),
    reply(),
  );
  const [row] =
    held.rows(`SELECT form, "trigger", outcome, tokens_before AS before, tokens_after AS after, duration_ms AS ms,
    m.text AS method, f.text AS fault, summary_bytes AS bytes, r.text AS recipe, v.text AS version FROM compactions c
    JOIN words m ON m.id = c.count_method JOIN words f ON f.id = c.checkpoint_fault JOIN words r ON r.id = c.recipe
    JOIN words v ON v.id = c.recipe_version`);
  assert.equal(row, {
    form: "full",
    trigger: "auto",
    outcome: "applied",
    before: 160_000,
    after: 51_000,
    ms: 1501,
    method: "boundary>next_request",
    fault: "none",
    bytes: Buffer.byteLength(GOOD),
    recipe: "claude-code",
    version: "2.1.219",
  });
  assert.equal(held.rows("SELECT message_id AS id, fate FROM compaction_items ORDER BY 1"), [
    { id: "k1", fate: "kept" },
    { id: "k2", fate: "kept" },
  ]);
  const declared = held.rows(`SELECT d.text AS declared, w.text AS rewritten FROM requests r
    LEFT JOIN words d ON d.id = r.declared_change LEFT JOIN words w ON w.id = r.rewrite_kind ORDER BY source_offset`);
  assert.equal(
    declared.map(({ declared }) => declared),
    [null, null, "compaction", null],
  );
  assert.equal(
    declared.map(({ rewritten }) => rewritten),
    [null, null, "compaction", null],
  );
  held.cleanup();
});

test("a checkpoint without a boundary is a compaction too, measured from the request before it", () => {
  const rows = rowsOf(
    [reply(), checkpoint("it is done"), reply(), checkpoint("it is done again")],
    `SELECT "trigger", tokens_before AS before, tokens_after AS after, m.text AS method FROM compactions c
     LEFT JOIN words m ON m.id = c.count_method ORDER BY source_offset`,
  );
  assert.equal(rows, [
    { trigger: "unknown", before: 1000, after: 1000, method: "previous_request>next_request" },
    { trigger: "unknown", before: 1000, after: null, method: null },
  ]);
});

test("a checkpoint that is none is told", () => {
  const faults = (...texts: string[]) =>
    rowsOf(
      texts.flatMap((text) => [boundary({ trigger: "auto", preTokens: 100_000 }), checkpoint(text)]),
      "SELECT w.text AS fault FROM compactions c JOIN words w ON w.id = c.checkpoint_fault ORDER BY source_offset",
    ).map(({ fault }) => fault);
  assert.equal(faults(GOOD, GOOD, "", "Sure! I would love to help you with that.", "It is done."), [
    "none",
    "repeated",
    "empty",
    "reply",
    "too_short",
  ]);
});

test("clearing single results in place is counted apart", () => {
  const records = [
    reply(),
    system("microcompact_boundary", {
      microcompactMetadata: {
        trigger: "auto",
        preTokens: 13_000,
        tokensSaved: 2000,
        compactedToolIds: ["t1"],
        clearedAttachmentUUIDs: ["u1"],
      },
    }),
    reply(),
  ];
  const held = heldOf(...records);
  assert.equal(held.rows("SELECT form, tokens_before AS before, tokens_after AS after FROM compactions"), [
    { form: "micro", before: 13_000, after: 11_000 },
  ]);
  assert.equal(held.rows("SELECT message_id AS id, fate FROM compaction_items ORDER BY 1"), [
    { id: "t1", fate: "stubbed" },
    { id: "u1", fate: "dropped" },
  ]);
  assert.equal(
    held
      .rows("SELECT w.text AS kind FROM requests r LEFT JOIN words w ON w.id = r.rewrite_kind ORDER BY source_offset")
      .map(({ kind }) => kind),
    [null, "gc"],
  );
  held.cleanup();
});

test("the parent's lane and its subagents' lanes hold their own requests", () => {
  const out = (output_tokens: number) => usage({ output_tokens });
  const side = { isSidechain: true };
  const held = heldOf(
    prompt("do", { uuid: "p1" }),
    call("toolu_000000000000000a", "Task", { prompt: "look", subagent_type: "Explore" }, { usage: out(10) }),
    prompt("look", { ...side, uuid: "x1" }),
    reply({ usage: out(5) }, { ...side, uuid: "x2", parentUuid: "x1" }),
    reply({ usage: out(5) }, { ...side, uuid: "x3", parentUuid: "x2" }),
    result("toolu_000000000000000a", "found"),
  );
  assert.equal(
    held.rows(`SELECT l.lane_id AS lane, l.kind, sum(output_tokens) AS output, min(copy_rank) AS rank FROM requests r
      JOIN lanes l ON l.id = r.lane GROUP BY l.id ORDER BY 1`),
    [
      { lane: "main", kind: "parent", output: 10, rank: 0 },
      { lane: "x1", kind: "subagent", output: 10, rank: 1 },
    ],
  );
  assert.equal(
    held.rows(
      "SELECT w.text AS type, parent_lane AS parent, parent_tool_call AS call FROM lanes l JOIN words w ON w.id = l.agent_type",
    ),
    [{ type: "Explore", parent: "main", call: "toolu_000000000000000a" }],
  );
  held.cleanup();
});

test("parallel sidechains without agent ids are told apart by their parents", () => {
  const side = (uuid: string, parentUuid: string | null, given = {}) => ({
    isSidechain: true,
    uuid,
    parentUuid,
    ...given,
  });
  const held = heldOf(
    prompt("a", side("a1", null)),
    prompt("b", side("b1", null)),
    reply({}, side("a2", "a1")),
    reply({}, side("b2", "b1")),
    reply({}, side("a3", "a2")),
  );
  assert.equal(
    held.rows("SELECT l.lane_id AS lane, count(*) AS n FROM requests r JOIN lanes l ON l.id = r.lane GROUP BY 1"),
    [
      { lane: "a1", n: 2 },
      { lane: "b1", n: 1 },
    ],
  );
  held.cleanup();
});

test("where copies of a subagent's request disagree, its own file counts, then inline, then progress", () => {
  const inner = reply({ id: "m1" }) as Record<string, unknown>;
  const agent = { isSidechain: true, agentId: "a17" };
  const asProgress = progress("a17", "toolu_000000000000000a", {
    type: "assistant",
    message: inner.message,
    uuid: "u",
    timestamp: second(1),
  });
  const held = imported({
    "s1.jsonl": transcript(
      prompt("do"),
      call("toolu_000000000000000a", "Task", { prompt: "look", subagent_type: "Plan" }),
      asProgress,
      result("toolu_000000000000000a", "x", { toolUseResult: { agentId: "a17", totalDurationMs: 7 } }),
    ),
    "s1/subagents/agent-a17.jsonl": transcript(prompt("look", agent), { ...inner, ...agent }),
    "s1/subagents/agent-a17.meta.json": '{"agentType":"Plan","description":"look"}',
  });
  assert.equal(
    held.rows(
      "SELECT copy_rank AS rank, counted FROM requests r JOIN lanes l ON l.id = r.lane WHERE l.lane_id = 'a17' ORDER BY 1",
    ),
    [
      { rank: 0, counted: 1 },
      { rank: 2, counted: 0 },
    ],
  );
  assert.is(held.value("SELECT count(*) FROM sessions"), 1);
  assert.equal(
    held.rows("SELECT w.text AS type, parent_tool_call AS call FROM lanes l JOIN words w ON w.id = l.agent_type"),
    [{ type: "Plan", call: "toolu_000000000000000a" }],
  );
  held.cleanup();
});

test("progress of a subagent carries usage, its tool calls stay with its own file", () => {
  const inner = call("toolu_00000000000000bb", "Bash", { command: "ls" }, { id: "m9" }) as Record<string, unknown>;
  const line = () =>
    progress("a17", "toolu_000000000000000a", {
      type: "assistant",
      message: inner.message,
      requestId: "r9",
      uuid: "u",
    });
  const held = heldOf(prompt("do"), line(), line());
  assert.equal(held.rows("SELECT message_id AS id, copy_rank AS rank FROM requests"), [{ id: "m9", rank: 2 }]);
  assert.is(held.value("SELECT count(*) FROM tool_calls"), 0);
  assert.is(held.value("SELECT parent_tool_call FROM lanes WHERE lane_id = 'a17'"), "toolu_000000000000000a");
  held.cleanup();
});

test("agents the client runs for itself have lanes of their own kind, and replay their parent", () => {
  const shared = reply({ id: "m1" }) as Record<string, unknown>;
  const file = (agentId: string) =>
    transcript(
      { ...shared, isSidechain: true, agentId, requestId: "other" },
      reply({ id: `own-${agentId}` }, { isSidechain: true, agentId }),
    );
  const held = imported({
    "s1.jsonl": transcript(prompt("do"), shared),
    "s1/subagents/agent-acompact-1.jsonl": file("acompact-1"),
    "s1/subagents/agent-aside_question-2.jsonl": file("aside_question-2"),
  });
  assert.equal(
    held.rows(
      "SELECT l.kind, count(*) AS n FROM requests r JOIN lanes l ON l.id = r.lane WHERE counted = 1 GROUP BY 1 ORDER BY 1",
    ),
    [
      { kind: "compaction", n: 1 },
      { kind: "parent", n: 1 },
      { kind: "side", n: 1 },
    ],
  );
  held.cleanup();
});

test("the session knows its project, branch, versions and best title, never its prompts", () => {
  const held = heldOf(
    { type: "summary", summary: "a summary", leafUuid: "x" },
    prompt("secret prompt"),
    { type: "ai-title", aiTitle: "made up", sessionId: "s1" },
    { type: "custom-title", customTitle: "given", sessionId: "s1" },
    { type: "ai-title", aiTitle: "made up again", sessionId: "s1" },
    reply({}, { version: "2.1.220" }),
  );
  assert.equal(held.rows("SELECT agent_version AS version, project, branch, title, kind FROM sessions"), [
    { version: "2.1.220", project: "/home/ann/project", branch: "main", title: "given", kind: "task" },
  ]);
  assert.not.match(JSON.stringify(held.dump()), "secret prompt");
  held.cleanup();
});

test("files with book-keeping alone make no session", () => {
  const held = imported({
    "a.jsonl": transcript({ type: "summary", summary: "x", leafUuid: "y" }),
    "b.jsonl": transcript({ type: "file-history-snapshot", messageId: "m", snapshot: {} }),
  });
  assert.is(held.value("SELECT count(*) FROM sessions"), 0);
  assert.equal([held.report.files.read, held.again().files.unchanged], [2, 2]);
  held.cleanup();
});

test("records without a session id belong to the file's", () => {
  const held = imported({ "5f0c.jsonl": transcript(prompt("hi", { sessionId: undefined })) });
  assert.is(held.value("SELECT session_id FROM sessions"), "5f0c");
  held.cleanup();
});

test("an unknown record type is noted once and hurts nothing", () => {
  const held = heldOf(
    { type: "novelty", sessionId: "s1" },
    prompt("x"),
    { type: "novelty", sessionId: "s1" },
    attachment({ type: "novel" }),
  );
  assert.equal(
    held.rows(
      "SELECT k.text AS kind, n.text AS name FROM notes JOIN words k ON k.id = kind JOIN words n ON n.id = name",
    ),
    [{ kind: "unknown_record", name: "novelty" }],
  );
  held.cleanup();
});

test("with --content texts are kept under the digests that events carry, and not otherwise", () => {
  const records = [
    call("toolu_000000000000000a", "Bash", { command: "ls" }),
    result("toolu_000000000000000a", "out"),
    boundary({}),
    checkpoint("the summary."),
  ];
  const held = imported({ "s1.jsonl": transcript(...records) }, { content: true });
  assert.equal(
    held.rows("SELECT text FROM contents ORDER BY 1").map(({ text }) => text),
    ["out", "the summary.", '{"command":"ls"}'],
  );
  assert.is(held.value("SELECT count(*) FROM tool_calls JOIN contents ON digest = result_digest"), 1);
  assert.is(held.value("SELECT count(*) FROM compactions JOIN contents ON digest = summary_digest"), 1);
  held.cleanup();
});

test.run();
