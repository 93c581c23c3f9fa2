import { test } from "uvu";
import * as assert from "uvu/assert";
import type { SessionEvent } from "../../../src/events/event.js";
import { check } from "../../support/ask.js";
import { contract, coverage, DAY, MINUTE, NOON, request, toolCall, turn, waiver } from "../../support/events.js";

const contracts = (events: SessionEvent[], options = {}) => check("return_contract", events, options);
const outcomes = async (events: SessionEvent[]) =>
  (await contracts(events)).evidence.map(({ outcome, message }) => `${outcome}: ${message}`);
const at = (minute: number) => NOON + minute * MINUTE;

test("a recorded violation is refused and names contract, code and pointer", async () => {
  const result = await contracts([contract({ outcome: "violation", code: "output_schema", pointer: "/files" })]);
  assert.equal([result.verdict, result.violations], ["violated", 1]);
  assert.is(result.evidence[0]!.message, "answer: output_schema: /files");
});

test("kept, repaired and waived contracts pass", async () => {
  const events = [contract(), contract({ outcome: "repaired" }), contract({ outcome: "waived" })];
  const result = await contracts(events);
  assert.equal([result.verdict, result.evidence.length], ["pass", 2]);
});

test("a waiver accepts a violation until the moment it expires", async () => {
  const until = (expiresAtMs: number | null) => [
    contract({ id: "k", outcome: "violation" }),
    waiver("k", { expiresAtMs, author: "ann" }),
  ];
  assert.is((await contracts(until(null))).verdict, "pass");
  assert.is((await contracts(until(NOON + DAY), { nowMs: NOON })).verdict, "pass");
  const expired = await contracts(until(NOON + DAY), { nowMs: NOON + DAY });
  assert.equal([expired.verdict, expired.violations], ["violated", 1]);
  assert.match(expired.evidence[0]!.message, "the waiver by ann has expired");
});

test("a declared contract that nobody checked is unmeasured", async () => {
  assert.is((await contracts([contract({ outcome: "unchecked" })])).verdict, "unmeasured");
});

test("a call without a result, with work after it, is a violation", async () => {
  const events = [request({ atMs: at(0) }), toolCall({ atMs: at(1), resultSeen: false }), request({ atMs: at(2) })];
  assert.equal(await outcomes(events), ["violation: read: result_missing"]);
});

test("a last call without a result was interrupted: listed, not violated", async () => {
  const last = [
    request({ atMs: at(0) }),
    toolCall({ atMs: at(1), resultSeen: false }),
    toolCall({ atMs: at(1), resultSeen: false }),
  ];
  assert.is((await contracts(last)).verdict, "pass");
  const stopped = [
    turn({ turn: "t", atMs: at(0), outcome: "interrupted" }),
    toolCall({ turn: "t", atMs: at(1), resultSeen: false }),
    request({ atMs: at(2) }),
  ];
  assert.equal(await outcomes(stopped), ["noted: read: interrupted before its result"]);
});

test("work in another lane does not make a lane's last call a violation", async () => {
  const events = [toolCall({ lane: "sub", atMs: at(1), resultSeen: false }), request({ atMs: at(2) })];
  assert.is((await contracts(events)).verdict, "pass");
});

test("a result that nobody asked for is a violation, unless another source holds the call", async () => {
  const orphan = toolCall({ id: "x", useSeen: false, callId: "call-1" });
  assert.equal(await outcomes([orphan]), ["violation: result_orphan: no call call-1"]);
  const elsewhere = toolCall({ id: "x", session: "s0", resultSeen: false, callId: "call-1" });
  assert.is((await contracts([orphan, elsewhere])).violations, 0);
});

test("bad arguments that the same turn repaired are listed; bad ones that stayed are violations", async () => {
  const bad = (code: string) =>
    contract({ outcome: "violation", code, contract: "edit", subjectRef: "call-1", turn: "t", atMs: at(1) });
  const first = toolCall({ callId: "call-1", tool: "edit", turn: "t", atMs: at(1), isError: true });
  const again = toolCall({ callId: "call-2", tool: "edit", turn: "t", atMs: at(2) });
  const other = toolCall({ callId: "call-3", tool: "read", turn: "t", atMs: at(2) });
  const violations = async (...events: SessionEvent[]) => (await contracts(events)).violations;
  assert.is(await violations(bad("args_schema"), first, again), 0);
  assert.is(await violations(bad("args_schema"), first, other), 1);
  assert.is(await violations(bad("args_schema"), first, { ...again, turn: "later" }), 1);
  assert.is(await violations(bad("args_schema"), first, { ...again, isError: true }), 1);
  assert.is(await violations(bad("tool_unknown"), first, again), 1);
});

test("tools that report errors have returned", async () => {
  assert.is((await contracts([toolCall({ isError: true })])).verdict, "pass");
});

test("no contract and no tool call is not applicable, and unmeasured where calls cannot be seen", async () => {
  assert.is((await contracts([request()])).verdict, "not_applicable");
  const blind = [request(), coverage({ fact: "tool_calls", level: "absent" })];
  assert.is((await contracts(blind)).verdict, "unmeasured");
});

test.run();
