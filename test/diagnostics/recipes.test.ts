import { test } from "uvu";
import * as assert from "uvu/assert";
import { compression } from "../../src/diagnostics/compression.js";
import { recipeTable } from "../../src/diagnostics/recipes.js";
import { ask } from "../support/ask.js";
import { compaction, HOUR, idOf, judgment, NOON } from "../support/events.js";
import { compactedThrice } from "../support/stories.js";

const sized = (tokensBefore: number | null, tokensAfter: number | null, given = {}) =>
  compaction({ tokensBefore, tokensAfter, ...given });

test("the ratio of sums and the mean of ratios differ, and both are given", async () => {
  const [row] = await ask([sized(2367, 631), sized(180_000, 9_000), sized(50_000, 52_000)], {}, compression);
  assert.equal([row!.ratio.count, row!.ratio.of, row!.compactions], [61_631, 232_367, 3]);
  assert.equal([row!.ratio.value?.toFixed(3), row!.meanRatio.value?.toFixed(3)], ["0.265", "0.452"]);
  assert.equal([row!.inflated, row!.ineffective, row!.tokensSaved], [1, 1, 170_736]);
});

test("2,367 tokens cut to 631 keep 0.267", async () => {
  const [row] = await ask([sized(2367, 631)], {}, compression);
  assert.is(row!.ratio.value?.toFixed(3), "0.267");
});

test("two compactions that keep 0.25 in the mean keep 0.175 of the tokens", async () => {
  const [summary, window] = await ask(compactedThrice(), {}, compression);
  assert.equal([summary!.meanRatio.value, summary!.ratio.value], [0.25, 0.175]);
  assert.equal([window!.recipe, window!.ratio.value, window!.compactions], ["window", 0.75, 1]);
});

test("growth and a saving below 5 % are ineffective, a saving of 5 % is not", async () => {
  const [row] = await ask([sized(661, 1752), sized(734_649, 707_322), sized(100, 95)], {}, compression);
  assert.equal([row!.inflated, row!.ineffective], [1, 2]);
});

test("failed and empty compactions are counted apart, also when they name no way of counting", async () => {
  const events = [
    sized(1000, 250),
    sized(1000, null, { outcome: "failed", countMethod: null }),
    sized(1000, null, { outcome: "rejected_no_gain" }),
    sized(1000, 1000, { outcome: "noop_nothing_to_cut" }),
    sized(1000, 500, { outcome: "indeterminate" }),
  ];
  const rows = await ask(events, {}, compression);
  assert.is(rows.length, 1);
  const [row] = rows;
  assert.equal([row!.compactions, row!.failed, row!.noop, row!.indeterminate], [2, 2, 1, 1]);
  assert.equal(
    [row!.ratio.value, row!.ratio.state, row!.ratio.coverage],
    [0.25, "partial", { observed: 1, expected: 2 }],
  );
});

test("counts of the provider and estimates are not mixed", async () => {
  const rows = await ask([sized(1000, 100), sized(1000, 900, { countMethod: "estimate" })], {}, compression);
  assert.equal(
    rows.map((row) => [row.countMethod, row.ratio.value]),
    [
      ["estimate", 0.9],
      ["provider", 0.1],
    ],
  );
});

test("nothing to divide by is no value", async () => {
  const [empty] = await ask([sized(0, 0)], {}, compression);
  const [unknown] = await ask([sized(null, null)], {}, compression);
  assert.equal([empty!.ratio.value, unknown!.ratio.value, unknown!.ratio.state], [null, null, "not_reported"]);
});

test("clearings of single tool results are a table of their own", async () => {
  const events = [sized(1000, 100), sized(1000, 900, { form: "micro", recipe: "clear" })];
  const full = await ask(events, {}, compression);
  const micro = await ask(events, {}, (db, selection) => compression(db, selection, "micro"));
  assert.equal([full.map((row) => row.recipe), micro.map((row) => row.recipe)], [["summary"], ["clear"]]);
});

const table = (events: Parameters<typeof ask>[0], options: { floor?: number; judge?: string } = {}, scope = {}) =>
  ask(events, scope, (db, selection) => recipeTable(db, selection, { floor: 0.7, ...options }));

