import { test } from "uvu";
import * as assert from "uvu/assert";
import { transcript } from "../../support/claude.js";
import { sameWhereverCut } from "../../support/cut.js";
import { readsWhateverStands } from "../../support/hostile.js";
import { type Imported, imported } from "../../support/import.js";
import {
  answered,
  call,
  compaction,
  config,
  metadata,
  other,
  prompt,
  result,
  sent,
  stepEnd,
  tools,
  usage,
} from "../../support/kimi.js";

const MAIN = "sessions/wd_1/session_1/agents/main/wire.jsonl";
const AGENT = "sessions/wd_1/session_1/agents/agent-0/wire.jsonl";
const opened = [metadata(), config(), tools("Bash"), prompt("hi")];

function held(...records: unknown[]): Imported {
  return imported({ [MAIN]: transcript(...records) });
}

/** What a question with one row and one column gives. */
function value(store: Imported, sql: string): unknown {
  const found = store.value(sql);
  store.cleanup();
  return found;
}

test("a usage record is a request with disjoint counts, named by the step that ended before it", () => {
  const store = held(...opened, ...answered("chatcmpl-1"));
  const [row] = store.rows("SELECT * FROM requests");
  assert.equal(
    [row!.uncached_tokens, row!.read_tokens, row!.write_unsplit_tokens, row!.output_tokens],
    [10, 900, 90, 50],
  );
  assert.equal([row!.message_id, row!.ttft_ms, row!.latency_ms], ["chatcmpl-1", 300, 1000]);
  assert.is(value(store, "SELECT session_id FROM sessions"), "session_1");
});

test("the call that writes a checkpoint counts, in a lane of its own; the compaction is measured by the loop's requests", () => {
  const store = held(
    ...opened,
    ...answered("a"),
    ...compaction("Nothing was done."),
    prompt("go on"),
    ...answered("b"),
  );
  assert.is(store.value("SELECT count(*) FROM requests"), 3);
  assert.is(store.value("SELECT kind FROM lanes WHERE lane_id = 'compaction'"), "compaction");
  const [row] = store.rows("SELECT tokens_before, tokens_after, trigger, messages_before FROM compactions");
  assert.equal(row, { tokens_before: 1000, tokens_after: 1000, trigger: row!.trigger, messages_before: 7 });
  assert.is(value(store, "SELECT count(*) FROM requests WHERE rewrite_kind IS NOT NULL"), 1);
});

test("a request that was never answered is a try", () => {
  const store = held(...opened, sent(), prompt("again"), ...answered("a"), sent());
  assert.is(store.value("SELECT count(*) FROM attempts"), 1);
  assert.is(value(store, "SELECT count(*) FROM requests"), 1);
});

test("hashes of the system prompt and of the tools name the shell; changes are declared", () => {
  const store = held(
    ...opened,
    ...answered("a"),
    tools("Bash", "Read"),
    ...answered("b", { toolsHash: "cc" }),
    other("plan_mode.enter"),
    ...answered("c", { toolsHash: "cc" }),
  );
  assert.is(store.value("SELECT count(DISTINCT shell_digest) FROM requests"), 2);
  assert.is(store.value("SELECT level FROM coverage WHERE fact = 'shell_digests'"), "full");
  assert.is(value(store, "SELECT count(declared_change) FROM requests"), 2);
});

test("a subagent's file is a lane of its parent's session, described by the call that started it", () => {
  const store = imported({
    [MAIN]: transcript(
      ...opened,
      call("Agent_0", "Agent", { prompt: "count" }),
      result("Agent_0", "agent_id: agent-0\nactual_subagent_type: explore\nstatus: completed"),
      ...answered("a"),
    ),
    [AGENT]: transcript(
      metadata(),
      config({ profileName: "explore" }),
      prompt("count", { kind: "system_trigger", name: "subagent" }),
      ...answered("b"),
    ),
  });
  const [lane] = store.rows("SELECT l.*, a.text AS type FROM lanes l JOIN words a ON a.id = l.agent_type");
  assert.equal(
    [lane!.lane_id, lane!.kind, lane!.type, lane!.parent_tool_call],
    ["agent-0", "subagent", "explore", "Agent_0"],
  );
  assert.is(value(store, "SELECT count(*) FROM sessions"), 1);
});

test("calls meet their results by short ids, and steps keep equal ids of other sessions apart", () => {
  const calls = (step: string) => [
    call("Bash_0", "Bash", { command: "ls" }, step),
    result("Bash_0", "no", { isError: true }),
  ];
  const store = imported({
    [MAIN]: transcript(...opened, ...calls("0e2b7c52-0000-4000-8000-000000000001")),
    [MAIN.replace("session_1", "session_2")]: transcript(...opened, ...calls("0e2b7c52-0000-4000-8000-000000000002")),
  });
  assert.is(store.value("SELECT count(*) FROM tool_calls WHERE counted = 1 AND result_seen = 1"), 2);
  assert.is(value(store, "SELECT count(*) FROM tool_calls WHERE is_error = 1"), 2);
});

test("turns begin with prompts; an ending step answers, a cancel interrupts", () => {
  const store = held(...opened, ...answered("a"), prompt("b"), sent(), other("turn.cancel"));
  const outcomes = store.rows("SELECT outcome FROM turns ORDER BY at_ms").map(({ outcome }) => outcome);
  assert.equal(outcomes, ["answered", "interrupted"]);
  store.cleanup();
});

test("odd values are unknown; records of kinds to come are noted once; older wire files are refused", () => {
  const older = transcript(
    { type: "metadata", protocol_version: "1.1" },
    { timestamp: 1.5, message: { type: "TurnBegin" } },
  );
  const store = held(
    ...opened,
    usage({ output: "x" }),
    stepEnd("b"),
    other("novel"),
    other("novel"),
    other("llm.request", { kind: 7 }),
  );
  store.again({}, [store.write("old/wire.jsonl", older)]);
  assert.is(store.value("SELECT count(*) FROM sources"), 1);
  assert.is(store.value("SELECT count(*) FROM notes"), 1);
  assert.is(value(store, "SELECT output_quality FROM requests"), "missing");
});

test("wherever an import is cut and run again, the store is that of one import", () => {
  sameWhereverCut(
    transcript(
      ...opened,
      call("Bash_0", "Bash", { command: "ls" }),
      result("Bash_0", "a"),
      ...answered("a"),
      ...compaction("Nothing was done."),
      prompt("b"),
      sent(),
      tools("Read"),
      ...answered("b"),
      other("novel"),
    ),
    "wire.jsonl",
  );
});

test("whatever stands in whichever field, the file is read and the rest is kept", () => {
  readsWhateverStands(
    "wire.jsonl",
    [...opened, ...answered("good")],
    [
      config({ profileName: "x" }),
      tools("Bash"),
      prompt("b", { kind: "system_trigger", name: "subagent" }),
      call("Agent_0", "Agent", { command: "ls" }),
      result("Agent_0", "agent_id: agent-0\nactual_subagent_type: explore", { isError: true }),
      ...answered("a"),
      ...compaction("Nothing was done."),
      ...answered("b"),
      other("plan_mode.enter"),
      other("turn.cancel"),
    ],
  );
});

test.run();
