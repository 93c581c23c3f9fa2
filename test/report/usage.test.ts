import { test } from "uvu";
import * as assert from "uvu/assert";
import type { SessionEvent } from "../../src/events/event.js";
import type { UsageOptions } from "../../src/ledger/usage.js";
import { heatmap } from "../../src/report/heatmap.js";
import { dollars, usd } from "../../src/report/money.js";
import { usageCsv } from "../../src/report/usage-csv.js";
import { usageJson } from "../../src/report/usage-json.js";
import { usageText } from "../../src/report/usage-text.js";
import type { Scope } from "../../src/store/scope.js";
import { DAY, NOON, request, session, toolCall } from "../support/events.js";
import { used } from "../support/usage.js";

const PAGE = { width: 120, colour: false, timezone: "UTC" };
const text = async (events: SessionEvent[], options: Partial<UsageOptions> = {}, width = 120) =>
  usageText(await used(events, options), "/s.db", { ...PAGE, width });
const json = async (events: SessionEvent[], options: Partial<UsageOptions> = {}) =>
  usageJson(await used(events, options), "/s.db") as any;
const ONE = { uncachedTokens: 1, readTokens: 0, write5mTokens: 0, outputTokens: 0 };

test("money is rounded half to even, and small amounts keep their digits", () => {
  const picos = (amount: number) => BigInt(Math.round(amount * 1e6)) * 1_000_000n;
  assert.equal(
    [0, 1234567.891, 1.005, 1.015, 0.52831, 0.00137, 0.000001, -2.5].map((amount) => dollars(picos(amount))),
    ["$0.00", "$1,234,567.89", "$1.00", "$1.02", "$0.5283", "$0.001370", "$0.000001", "-$2.50"],
  );
  assert.equal([usd(528_310_000_000n), usd(1_500_000n), usd(2_500_000n), usd(-500_000n)], [0.52831, 2e-6, 2e-6, 0]);
});

test("a floor is marked and says what is missing, by name", async () => {
  const shown = await text([
    request(ONE),
    request({ ...ONE, model: "mystery-9" }),
    request({ ...ONE, model: "free-model" }),
  ]);
  assert.match(shown, /cost +≥ \$1\.00 +1 of 3 requests priced; 1 free; 1 unpriced \(mystery-9 × 1\)/);
  assert.match(shown, /requests with a price +2 of 3/);
});

test("a whole cost has no mark", async () => {
  const shown = await text([request(ONE)]);
  assert.match(shown, /cost +\$1\.00 +1 of 1 request priced/);
  assert.not.match(shown, "≥");
});

test("without any price there is no amount: – on the page, null for machines", async () => {
  const events = [request({ ...ONE, model: "mystery-9" })];
  assert.match(await text(events), /cost +– +0 of 1 request priced; 1 unpriced/);
  const { total, groups } = await json(events, { by: "model" });
  assert.equal(
    [total.cost.state, total.cost.usd, total.cost.atLeastUsd, groups[0].cost.usd],
    ["unknown", null, null, null],
  );
});

test("a window that holds nothing says where the newest record is", async () => {
  const events = [request({ atMs: NOON }), request({ session: "s2", atMs: NOON + DAY })];
  const empty = async (scope: Scope) => usageText(await used(events, {}, scope), "/s.db", PAGE);
  assert.match(
    await empty({ sinceMs: NOON + 2 * DAY }),
    "nothing recorded in this scope; the newest record is from 2026-08-02 12:00:00",
  );
  assert.match(await empty({ sinceMs: NOON + 2 * DAY, session: "s1" }), "newest record is from 2026-08-01");
  assert.match(await empty({ session: "nobody" }), /nothing recorded in this scope$/);
});

test("a bucket that no request tells is –, and null for machines; a measured zero is 0", async () => {
  const untold = { ...ONE, write5mTokens: null, write1hTokens: null, writeUnsplitTokens: null };
  const shown = await text([request(untold)], { tab: "cost" });
  assert.match(shown, /cache write tokens +–\n/);
  assert.match(shown, /2026-08-01 +1 +1 +0 +– +0/);
  const told = await json([request(untold)]);
  assert.equal([told.total.tokens.write5m, told.total.tokens.read, told.groups[0].tokens.write1h], [null, 0, null]);
  const [, line] = usageCsv(await used([request(untold)])).split("\r\n");
  assert.match(line!, /^2026-08-01,1,1,0,,,,0,/);
  const measured = await text([request({ ...ONE, write1hTokens: 0, writeUnsplitTokens: null })]);
  assert.match(measured, /cache write tokens +0 +\$0\.00; 0 for 5 min, 0 for 1 h\n/);
  const half = await json([request(untold), request({ ...ONE, write5mTokens: 7 })]);
  assert.is(half.total.tokens.write5m, 7);
});

