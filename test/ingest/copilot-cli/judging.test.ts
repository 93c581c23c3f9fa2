import { test } from "uvu";
import * as assert from "uvu/assert";
import { transcript } from "../../support/claude.js";
import { event, message, start, user } from "../../support/copilot.js";
import { type Imported, imported } from "../../support/import.js";
import { judgments, states, unjudged } from "../../support/judgments.js";

const words = "I look at the drawer first, then at the ledger, and at the rest when both are done. ".repeat(6);
let serial = 0;
const says = (content: string, given = {}) => {
  serial += 1;
  return { ...message(`n${serial}`, { content }), ...given };
};
const edits = (path: string, given = {}) => {
  serial += 1;
  const toolCallId = `call_0000000000000000${serial}`;
  return { ...event("tool.execution_start", { toolCallId, toolName: "edit", arguments: { path } }), ...given };
};
const begins = () => event("session.compaction_start");
const compacts = (summaryContent?: string) =>
  event("session.compaction_complete", {
    success: true,
    preCompactionTokens: 500,
    trigger: "threshold",
    summaryContent,
  });

const held = (...records: unknown[]): Imported =>
  imported({ "c1/events.jsonl": transcript(start(), ...records, says("ok")) });

test("a compaction works beside the session: what came meanwhile stays", () => {
  const store = held(
    says(words),
    edits("/shop/till/drawerPort.ts"),
    begins(),
    edits("/shop/till/ledgerPort.ts"),
    user("Never touch the voucher migrations."),
    compacts("See drawerPort.ts."),
  );
  assert.equal(states(store), [{ kind: "modified_file", state: "kept", n: 1 }]);
  store.cleanup();
});

test("a checkpoint whose text was not recorded is unjudged, and the session says that it was not", () => {
  const store = held(says(words), edits("/shop/till/drawerPort.ts"), begins(), compacts());
  assert.equal([judgments(store), unjudged(store)], [[], [{ why: "unreadable" }]]);
  assert.is(store.value("SELECT level FROM coverage WHERE fact = 'checkpoint_text'"), "absent");
  store.cleanup();
});

test("a context that was cleared holds nothing of what came before", () => {
  const store = held(
    user("Never touch the voucher migrations."),
    edits("/shop/till/ledgerPort.ts"),
    event("session.context_cleared", { messagesCleared: 2 }),
    user("Mend the drawer."),
    says(words),
    edits("/shop/till/drawerPort.ts"),
    compacts("See drawerPort.ts."),
  );
  assert.equal(states(store), [{ kind: "modified_file", state: "kept", n: 1 }]);
  store.cleanup();
});

test("a subagent has a lane of its own, and is no part of the session's context", () => {
  const inside = { agentId: "agent-7" };
  const store = held(
    user("Mend the till."),
    says(words),
    { ...event("subagent.started", { toolCallId: "call_000000000000000000a", agentName: "explore" }), ...inside },
    says("Only `roundToCent` rounds.", inside),
    edits("/shop/till/ledgerPort.ts", inside),
    says("Only `roundToCent` rounds, indeed.", inside),
    edits("/shop/till/drawerPort.ts"),
    compacts("See drawerPort.ts."),
  );
  assert.equal(states(store), [{ kind: "modified_file", state: "kept", n: 1 }]);
  assert.equal(
    store.rows(`SELECT l.lane_id AS lane, l.kind, w.text AS type FROM lanes l LEFT JOIN words w ON w.id = l.agent_type
      ORDER BY lane`),
    [
      { lane: "agent-7", kind: "subagent", type: "explore" },
      { lane: "main", kind: "parent", type: null },
    ],
  );
  const ofSubagents = "SELECT count(*) FROM requests r JOIN lanes l ON l.id = r.lane WHERE l.kind = 'subagent'";
  assert.equal([store.value(ofSubagents), store.value("SELECT count(*) FROM turns")], [2, 1]);
  store.cleanup();
});

test("in older versions a subagent is named by the call that started it", () => {
  const parentToolCallId = "call_000000000000000000b";
  const store = held(
    event("subagent.started", { toolCallId: parentToolCallId, agentName: "task" }),
    message("m1", { parentToolCallId }),
    message("m2"),
  );
  const lanes = "SELECT group_concat(lane_id, ' ') FROM (SELECT lane_id FROM lanes ORDER BY lane_id)";
  assert.is(store.value(lanes), `${parentToolCallId} main`);
  store.cleanup();
});

test.run();
