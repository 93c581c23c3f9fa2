import { test } from "uvu";
import * as assert from "uvu/assert";
import { prefixChurn } from "../../src/diagnostics/prefix-churn.js";
import { ask } from "../support/ask.js";
import { digest, MINUTE, NOON, request } from "../support/events.js";
import { alternatingLanes, sixRequests, transcriptCoverage } from "../support/stories.js";

const shells = (...names: (string | null)[]) =>
  names.map((name, at) =>
    request({ atMs: NOON + at * MINUTE, shellDigest: name === null ? null : digest(name), model: "model-a" }),
  );

test("six requests whose shell is reordered once: 1 of 5, undeclared", async () => {
  const churn = await ask(sixRequests(), { session: "s1" }, prefixChurn);
  assert.equal([churn.value, churn.count, churn.of, churn.undeclared, churn.reorderedOnly], [0.2, 1, 5, 1, 1]);
});

test("lanes that alternate are compared each with itself, and unknown shells are counted apart", async () => {
  const churn = await ask(alternatingLanes(), {}, prefixChurn);
  assert.equal([churn.count, churn.of, churn.unknown, churn.undeclared], [1, 3, 1, 1]);
  assert.equal([churn.state, churn.coverage], ["partial", { observed: 3, expected: 4 }]);
});

test("a transition belongs to the window of its later request; the earlier one may lie outside", async () => {
  const churn = await ask(shells("X", "Y", "Z"), { sinceMs: NOON + 2 * MINUTE }, prefixChurn);
  assert.equal([churn.count, churn.of], [1, 1]);
  const early = await ask(shells("X", "Y", "Z"), { untilMs: NOON + 2 * MINUTE, session: "s1" }, prefixChurn);
  assert.equal([early.count, early.of], [1, 1]);
});

test("a change of the model, and one with a recorded reason, is declared", async () => {
  const events = [
    request({ atMs: NOON, shellDigest: digest("X") }),
    request({ atMs: NOON + 1, shellDigest: digest("Y"), model: "model-b" }),
    request({ atMs: NOON + 2, shellDigest: digest("Z"), model: "model-b", declaredChanges: ["tools"] }),
  ];
  const churn = await ask(events, {}, prefixChurn);
  assert.equal([churn.changes, churn.undeclared], [2, 0]);
});

test("digests of different algorithms are not compared", async () => {
  const events = [
    request({ atMs: NOON, shellDigest: digest("X"), digestAlgorithm: "sha256/16" }),
    request({ atMs: NOON + 1, shellDigest: digest("Y"), digestAlgorithm: "other" }),
  ];
  const churn = await ask(events, {}, prefixChurn);
  assert.equal([churn.value, churn.unknown], [null, 1]);
});

test("one request makes no transition; sources without shells are not reported", async () => {
  assert.is((await ask(shells("X"), {}, prefixChurn)).state, "no_data");
  const blind = await ask([...transcriptCoverage("s1"), ...shells(null, null)], {}, prefixChurn);
  assert.equal([blind.state, blind.reason], ["not_reported", "transcripts hold no shell"]);
});

test("a conversation that is only appended to changes no prefix", async () => {
  const churn = await ask(shells("X", "X", "X", "X"), {}, prefixChurn);
  assert.equal([churn.value, churn.state], [0, "ok"]);
});

test("a fork's first own request is compared with the last one it inherited, and adds one transition", async () => {
  const parent = shells("X", "X");
  const copies = parent.map((event) => ({ ...event, session: "s2" }));
  const own = request({ session: "s2", atMs: NOON + 5 * MINUTE, shellDigest: digest("Y") });
  const fork = await ask([...parent, ...copies, own], { session: "s2" }, prefixChurn);
  const whole = await ask([...parent, ...copies, own], {}, prefixChurn);
  assert.equal([fork.count, fork.of], [1, 1]);
  assert.equal([whole.count, whole.of], [1, 2]);
});

test.run();