test("machines are told the floor apart from the exact cost", async () => {
  const { total } = await json([request(ONE), request({ ...ONE, model: "mystery-9" })]);
  assert.equal([total.cost.state, total.cost.usd, total.cost.atLeastUsd], ["at_least", null, 1]);
  assert.equal(total.cost.unpricedModels, [{ provider: "anthropic", model: "mystery-9", requests: 1 }]);
  const whole = (await json([request(ONE)])).total;
  assert.equal([whole.cost.state, whole.cost.usd, whole.cost.atLeastUsd], ["exact", 1, 1]);
});

test("both sums of the saving are named, and it can be negative", async () => {
  const { total } = await json([request({ ...ONE, write5mTokens: 100 }), request({ ...ONE, readTokens: 10 })]);
  assert.equal(
    [total.baselineUsd, total.saving.savedByReadsUsd, total.saving.paidForWritesUsd, total.saving.usd],
    [112, 9, 25, -16],
  );
  assert.match(
    await text([request({ ...ONE, write5mTokens: 100 })]),
    /saved by the cache +-\$25\.00.*reads saved \$0\.00, writes cost \$25\.00 more/,
  );
});

test("where no provider tells of caching nothing is said to be saved", async () => {
  const events = [request({ ...ONE, readTokens: null, write5mTokens: null, cacheReported: false })];
  assert.match(await text(events), /saved by the cache +–/);
  assert.equal((await json(events)).total.saving, {
    usd: null,
    savedByReadsUsd: null,
    paidForWritesUsd: null,
    ratio: null,
  });
});

test("an empty scope is drawn on every tab, without a figure", async () => {
  for (const tab of ["activity", "models", "cost", "sessions", "tools", "cache"] as const) {
    const shown = await text([], { tab });
    assert.match(shown, "nothing recorded in this scope");
    assert.not.match(shown, /\$|0 %|NaN/);
    assert.is((await json([], { tab })).total.cost.state, "no_data");
  }
});

test("the zone of the days is on the page and in the answer", async () => {
  const late = [request({ ...ONE, atMs: Date.UTC(2026, 0, 25, 4, 8) })];
  const shown = await json(late, { timezone: "America/Los_Angeles" });
  assert.equal([shown.timezone, shown.groups[0].key], ["America/Los_Angeles", "2026-01-24"]);
  const page = { ...PAGE, timezone: "America/Los_Angeles" };
  assert.match(usageText(await used(late, { timezone: page.timezone }), "/s.db", page), "days in America/Los_Angeles");
});

test("the heatmap has seven rows and levels up to the busiest hour, plain without colour", () => {
  const counts = Array.from({ length: 7 }, () => Array.from({ length: 24 }, () => 0));
  counts[0]![0] = 1;
  counts[6]![23] = 8;
  const plain = heatmap(counts, PAGE).split("\n");
  assert.is(plain.length, 9);
  assert.equal([plain[1], plain[7]], ["  Mon  .", `  Sun  ${"  ".repeat(23)}#`]);
  assert.match(plain[8]!, ". up to 2   : up to 4   + up to 6   # up to 8");
  assert.match(heatmap(counts, { ...PAGE, colour: true }), "█");
  assert.ok(
    heatmap(counts, { ...PAGE, width: 40 })
      .split("\n")
      .every((line) => line.length <= 64),
  );
  assert.is(
    heatmap(
      counts.map((row) => row.map(() => 0)),
      PAGE,
    ),
    "",
  );
});

test("many days show the newest, and say how many are left out", async () => {
  const events = Array.from({ length: 50 }, (_, days) => request({ ...ONE, atMs: NOON - days * DAY }));
  const shown = await text(events);
  assert.match(shown, "and 10 earlier");
  assert.match(shown, "2026-08-01");
  assert.not.match(shown.split("by day")[1]!, "2026-06-13");
});

test("names from outside stay text", async () => {
  const events = [session({ title: "\u001b[31mred\n=1+1" }), request({ ...ONE, model: "a\u001b[2J,b" })];
  const sessions = await text(events, { tab: "sessions" });
  const models = usageCsv(await used(events, { by: "model" }));
  assert.not.match(`${sessions}${models}`, "\u001b");
  assert.match(sessions, "\\x1b[31mred");
  assert.match(models, '"a\\x1b[2J,b",1,1,0');
});

test("the CSV has one line per group or tool, each with all columns", async () => {
  const events = [request(ONE), request({ ...ONE, model: "mystery" }), toolCall({ tool: "Read" })];
  const lines = (csv: string) =>
    csv
      .trimEnd()
      .split("\r\n")
      .map((line) => line.split(",").length);
  assert.equal(lines(usageCsv(await used(events, { by: "model" }))), [16, 16, 16]);
  assert.equal(lines(usageCsv(await used(events, { tab: "tools" }))), [10, 10]);
});

test("a page of eighty columns is not left", async () => {
  const events = [session({ title: "t".repeat(100) }), request(ONE), toolCall({ tool: "Read" })];
  for (const tab of ["models", "sessions", "tools", "cache"] as const) {
    const after = (await text(events, { tab }, 80)).split(/\nby .*\n/)[1]!;
    assert.ok(
      after.split("\n").every((line) => line.length <= 80),
      tab,
    );
  }
});

test.run();
