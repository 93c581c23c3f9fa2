import { test } from "uvu";
import * as assert from "uvu/assert";
import type { JudgedFact, JudgmentFact } from "../../../src/events/event.js";
import { check } from "../../support/ask.js";
import { compaction, coverage, digest, judgment, request } from "../../support/events.js";
import { compactedThrice } from "../../support/stories.js";

const floor = (events: Parameters<typeof check>[1], options = {}) => check("retention_floor", events, options);
const judged = (given: Partial<JudgmentFact>, about: Parameters<typeof compaction>[0] = {}) => [
  compaction({ id: "c1", ...about }),
  judgment("c1", given),
];
const counted = (factsPassed: number, factsTotal: number) =>
  judged({ judgeKind: "fact", judge: "fact", score: factsPassed / factsTotal, factsPassed, factsTotal });
const fact = (given: Partial<JudgedFact>): JudgedFact => ({
  factKind: "user_constraint",
  digest: digest("never touch migrations"),
  bytePosition: null,
  text: null,
  originTurn: null,
  originToolCall: null,
  state: "lost",
  weight: 3,
  isConstraint: true,
  ...given,
});

test("the raw score decides: 0.70 passes, 0.69999 and 0.696 do not and are not shown as 0.70", async () => {
  assert.is((await floor(judged({ score: 0.7 }))).verdict, "pass");
  for (const score of [0.69999, 0.696]) {
    const result = await floor(judged({ score }));
    assert.equal([result.verdict, result.violations], ["violated", 1]);
    assert.match(result.evidence[0]!.message, String(score));
  }
});

test("counted facts decide by exact bounds", async () => {
  const verdicts = await Promise.all(
    (
      [
        [9, 9],
        [18, 20],
        [8, 8],
        [14, 20],
        [4, 15],
      ] as const
    ).map(async ([kept, all]) => (await floor(counted(kept, all))).verdict),
  );
  assert.equal(verdicts, ["pass", "pass", "unmeasured", "unmeasured", "violated"]);
});

test("a straddling judgment says how many facts would settle it", async () => {
  assert.match((await floor(counted(8, 8))).evidence[0]!.message, "9 facts would settle it");
  assert.match((await floor(counted(14, 20))).evidence[0]!.message, "no number of facts");
});

test("of three compactions two are judged, one of them below the floor", async () => {
  const result = await floor(compactedThrice());
  assert.equal([result.verdict, result.violations, result.unmeasured], ["violated", 1, 1]);
});

test("unjudged is unmeasured, never 1.0; accepting it must be asked for and is listed", async () => {
  assert.equal((await floor([compaction()])).verdict, "unmeasured");
  const accepted = await floor([compaction()], { allowUnjudged: true });
  assert.equal([accepted.verdict, accepted.evidence.map(({ outcome }) => outcome)], ["pass", ["noted"]]);
  assert.is((await floor(counted(8, 8), { allowUnjudged: true })).verdict, "unmeasured");
});

test("a degenerate checkpoint is refused whatever the score", async () => {
  const result = await floor(judged({ score: 1 }, { checkpointFault: "empty" }));
  assert.equal([result.verdict, result.violations], ["violated", 1]);
  assert.match(result.evidence[0]!.message, "empty");
});

test("a lost constraint is refused whatever the score, unless it is allowed", async () => {
  const events = judged({ score: 0.99, facts: [fact({}), fact({ state: "kept" }), fact({ isConstraint: false })] });
  const result = await floor(events);
  assert.equal([result.verdict, result.violations], ["violated", 1]);
  assert.match(result.evidence[0]!.message, "1 user constraint lost");
  assert.is((await floor(events, { allowLostConstraints: true })).verdict, "pass");
});

test("several judges are not mixed", async () => {
  const events = [
    compaction({ id: "c1" }),
    judgment("c1", { judge: "ann", score: 0.9 }),
    judgment("c1", { judge: "bob", score: 0.1 }),
  ];
  const undecided = await floor(events);
  assert.equal([undecided.verdict, undecided.tries.slice(0, 2)], ["unmeasured", ["--judge ann", "--judge bob"]]);
  assert.is((await floor(events, { judge: "ann" })).verdict, "pass");
  assert.is((await floor(events, { judge: "bob" })).verdict, "violated");
  assert.is((await floor(events, { judge: "nobody" })).verdict, "unmeasured");
});

test("failed, empty and micro-compactions need no judgment", async () => {
  const events = [
    compaction({ outcome: "failed" }),
    compaction({ outcome: "noop_below_budget" }),
    compaction({ form: "micro" }),
    request(),
  ];
  assert.is((await floor(events)).verdict, "not_applicable");
});

test("a source that cannot see compactions leaves it unmeasured", async () => {
  const events = [request(), coverage({ fact: "compactions", level: "absent", why: "only version 2 records them" })];
  const result = await floor(events);
  assert.equal([result.verdict, result.tries], ["unmeasured", ["only version 2 records them"]]);
});

test("the floor is the caller's", async () => {
  assert.is((await floor(judged({ score: 0.75 }), { floor: 0.8 })).verdict, "violated");
});

test.run();