test("a mean that meets the floor does not hide the compaction that fails it", async () => {
  const events = [
    compaction({ id: "c1" }),
    compaction({ id: "c2" }),
    compaction({ id: "c3" }),
    judgment("c1", { score: 0.8 }),
    judgment("c2", { score: 0.6 }),
  ];
  const [row] = await table(events);
  assert.equal([row!.retention.value?.toFixed(2), row!.worst, row!.below], ["0.70", 0.6, 1]);
  assert.equal([row!.retention.count, row!.retention.of, row!.retention.state], [2, 3, "partial"]);
});

test("the judged recipe has its mean and its worst, the unjudged one has no value", async () => {
  const [summary, window] = await table(compactedThrice());
  assert.equal([summary!.retention.value?.toFixed(2), summary!.worst, summary!.retention.count], ["0.80", 0.69999, 2]);
  assert.equal([summary!.retention.of, summary!.below], [2, 1]);
  assert.equal([window!.retention.value, window!.retention.count, window!.retention.of], [null, 0, 1]);
  assert.equal([window!.worst, window!.below], [null, 0]);
});

test("a judgment that another one replaces, or that the same judge said earlier, does not count", async () => {
  const replaced = [
    compaction({ id: "c1" }),
    judgment("c1", { id: "j1", score: 0.4, judge: "x" }),
    judgment("c1", { score: 0.8, judge: "x", judgeVersion: "2", supersedes: idOf("judgment", "j1") }),
  ];
  const later = [
    compaction({ id: "c1" }),
    judgment("c1", { score: 0.4, atMs: NOON }),
    judgment("c1", { score: 0.9, atMs: NOON + HOUR }),
  ];
  assert.is((await table(replaced))[0]!.retention.value, 0.8);
  assert.is((await table(later))[0]!.retention.value, 0.9);
});

test("judges are never mixed: the named one, else the only one, else `fact`, else none", async () => {
  const judged = (...judges: [judge: string, score: number][]) => [
    compaction({ id: "c1" }),
    ...judges.map(([judge, score]) => judgment("c1", { judge, score })),
  ];
  const two = judged(["ann", 0.9], ["bob", 0.5]);
  const [undecided] = await table(two);
  assert.equal([undecided!.retention.value, undecided!.retention.state], [null, "insufficient"]);
  assert.match(undecided!.retention.reason!, "ann and bob");
  assert.is((await table(two, { judge: "bob" }))[0]!.retention.value, 0.5);
  assert.is((await table(judged(["ann", 0.9], ["fact", 0.6])))[0]!.retention.value, 0.6);
  assert.is((await table(two))[0]!.judges.length, 2);
});

test("a judge's versions are columns of their own and can be named", async () => {
  const events = [
    compaction({ id: "c1" }),
    judgment("c1", { judgeVersion: "1", score: 0.5, atMs: NOON }),
    judgment("c1", { judgeVersion: "2", score: 0.9, atMs: NOON + 1 }),
  ];
  assert.is((await table(events))[0]!.retention.value, 0.9);
  assert.is((await table(events, { judge: "judge-a@1" }))[0]!.retention.value, 0.5);
});

test("a judge that counts facts gets exact bounds over all of them", async () => {
  const events = [
    compaction({ id: "c1" }),
    compaction({ id: "c2" }),
    judgment("c1", { judgeKind: "fact", judge: "fact", score: 1, factsTotal: 5, factsPassed: 5 }),
    judgment("c2", { judgeKind: "fact", judge: "fact", score: 1, factsTotal: 4, factsPassed: 4 }),
  ];
  const [row] = await table(events);
  assert.equal(
    row!.retention.ci?.map((end) => end.toFixed(2)),
    ["0.72", "1.00"],
  );
});

test("compactions without token counts keep their judgment in the recipe's row", async () => {
  const events = [
    compaction({ id: "c1" }),
    compaction({ id: "c2", tokensBefore: null, tokensAfter: null, countMethod: null }),
    judgment("c2", { score: 0.5 }),
  ];
  const rows = await table(events);
  assert.equal([rows.length, rows[0]!.retention.value, rows[0]!.retention.of], [1, 0.5, 2]);
});

test("the recipe table obeys session and tenant", async () => {
  const events = [
    compaction({ session: "a", tenant: "acme", recipe: "one" }),
    compaction({ session: "b", tenant: "globex", recipe: "two" }),
  ];
  const names = async (scope: object) => (await table(events, {}, scope)).map((row) => row.recipe);
  assert.equal(await names({ session: "a" }), ["one"]);
  assert.equal(await names({ tenant: "globex" }), ["two"]);
  assert.equal(await names({ tenant: "zzz" }), []);
});

test.run();
