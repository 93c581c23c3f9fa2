import { test } from "uvu";
import * as assert from "uvu/assert";
import type { StatsOptions } from "../../src/diagnostics/stats.js";
import type { SessionEvent } from "../../src/events/event.js";
import type { Page } from "../../src/report/page.js";
import { statsCsv } from "../../src/report/stats-csv.js";
import { statsJson } from "../../src/report/stats-json.js";
import { statsText } from "../../src/report/stats-text.js";
import type { Scope } from "../../src/store/scope.js";
import { statsWithSpend } from "../support/ask.js";
import { cache, compaction, DAY, judgment, NOON, request, turn } from "../support/events.js";
import { compactedThrice, richSession, sixRequests, transcriptCoverage } from "../support/stories.js";

const PAGE: Page = { width: 120, colour: false, timezone: "UTC" };
const plain = { agent: "one", tenant: "acme", lane: "main", model: "m1", atMs: NOON };

async function text(
  events: SessionEvent[],
  { scope = {}, page = {}, ...options }: { scope?: Scope; page?: Partial<Page> } & Partial<StatsOptions> = {},
): Promise<string> {
  const { stats, spend } = await statsWithSpend(events, scope, options);
  return statsText(stats, "/home/me/store.db", spend, options.floor ?? 0.7, { ...PAGE, ...page });
}

async function json(...given: Parameters<typeof statsWithSpend>): Promise<any> {
  const { stats, spend } = await statsWithSpend(...given);
  return statsJson(stats, "/x.db", spend);
}

test("coverage stands before every figure, and every ratio beside its count and total", async () => {
  const page = await text(sixRequests());
  assert.ok(page.indexOf("coverage") < page.indexOf("totals") && page.indexOf("totals") < page.indexOf("metrics"));
  assert.match(page, "store  /home/me/store.db");
  assert.match(page, /provider read ratio \(tokens\) +0\.466 +69,000 of 148,012 tokens; rests on 6 of 6/);
  assert.match(
    page,
    /prefix churn \(transitions\) +0\.200 +1 of 5 transitions; rests on 5 of 5; 1 undeclared, 1 reordered/,
  );
});

test("a window that holds nothing says where the newest record is", async () => {
  const page = await text([request({ atMs: NOON })], { scope: { sinceMs: NOON + DAY } });
  assert.match(page, "nothing recorded in this scope; the newest record is from 2026-08-01 12:00:00");
  const told = await json([request({ atMs: NOON })], { sinceMs: NOON + DAY });
  assert.is(told.coverage.newestAt, "2026-08-01T12:00:00.000Z");
  assert.is((await json([request({ atMs: NOON })])).coverage.newestAt, null);
});

test("what was not recorded is – with the reason, never 0", async () => {
  const page = await text([...transcriptCoverage("s1"), turn({ turn: "t" }), request({ turn: "t" })]);
  assert.match(page, /cache hit rate \(local, turns\) +– +not reported: transcripts hold no local cache/);
  assert.match(page, /local cache +not in 1 of 1 session: transcripts hold no local cache/);
});

test("0.69999 is not printed as the floor it fails, and an unjudged recipe has no number", async () => {
  const page = await text([compaction({ id: "c1" }), judgment("c1", { score: 0.69999 })]);
  assert.match(page, "0.69999 (1 of 1 judged by judge-a 1; worst 0.69999, 1 below 0.7)");
  assert.match(await text(compactedThrice(), { page: { width: 200 } }), /window 1 +1 +0\.750 .* – \(0 of 1 judged\)/);
});

test("two judges and none named: no number, and what to do", async () => {
  const events = [compaction({ id: "c1" }), judgment("c1", { judge: "ann" }), judgment("c1", { judge: "bob" })];
  assert.match(await text(events), "judged by ann and bob: name one with --judge");
});

test("totals that rest on unfinished output say at least", async () => {
  const page = await text([request({ outputQuality: "provisional", outputTokens: 7 })]);
  assert.match(page, /output tokens +at least 7/);
  assert.match(page, /uncached input tokens +10\n/);
});

test("the scope and what it leaves out are on the page", async () => {
  const page = await text(
    [request({ tenant: "acme" }), request({ tenant: null }), request({ tenant: "x", atMs: null })],
    {
      scope: { tenant: "acme", sinceMs: NOON - DAY },
      page: { timezone: "Asia/Tokyo" },
    },
  );
  assert.match(page, "scope  tenant acme, since 2026-07-31 21:00:00");
  assert.match(page, "rows left out: 0 of other tenants, 1 without a tenant, 0 without a time");
});

