import { test } from "uvu";
import * as assert from "uvu/assert";
import type { Grouping } from "../../src/diagnostics/groups.js";
import { inSnapshot } from "../../src/diagnostics/snapshot.js";
import { contextStats, isMeasured } from "../../src/diagnostics/stats.js";
import { totals } from "../../src/diagnostics/totals.js";
import type { SessionEvent } from "../../src/events/event.js";
import { statsText } from "../../src/report/stats-text.js";
import { openStore } from "../../src/store/open.js";
import { select } from "../../src/store/scope.js";
import { PLAIN_STATS, stats, statsWithSpend } from "../support/ask.js";
import { cache, compaction, DAY, lane, NOON, request, toolCall, turn } from "../support/events.js";
import { append, storeOf } from "../support/store.js";
import { richSession, servedTurns, transcriptCoverage } from "../support/stories.js";

const plain = { agent: "one", tenant: "acme", lane: "main", model: "m1", atMs: NOON };
const groups = async (events: SessionEvent[], by: Grouping, scope = {}) => (await stats(events, scope, { by })).groups!;

test("nothing recorded is not measured and has no value anywhere", async () => {
  const empty = await stats([]);
  assert.not(isMeasured(empty));
  assert.ok(Object.values(empty.metrics).every(({ value, of }) => value === null && of === 0));
  assert.equal([empty.recipes, empty.groups], [[], null]);
});

test("every group holds the figures of its part, and the parts are the whole", async () => {
  const events = [
    ...richSession("s1", plain),
    ...richSession("s2", { ...plain, agent: "two" }),
    ...richSession("s1", { ...plain, model: "m2", atMs: NOON + DAY }),
    lane({ session: "s1", agent: "one", lane: "sub" }),
    ...richSession("s1", { ...plain, lane: "sub", atMs: NOON + 2 * DAY }),
  ];
  const whole = await stats(events);
  const keys = {
    agent: ["one", "two"],
    model: ["m1", "m2"],
    lane: ["parent", "subagent"],
    day: ["2026-08-01", "2026-08-02", "2026-08-03"],
  };
  for (const by of ["agent", "model", "lane", "day"] as const) {
    const { rows, remainder } = await groups(events, by);
    assert.equal(
      rows.map(({ key }) => key),
      keys[by],
    );
    for (const name of ["requests", "toolCalls", "compactions"] as const)
      assert.equal(rows.reduce((sum, row) => sum + row.totals[name], 0) + remainder[name], whole.totals[name]);
    const part = await stats(events, by === "day" ? { untilMs: NOON + DAY / 2 } : { [by]: keys[by][0]! });
    assert.equal(rows[0]!.metrics, part.metrics);
    assert.equal(rows[0]!.recipes, part.recipes);
  }
});

test("what belongs to no group is counted, and what belongs to several, for every sum", async () => {
  const events = [
    turn({ turn: "t" }),
    request({ turn: "t", outputTokens: 3 }),
    request({ turn: "t", model: "model-b", outputTokens: 5 }),
    request({ model: null, outputTokens: 7 }),
    request({ atMs: null, outputTokens: 11 }),
    toolCall({ session: "s2" }),
    compaction({ session: "s2" }),
  ];
  const left = async (by: Grouping) => (await groups(events, by)).remainder;
  assert.equal(await left("model"), { turns: -1, requests: 1, toolCalls: 1, compactions: 1, outputTokens: 7 });
  assert.equal(await left("day"), { turns: 0, requests: 1, toolCalls: 0, compactions: 0, outputTokens: 11 });
  const { stats: report, spend } = await statsWithSpend(events, {}, { by: "model" });
  const text = statsText(report, "/s.db", spend, 0.7, { width: 120, colour: false, timezone: "UTC" });
  assert.match(text, "in no group: 1 request, 1 compaction, 7 output tokens\n");
  assert.match(text, "in several groups, so that the column holds more: 1 turn");
});

test("days are cut by the window", async () => {
  const events = [request({ atMs: NOON }), request({ atMs: NOON + DAY }), request({ atMs: NOON + 2 * DAY })];
  const { rows } = await groups(events, "day", { sinceMs: NOON + 1, untilMs: NOON + 2 * DAY });
  assert.equal(
    rows.map(({ key, totals }) => [key, totals.requests]),
    [["2026-08-02", 1]],
  );
});

test("recipes are a table of every report and no groups", async () => {
  const report = await stats(richSession("s1", plain), {}, { by: "recipe" });
  assert.equal([report.groups, report.recipes.length], [null, 1]);
});

test("a report rests on one state of the store while a writer goes on", async () => {
  const store = storeOf(request(), request());
  const reader = openStore(store.path, { mode: "read", nowMs: NOON });
  try {
    const counts = await inSnapshot(reader.db, async (db) => {
      const before = await totals(db, await select(db, {}));
      append(store, [request(), request()], "/more.jsonl");
      return [before.requests, (await totals(db, await select(db, {}))).requests];
    });
    assert.equal(counts, [2, 2]);
    assert.is((await contextStats(reader.db, {}, PLAIN_STATS)).totals.requests, 4);
  } finally {
    reader.close();
    store.cleanup();
  }
});

test("parts that sent no request are parts too", async () => {
  const events = [
    turn({ turn: "t" }),
    request({ turn: "t" }),
    cache({ lane: "sub", session: "s2", agent: "bb" }),
    toolCall({ session: "s3", agent: "cc", atMs: NOON + 3 * DAY }),
  ];
  const keys = async (by: "lane" | "agent" | "day") =>
    (await stats(events, {}, { by })).groups!.rows.map(({ key }) => key);
  assert.equal(await keys("lane"), ["parent", "subagent"]);
  assert.equal(await keys("agent"), ["bb", "cc", "test-agent"]);
  assert.equal((await keys("day")).length, 2);
});

test("the same question twice has the same answer", async () => {
  const store = storeOf(...servedTurns(), ...richSession("s2", plain));
  try {
    assert.equal(await contextStats(store.db, {}, PLAIN_STATS), await contextStats(store.db, {}, PLAIN_STATS));
  } finally {
    store.cleanup();
  }
});

test("transcripts of another agent: what they cannot tell is not reported, what they can is measured", async () => {
  const { metrics } = await stats([
    ...transcriptCoverage("s1"),
    turn({ turn: "t" }),
    request({ turn: "t" }),
    request(),
  ]);
  assert.equal(
    Object.entries(metrics).map(([name, { state }]) => [name, state]),
    [
      ["cache.hit_rate", "not_reported"],
      ["cache.read_ratio", "ok"],
      ["prefix.churn", "not_reported"],
      ["semantic.precision", "not_reported"],
      ["semantic.error_rate", "not_reported"],
      ["cache.misses", "ok"],
      ["cache.write_amplification", "ok"],
      ["cache.leaks", "not_reported"],
    ],
  );
});

test.run();
