import { test } from "uvu";
import * as assert from "uvu/assert";
import { cacheHitRate } from "../../src/diagnostics/cache-hit-rate.js";
import { select } from "../../src/store/scope.js";
import { ask } from "../support/ask.js";
import { cache, coverage, HOUR, MINUTE, NOON, request, turn } from "../support/events.js";
import { append, storeOf } from "../support/store.js";
import { servedTurns, transcriptCoverage } from "../support/stories.js";

const asked = (id: string, minutes: number) => [
  turn({ turn: id, atMs: NOON + minutes * MINUTE }),
  request({ turn: id, atMs: NOON + minutes * MINUTE + 1 }),
];
const hit = (id: string, given = {}) => cache({ turn: id, atMs: NOON, ...given });

test("four turns with requests, three with hits of which one sent nothing: 3 of 5, and 3/4 by the older formula", async () => {
  const events = [
    ...asked("t1", 0),
    ...asked("t2", 1),
    request({ turn: "t2", atMs: NOON + MINUTE + 2 }),
    ...asked("t3", 2),
    ...asked("t4", 3),
    turn({ turn: "t5", atMs: NOON + 4 * MINUTE }),
    ...["t2", "t3", "t5"].map((id) => hit(id)),
  ];
  const all = await ask(events, { session: "s1" }, cacheHitRate);
  assert.equal([all.value, all.count, all.of, all.localOnly, all.withRequest], [0.6, 3, 5, 1, 2]);
  assert.equal(all.originalFormula, { hits: 3, requests: 4, ratio: 0.75 });
  const late = await ask(events, { session: "s1", sinceMs: NOON + 2 * MINUTE }, cacheHitRate);
  assert.equal([late.count, late.of], [2, 3]);
});

test("a window of time filters the turns by their start", async () => {
  const all = await ask(servedTurns(), {}, cacheHitRate);
  const window = await ask(servedTurns(), { sinceMs: NOON - HOUR }, cacheHitRate);
  assert.equal([all.count, all.of, all.originalFormula.ratio], [2, 5, 2 / 4]);
  assert.equal([window.count, window.of, window.originalFormula.ratio, window.localOnly], [2, 4, 2 / 3, 1]);
});

test("three served turns of four are 75 %, not the 0 of integer division", async () => {
  const events = [...asked("a", 0), ...asked("b", 1), ...asked("c", 2), ...asked("d", 3), hit("a"), hit("b"), hit("c")];
  assert.is((await ask(events, {}, cacheHitRate)).value, 0.75);
});

test("many hits in one turn count once, and a hit that was not served counts never", async () => {
  const events = [...asked("a", 0), hit("a"), hit("a"), ...asked("b", 1), hit("b", { served: false })];
  const rate = await ask(events, {}, cacheHitRate);
  assert.equal([rate.count, rate.of], [1, 2]);
});

test("equal prompts in two lanes are two turns", async () => {
  const events = [...asked("a", 0), request({ turn: "a", lane: "sub" }), hit("a")];
  const rate = await ask(events, {}, cacheHitRate);
  assert.equal([rate.count, rate.of], [1, 2]);
});

test("hits alone give a rate of 1 and no ratio by the older formula", async () => {
  const rate = await ask([turn({ turn: "a" }), hit("a")], {}, cacheHitRate);
  assert.equal([rate.value, rate.originalFormula], [1, { hits: 1, requests: 0, ratio: null }]);
});

test("an empty store gives no value, not zero", async () => {
  const rate = await ask([], {}, cacheHitRate);
  assert.equal([rate.value, rate.count, rate.of, rate.state], [null, 0, 0, "no_data"]);
});

test("turns without hits are a measured zero", async () => {
  const rate = await ask(asked("a", 0), {}, cacheHitRate);
  assert.equal([rate.value, rate.state], [0, "ok"]);
});

test("a source that cannot tell local hits is not reported, with its reason", async () => {
  const rate = await ask([...transcriptCoverage("s1"), ...asked("a", 0)], {}, cacheHitRate);
  assert.equal([rate.value, rate.state, rate.reason], [null, "not_reported", "transcripts hold no local cache"]);
});

test("beside a source that can tell, the other's turns are left out and counted", async () => {
  const events = [
    ...transcriptCoverage("s1"),
    ...asked("a", 0),
    ...asked("b", 1).map((event) => ({ ...event, session: "s2" })),
    hit("b", { session: "s2" }),
  ];
  const rate = await ask(events, {}, cacheHitRate);
  assert.equal([rate.value, rate.state, rate.coverage], [1, "partial", { observed: 1, expected: 2 }]);
});

test("a hit that somebody else recorded shows that hits of the session can be told", async () => {
  const store = storeOf(...transcriptCoverage("s1"), ...asked("a", 0), ...asked("b", 1));
  try {
    append(store, [hit("a")], "/door.jsonl");
    const rate = await cacheHitRate(store.db, await select(store.db, {}));
    assert.equal([rate.value, rate.state, rate.coverage], [0.5, "ok", { observed: 2, expected: 2 }]);
  } finally {
    store.cleanup();
  }
});

test("another source that saw requests and does not say that it cannot tell hits can tell them", async () => {
  const store = storeOf(...transcriptCoverage("s1"), ...asked("a", 0));
  try {
    append(store, [coverage({ fact: "usage", level: "full" })], "/door.jsonl");
    const silent = await cacheHitRate(store.db, await select(store.db, {}));
    assert.is(silent.state, "not_reported", "a judge or a checker saw no requests");
    append(store, [request({ turn: "a", atMs: NOON + 2 })], "/door.jsonl");
    const rate = await cacheHitRate(store.db, await select(store.db, {}));
    assert.equal([rate.value, rate.state], [0, "ok"]);
  } finally {
    store.cleanup();
  }
});

test.run();
