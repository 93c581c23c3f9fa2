import { test } from "uvu";
import * as assert from "uvu/assert";
import type { RequestFact, SessionEvent } from "../../../src/events/event.js";
import { digestOf } from "../../../src/events/identity.js";
import { doorReader } from "../../../src/ingest/door/parse.js";
import { doorFormOf } from "../../../src/ingest/door/write.js";
import * as make from "../../support/events.js";

const reader = () => doorReader({ agentOf: () => "custom", tenant: null, holds: () => true });
const read = (value: unknown) => reader()(value, 7, null);
const event = (value: unknown): SessionEvent => {
  const result = read(value);
  if ("refused" in result) throw new Error(result.refused);
  return result.event;
};
const refusal = (value: unknown) => {
  const result = read(value);
  return "refused" in result ? result.refused : null;
};

test("what a line leaves out is unknown", () => {
  const request = event({ kind: "request", session: "s1" }) as RequestFact;
  assert.is(request.uncachedTokens, null);
  assert.is(request.atMs, null);
  assert.is(request.cacheReported, false);
  assert.is(request.outputQuality, "missing");
  assert.is(request.usageState, "partial");
  assert.is(request.lane, "main");
  assert.is(request.agent, "custom");
  assert.is(request.line, 7);
});

test("a measured zero is not unknown", () => {
  const request = event({
    kind: "request",
    session: "s1",
    readTokens: 0,
    uncachedTokens: 0,
    outputTokens: 0,
  }) as RequestFact;
  assert.equal(
    [request.readTokens, request.uncachedTokens, request.cacheReported, request.usageState],
    [0, 0, true, "ok"],
  );
});

test("an id names one event of its kind, session and agent", () => {
  const id = (fields: object) =>
    event({ kind: "compaction", session: "s1", recipe: "r", id: "c1", ...fields }).eventId.toString("hex");
  assert.is(id({}), id({ tokensBefore: 5 }));
  for (const other of [{ id: "c2" }, { session: "s2" }, { agent: "other" }]) assert.is.not(id({}), id(other));
});

test("a reference by id is the id of that event", () => {
  const compaction = event({ kind: "compaction", session: "s1", recipe: "r", id: "c1" });
  const judgment = event({
    kind: "judgment",
    session: "s1",
    compaction: "c1",
    judgeKind: "human",
    judge: "ann",
    score: 1,
  });
  assert.equal(judgment.kind === "judgment" && judgment.compaction, compaction.eventId);
});

test("a judgment or waiver about nothing is refused, one about an earlier line or a recorded thing is taken", () => {
  const judgment = { kind: "judgment", session: "s1", compaction: "c1", judgeKind: "human", judge: "ann", score: 1 };
  const waiver = { kind: "waiver", session: "s1", violation: "k1", author: "ann", reason: "known" };
  const strict = doorReader({ agentOf: () => "custom", tenant: null });
  for (const about of [judgment, waiver])
    assert.match(JSON.stringify(strict(about, 1, null)), /nothing recorded has this id in session s1/);
  strict({ kind: "compaction", session: "s1", id: "c1", recipe: "r" }, 2, null);
  assert.ok("event" in strict(judgment, 3, null));
  assert.ok("event" in reader()(waiver, 4, null));
});

test("a digest is 32 hex digits or any other text", () => {
  const hex = digestOf("x").toString("hex");
  const shell = (text: string) =>
    (event({ kind: "request", session: "s", shellDigest: text }) as RequestFact).shellDigest;
  assert.equal(shell(hex), digestOf("x"));
  assert.equal(shell("x"), digestOf("x"));
});

test("equal lines without an id are told apart by their number, and named the same when read again", () => {
  const twice = () => {
    const one = reader();
    return [1, 2]
      .map((line) => one({ kind: "note", session: "s1", note: "n" }, line, null))
      .map((result) => "event" in result && result.event.eventId.toString("hex"));
  };
  const [first, second] = twice();
  assert.is.not(first, second);
  assert.equal(twice(), [first, second]);
});

const refused: [string, unknown, RegExp][] = [
  ["no object", 42, /not an object/],
  ["null", null, /not an object/],
  ["a list", [], /not an object/],
  ["an unknown kind", { kind: "nope", session: "s" }, /"nope" is not a kind/],
  ["no session", { kind: "request" }, /"session" is missing/],
  ["an empty session", { kind: "request", session: "" }, /"session": must not be empty/],
  ["an unknown field", { kind: "request", session: "s", tokens: 3 }, /"tokens": no such field/],
  ["negative tokens", { kind: "request", session: "s", readTokens: -1 }, /must not be negative/],
  [
    "a number beyond all counting",
    { kind: "request", session: "s", readTokens: 2 ** 53 - 1 },
    /must not be above 1000000000000/,
  ],
  [
    "NaN",
    { kind: "judgment", session: "s", compaction: "c", judge: "j", judgeKind: "llm", score: Number.NaN },
    /from 0 to 1/,
  ],
  [
    "a score above 1",
    { kind: "judgment", session: "s", compaction: "c", judge: "j", judgeKind: "llm", score: 1.01 },
    /from 0 to 1/,
  ],
  ["a vague time", { kind: "request", session: "s", at: "yesterday" }, /must be a time/],
  ["a turn without its prompt", { kind: "turn", session: "s" }, /id of its prompt/],
  ["a waiver without a reason", { kind: "waiver", session: "s", violation: "k", author: "a" }, /"reason" is missing/],
  ["another version", { kind: "note", session: "s", note: "n", v: 2 }, /reads version 1/],
];
for (const [name, value, reason] of refused) {
  test(`${name} is refused with the reason`, () => assert.match(String(refusal(value)), reason));
}

const everyKind: SessionEvent[] = [
  make.session({ title: "t", project: "/p" }),
  make.lane({ lane: "sub", agentType: "explorer" }),
  make.turn({ turn: "p1", endedAtMs: make.NOON + 5 }),
  make.request({
    shellDigest: digestOf("x"),
    digestAlgorithm: "sha256/16",
    declaredChanges: ["tools"],
    reasoningTokens: 2,
  }),
  make.toolCall({ callId: "c", isError: true }),
  make.cache({ op: "miss", served: false, tenant: "acme", entryTenant: "acme" }),
  make.divergence({ similarity: 0.5 }),
  make.compaction({ summaryDigest: digestOf("s"), items: [{ messageId: "m", fate: "kept", tokens: null }] }),
  make.judgment("c1", {
    facts: [
      {
        factKind: "path",
        digest: digestOf("f"),
        bytePosition: 3,
        text: null,
        originTurn: null,
        originToolCall: null,
        state: "lost",
        weight: 2,
        isConstraint: false,
      },
    ],
  }),
  make.contract({ outcome: "violation", code: "args_schema" }),
  make.waiver("k1", { expiresAtMs: make.NOON }),
  make.coverage({ why: "because" }),
];
for (const said of everyKind) {
  test(`a ${said.kind} written for the door reads back as it was`, () => {
    const form = JSON.parse(JSON.stringify(doorFormOf(said)));
    assert.equal(JSON.parse(JSON.stringify(event(form))), JSON.parse(JSON.stringify({ ...said, line: 7 })));
  });
}

test.run();