test("an empty scope says so", async () => {
  assert.match(await text(sixRequests(), { scope: { session: "nobody" } }), "nothing recorded in this scope");
});

test("a leak is named", async () => {
  assert.match(
    await text([cache({ tenant: "a", entryTenant: "b", line: 3 })]),
    /"a" was served an entry of "b" {2}\/s1\.jsonl:3/,
  );
});

const wide = (page: string) => Math.max(...page.split("\n").map((line) => line.length));
const busy = [
  ...richSession("s1", plain),
  ...richSession("s2", { ...plain, model: "a-model-with-quite-a-long-name", atMs: NOON + DAY }),
];

test("pages of 60, 80 and 200 columns stay inside their width", async () => {
  for (const width of [60, 80, 200]) {
    for (const by of ["model", "day", "agent", "lane"] as const) {
      const page = (await text(busy, { by, page: { width } })).replace(/\ntenant leaks\n[\s\S]*?\n\n/, "\n\n");
      assert.ok(wide(page) <= width, `${width}: ${wide(page)}`);
      assert.not.match(page, / \n/);
    }
  }
});

test("groups are a table on a wide page and lists on a narrow one", async () => {
  assert.match(await text(busy, { by: "model", page: { width: 200 } }), /m1 +1 +2 +0\.500 \(200 of 400\)/);
  assert.match(await text(busy, { by: "model", page: { width: 60 } }), / {2}m1\n {4}turns +1\n {4}requests +2\n/);
});

test("colour is there when asked for and nowhere else", async () => {
  assert.not.match(await text(busy, { by: "day" }), "\u001b");
  assert.match(await text(busy, { by: "day", page: { colour: true } }), "\u001b[1mcoverage");
});

test("hostile names reach no page: no control byte, and columns stay aligned", async () => {
  const hostile = [
    "\u001b[2J",
    "a\rb",
    "\u0007bell",
    "\u202egnp.exe",
    "tab\there",
    "line\nbreak",
    "\u009b31m",
    "\u200bzero",
    "\u0000",
  ];
  const events = hostile.flatMap((name, at) => [
    request({ model: `${name}${at}`, session: name, atMs: NOON + at }),
    compaction({ recipe: `${name}${at}`, recipeVersion: name, session: name }),
    cache({ session: name, tenant: `r${name}`, entryTenant: name }),
  ]);
  for (const width of [60, 200]) {
    const page = await text(events, { by: "model", page: { width }, scope: {} });
    assert.not.match(page, /[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u200b\u202e]/);
  }
});

test("the JSON holds the values of the text, schema first, and times as ISO text", async () => {
  const told = await json(busy, { sinceMs: NOON, session: "s1" }, { by: "day" });
  assert.equal(Object.keys(told).slice(0, 3), ["schemaVersion", "store", "scope"]);
  assert.equal(told.scope, {
    session: "s1",
    tenant: null,
    since: "2026-08-01T12:00:00.000Z",
    until: null,
    agent: null,
    lane: null,
    model: null,
  });
  assert.is(told.coverage.firstAt, "2026-08-01T12:00:00.000Z");
  assert.equal(
    told.groups.rows.map(({ key }: { key: string }) => key),
    ["2026-08-01"],
  );
  assert.is(told.metrics["cache.leaks"].leaks[0].at, "2026-08-01T12:00:04.000Z");
  assert.equal(JSON.parse(JSON.stringify(told)), told);
});

test("every value in the JSON is an envelope", async () => {
  const told = await json(busy);
  const keys = "value unit state count of nUnit coverage ci bounds kind method evidence reason".split(" ");
  const values = [
    told.avoidable,
    ...Object.values(told.metrics),
    told.recipes[0].ratio,
    told.recipes[0].retention,
  ] as object[];
  for (const value of values) assert.equal(Object.keys(value).slice(0, keys.length), keys);
});

test("the CSV has a line per figure and group, quotes what must be, and runs no formula", async () => {
  const events = [request({ model: '=cmd|"x"' }), compaction({ recipe: "+a,b" })];
  const { stats, spend } = await statsWithSpend(events, {}, { by: "model" });
  const lines = statsCsv(stats, spend).split("\r\n");
  assert.is(lines[0], "group,figure,recipe,version,value,unit,state,count,of,nUnit,observed,expected,reason");
  assert.ok(lines.includes(",cache.read_ratio,,,0.9,ratio,ok,900,1000,tokens,1,1,"));
  assert.ok(lines.some((line) => line.startsWith('"\'=cmd|""x""",cache.read_ratio,')));
  assert.ok(lines.some((line) => line.startsWith(',compaction.ratio,"\'+a,b",1,0.25,')));
  assert.is(lines.at(-1), "");
});

test.run();
