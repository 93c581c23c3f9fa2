import fc from "fast-check";
import { test } from "uvu";
import * as assert from "uvu/assert";
import type { RequestFact } from "../../src/events/event.js";
import type { Account } from "../../src/ledger/account.js";
import { REQUEST_GROUPINGS } from "../../src/ledger/groupings.js";
import { type Usage, usage } from "../../src/ledger/usage.js";
import { costOf } from "../../src/pricing/cost.js";
import { ratesOf } from "../../src/pricing/price.js";
import { DAY, HOUR, lane, NOON, request, session, turn } from "../support/events.js";
import { storeOf } from "../support/store.js";
import { BOOK, dollarsOf, PLAIN_USAGE, used } from "../support/usage.js";

const keys = ({ groups }: Usage) => groups!.map(({ key }) => key);
const outputs = ({ groups }: Usage) =>
  Object.fromEntries(groups!.map(({ key, account }) => [key, account.tokens.output]));
const at = (time: string) => Date.parse(time);

test("an evening belongs to its day in the user's zone", async () => {
  const events = [request({ atMs: at("2026-01-25T04:08:00Z") })];
  assert.equal(keys(await used(events, { timezone: "America/Los_Angeles" })), ["2026-01-24"]);
  assert.equal(keys(await used(events, { timezone: "UTC" })), ["2026-01-25"]);
});

test("zones with odd offsets and days of 23 and 25 hours count every request once", async () => {
  const hours = Array.from({ length: 96 }, (_, hour) => hour);
  for (const [timezone, from] of [
    ["Europe/Berlin", "2026-03-28T00:00:00Z"],
    ["Europe/Berlin", "2026-10-24T00:00:00Z"],
    ["Asia/Kathmandu", "2026-03-28T00:00:00Z"],
    ["Australia/Lord_Howe", "2026-04-04T00:00:00Z"],
  ] as const) {
    const events = hours.map((hour) => request({ atMs: at(from) + hour * HOUR + 61_000 }));
    const day = new Intl.DateTimeFormat("en-CA", { timeZone: timezone, dateStyle: "short" });
    const wanted: Record<string, number> = {};
    for (const { atMs } of events) wanted[day.format(atMs!)] = (wanted[day.format(atMs!)] ?? 0) + 1;
    const { groups, activity } = await used(events, { timezone, tab: "activity" });
    assert.equal(Object.fromEntries(groups!.map(({ key, account }) => [key, account.requests])), wanted, timezone);
    assert.is(
      activity!.heatmap.flat().reduce((sum, count) => sum + count, 0),
      96,
    );
  }
});

test("weeks begin on Monday and belong to the year of their Thursday; a month is a calendar month", async () => {
  const events = ["2026-12-31", "2027-01-03", "2027-01-04"].map((day) => request({ atMs: at(`${day}T12:00:00Z`) }));
  assert.equal(keys(await used(events, { by: "week" })), ["2026-W53", "2027-W01"]);
  assert.equal(keys(await used(events, { by: "month" })), ["2026-12", "2027-01"]);
});

test("a subagent's output is part of its session and stands apart by lane and by agent type", async () => {
  const events = [
    lane({ lane: "a1", laneKind: "subagent", agentType: "explorer" }),
    request({ outputTokens: 10 }),
    request({ outputTokens: 5, lane: "a1" }),
    request({ outputTokens: 5, lane: "a1" }),
  ];
  assert.equal(outputs(await used(events, { by: "session" })), { s1: 20 });
  assert.equal(outputs(await used(events, { by: "lane" })), { parent: 10, subagent: 10 });
  assert.equal(outputs(await used(events, { by: "agent-type" })), { parent: 10, explorer: 10 });
});

test("a session that changes its branch is split at the change; a turn that says nothing follows its session", async () => {
  const said = (id: string, given: Parameters<typeof turn>[0], outputTokens: number) => [
    turn({ turn: id, ...given }),
    request({ turn: id, outputTokens }),
  ];
  const events = [
    session({ branch: "main", project: "/home/ann/shop", agentVersion: "1.0" }),
    ...said("t1", { branch: "main", clientVersion: "2.0" }, 1),
    ...said("t2", { branch: "fix/cart" }, 2),
    ...said("t3", {}, 4),
  ];
  assert.equal(outputs(await used(events, { by: "branch" })), { main: 5, "fix/cart": 2 });
  assert.equal(outputs(await used(events, { by: "project" })), { "/home/ann/shop": 7 });
  assert.equal(outputs(await used(events, { by: "version" })), { "2.0": 1, "1.0": 6 });
});

test("two agents can use one session id: two rows, each with its agent", async () => {
  const events = [request({ session: "s1", agent: "x" })];
  const { groups } = await used([...events, request({ session: "s1", agent: "y", outputTokens: 1 })], {
    tab: "sessions",
  });
  assert.equal(groups!.map(({ key, about }) => [key, about!.agent]).sort(), [
    ["s1", "x"],
    ["s1", "y"],
  ]);
});

test("a copy in another session adds nothing", async () => {
  const copy = { id: "r1", outputTokens: 40 };
  const events = [
    request({ ...copy, session: "a" }),
    request({ ...copy, session: "b" }),
    request({ session: "b", outputTokens: 2 }),
  ];
  const shown = await used(events, { by: "session" });
  assert.equal(outputs(shown), { a: 40, b: 2 });
  assert.is(shown.total.tokens.output, 42);
});

test("requests without a time are a group of their own, and on no map", async () => {
  const shown = await used([request({ atMs: null }), request()], { tab: "activity" });
  assert.equal(keys(shown), [null, "2026-08-01"]);
  assert.is(shown.activity!.timeless, 1);
});

/** Everything in an account that adds up. */
function sums({ requests, tokens, basis, cost, missing, assumed, caching, reported }: Account) {
  return Object.entries({
    requests,
    ...tokens,
    ...prefixed("basis", basis),
    ...prefixed("cost", cost),
    ...prefixed("missing", missing),
    ...prefixed("assumed", assumed),
    ...prefixed("caching", caching),
    ...prefixed("reported", reported),
  }).map(([name, value]) => [name, BigInt((value ?? 0) as number | bigint)] as const);
}
const prefixed = (prefix: string, values: object) =>
  Object.fromEntries(Object.entries(values).map(([name, value]) => [`${prefix}.${name}`, value]));

const anyRequest = fc
  .record({
    session: fc.constantFrom("s1", "s2"),
    agent: fc.constantFrom("x", "y"),
    lane: fc.constantFrom("main", "a1", "a2"),
    turn: fc.constantFrom(null, "t1", "t2", "t3"),
    model: fc.constantFrom("model-a", "model-b", "free-model", "mystery", null, "claude-opus-4-6"),
    atMs: fc.option(fc.integer({ min: Date.UTC(2026, 2, 1), max: Date.UTC(2026, 3, 30) })),
    uncachedTokens: fc.nat(300_000),
    readTokens: fc.nat(1000),
    write5mTokens: fc.nat(1000),
    write1hTokens: fc.option(fc.nat(1000)),
    writeUnsplitTokens: fc.option(fc.nat(3)),
    outputTokens: fc.nat(1000),
    outputQuality: fc.constantFrom("final" as const, "provisional" as const),
    usageState: fc.constantFrom("ok" as const, "partial" as const, "contradictory" as const),
    providerCostMicros: fc.option(fc.nat(1000)),
    rawUsage: fc.constantFrom(null, '{"speed":"fast"}', '{"service_tier":"batch"}', '{"cut'),
  })
  .map((given) => request(given));

/** What one request costs, from its event alone. */
function costAlone(event: RequestFact): bigint {
  if (event.usageState === "contradictory") return 0n;
  const tokens = {
    uncached: event.uncachedTokens ?? 0,
    read: event.readTokens ?? 0,
    write5m: event.write5mTokens ?? 0,
    write1h: event.write1hTokens ?? 0,
    writeUnsplit: event.writeUnsplitTokens ?? 0,
    output: event.outputTokens ?? 0,
  };
  const { output, ...prompt } = tokens;
  const price = BOOK.priceOf(event);
  if (price === null) return 0n;
  const service = event.rawUsage?.includes("fast") ? "fast" : event.rawUsage?.includes("batch") ? "batch" : null;
  const promptTokens = Object.values(prompt).reduce((sum, part) => sum + part, 0);
  return costOf(tokens, ratesOf(price, promptTokens, service).rates).picos;
}

test("whatever it is grouped by, the groups add up to the whole, which is the sum of single requests", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(anyRequest, { maxLength: 12 }), async (events) => {
      const frame = ["x", "y"].flatMap((agent) => [
        lane({ agent, lane: "a1", agentType: "explorer" }),
        turn({ agent, turn: "t1", branch: "b1", project: "p1", clientVersion: "1" }),
        turn({ agent, turn: "t2", branch: "b2" }),
      ]);
      const cost = events.reduce((sum, event) => sum + costAlone(event), 0n);
      const store = storeOf(...frame, ...events);
      try {
        for (const by of REQUEST_GROUPINGS) {
          const { total, groups } = await usage(store.db, {}, { ...PLAIN_USAGE, by, timezone: "Europe/Berlin" });
          const parts = new Map<string, bigint>();
          for (const { account } of groups!)
            for (const [name, value] of sums(account)) parts.set(name, (parts.get(name) ?? 0n) + value);
          for (const [name, value] of sums(total)) assert.is(parts.get(name) ?? 0n, value, `${by}: ${name}`);
          assert.equal([total.cost.picos, total.requests], [cost, events.length]);
        }
      } finally {
        store.cleanup();
      }
    }),
    { numRuns: 8 },
  );
});

test("disjoint windows add up to the whole", async () => {
  const events = Array.from({ length: 20 }, (_, hour) =>
    request({ atMs: NOON + hour * 5 * HOUR, uncachedTokens: hour }),
  );
  const cost = async (scope = {}) => dollarsOf((await used(events, {}, scope)).total.cost.picos);
  const middle = NOON + DAY + 1;
  assert.is((await cost({ untilMs: middle })) + (await cost({ sinceMs: middle })), await cost());
});

test("every filter restricts the total, the groups and the coverage", async () => {
  const events = [
    request({ agent: "x", tenant: "acme", model: "model-a", outputTokens: 1 }),
    request({ agent: "y", session: "s2", lane: "side", model: "model-b", outputTokens: 2, atMs: NOON + DAY }),
  ];
  const scopes = [
    { session: "s1" },
    { agent: "x" },
    { tenant: "acme" },
    { model: "model-a" },
    { lane: "main" },
    { untilMs: NOON + 1 },
  ];
  for (const scope of scopes) {
    const { total, groups, coverage } = await used(events, { by: "model" }, scope);
    assert.equal([total.tokens.output, groups!.length, coverage.requests], [1, 1, 1], JSON.stringify(scope));
  }
});

test("a tab that cannot be grouped that way says how it can", async () => {
  await used([], { tab: "tools", by: "day" }).then(
    () => assert.unreachable(),
    (error) => assert.match(error.message, "the tab tools is not shown by day"),
  );
});

test.run();
