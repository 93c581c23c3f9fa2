import fc from "fast-check";
import { test } from "uvu";
import * as assert from "uvu/assert";
import { contextStats, type Stats } from "../../src/diagnostics/stats.js";
import type { SessionEvent } from "../../src/events/event.js";
import { excluded, inScope, type Scope, select } from "../../src/store/scope.js";
import { PLAIN_STATS, stats } from "../support/ask.js";
import { cache, compaction, DAY, HOUR, MINUTE, NOON, request, toolCall, turn } from "../support/events.js";
import { storeOf } from "../support/store.js";
import { richSession } from "../support/stories.js";

const plain = { agent: "one", tenant: "acme", lane: "main", model: "m1", atMs: NOON };

/** One part of the store differs from all others by exactly one name. */
const rich = [
  ...richSession("s1", plain),
  ...richSession("s2", plain),
  ...richSession("s3", { ...plain, agent: "two" }),
  ...richSession("s1", { ...plain, tenant: "globex", atMs: NOON + HOUR }),
  ...richSession("s1", { ...plain, lane: "sub", atMs: NOON + 2 * HOUR }),
  ...richSession("s1", { ...plain, model: "m2", atMs: NOON + 3 * HOUR }),
  ...richSession("s1", { ...plain, atMs: NOON + DAY }),
];

/** Every figure of the page that counts records, by name. */
function figures({ totals, metrics, recipes, coverage }: Stats): Record<string, unknown> {
  const { excluded: _, sessions: __, ...counts } = totals;
  return {
    ...counts,
    ...Object.fromEntries(Object.entries(metrics).map(([name, { of }]) => [name, of])),
    recipes: recipes.map(({ compactions, ratio, retention }) => [compactions, ratio.of, retention.count]),
    records: coverage.records.completeUsage.expected,
  };
}

const ALIKE = ["lowerBound"];

for (const scope of [
  { session: "s1", agent: "one" },
  { agent: "one" },
  { tenant: "acme" },
  { sinceMs: NOON + MINUTE },
  { untilMs: NOON + HOUR },
  { lane: "sub" },
  { model: "m2" },
] satisfies Scope[]) {
  test(`${Object.keys(scope).join(" and ")} changes every figure`, async () => {
    const [all, part] = [figures(await stats(rich)), figures(await stats(rich, scope))];
    const same = Object.keys(all).filter((name) => JSON.stringify(all[name]) === JSON.stringify(part[name]));
    assert.equal(same.sort(), ALIKE.sort());
    assert.ok(Number(part.requests) > 0);
  });
}

test("a name that nobody recorded selects nothing", async () => {
  for (const scope of [{ session: "s9" }, { agent: "x" }, { tenant: "x" }, { lane: "x" }, { model: "x" }]) {
    const { totals, metrics, recipes } = await stats(rich, scope);
    assert.equal([totals.sessions, totals.requests, totals.tokens.output, recipes], [0, 0, null, []]);
    assert.ok(Object.values(metrics).every(({ value, state }) => value === null && state === "no_data"));
  }
});

test("names match to the byte: no pattern, no prefix, no case", async () => {
  for (const tenant of ["Acme", "acme ", "acm", "acm_", "%", "a*", ""]) {
    assert.is((await stats(rich, { tenant })).totals.requests, 0, tenant);
  }
});

test("a lane can be named by its id or by its kind", async () => {
  const [byId, byKind] = [await stats(rich, { lane: "sub" }), await stats(rich, { lane: "subagent" })];
  assert.equal(figures(byId), figures(byKind));
  assert.is((await stats(rich, { lane: "parent" })).totals.requests, 12);
});

test("original-failed-01: the tenant filter filters", async () => {
  const events = [
    request({ tenant: "acme", readTokens: 10, uncachedTokens: 10, write5mTokens: 0 }),
    request({ tenant: "other", readTokens: 80, uncachedTokens: 0, write5mTokens: 0 }),
    request({ tenant: null }),
  ];
  const { totals, metrics } = await stats(events, { tenant: "acme" });
  assert.equal([totals.requests, metrics["cache.read_ratio"].value], [1, 0.5]);
  assert.equal([totals.excluded.otherTenant, totals.excluded.noTenant], [1, 1]);
});

test("original-failed-02: the recipe table obeys the session", async () => {
  const events = [compaction({ session: "s1", recipe: "a" }), compaction({ session: "s2", recipe: "b" })];
  const { recipes } = await stats(events, { session: "s1" });
  assert.equal(
    recipes.map(({ recipe }) => recipe),
    ["a"],
  );
});

test("original-failed-03: a window of time filters the cache rates, the churn and the recipes", async () => {
  const asked = (id: string, atMs: number) => [turn({ turn: id, atMs }), request({ turn: id, atMs })];
  const events = [
    ...asked("old", NOON - 10 * DAY),
    cache({ turn: "old", atMs: NOON - 10 * DAY }),
    compaction({ atMs: NOON - 9 * DAY }),
    ...asked("new", NOON - HOUR),
  ];
  const { metrics, recipes, totals } = await stats(events, { sinceMs: NOON - DAY });
  const hit = metrics["cache.hit_rate"];
  assert.equal([hit.count, hit.of, totals.turns, totals.requests], [0, 1, 1, 1]);
  assert.equal([recipes, metrics["prefix.churn"].coverage.expected], [[], 1]);
});

test("rows without a time are outside every window, and counted", async () => {
  const events = [request({ atMs: null }), request({ atMs: NOON }), compaction({ atMs: null })];
  assert.is((await stats(events)).totals.requests, 2);
  const { totals, recipes } = await stats(events, { sinceMs: NOON - DAY });
  assert.equal([totals.requests, totals.excluded.noTime, recipes], [1, 2, []]);
});

test("a window takes its first moment and leaves its last", async () => {
  const { totals } = await stats([request({ atMs: NOON }), request({ atMs: NOON + 1 })], {
    sinceMs: NOON,
    untilMs: NOON + 1,
  });
  assert.is(totals.requests, 1);
});

const names = { sessions: ["s1", "s2"], lanes: ["main", "sub"], models: ["m1", "m2"], tenants: ["a", "b", null] };
const any = <T>(list: T[]) => fc.constantFrom(...list);
/** A turn of one tenant and what happened in it. */
const story = fc
  .array(
    fc.record({
      session: any(names.sessions),
      lane: any(names.lanes),
      tenant: any(names.tenants),
      start: fc.integer({ min: 0, max: 5000 }),
      models: fc.array(any(names.models), { maxLength: 3 }),
      hit: fc.boolean(),
      tool: fc.boolean(),
      compacted: fc.boolean(),
    }),
    { maxLength: 12 },
  )
  .map((turns) =>
    turns.flatMap(({ session, lane, tenant, start, models, hit, tool, compacted }, n): SessionEvent[] => {
      const where = { session, lane, tenant, turn: `t${n}` };
      const at = (step: number) => ({ ...where, atMs: NOON + start + step * 100 });
      return [
        turn(at(0)),
        ...models.map((model, step) => request({ ...at(step + 1), model })),
        ...(hit ? [cache(at(2))] : []),
        ...(tool ? [toolCall(at(2))] : []),
        ...(compacted ? [compaction(at(3))] : []),
      ];
    }),
  );

/** Figures that add up over disjoint parts. */
function sums({ totals, metrics, recipes }: Stats): number[] {
  const { turns, requests, toolCalls, compactions, tokens } = totals;
  const { "cache.hit_rate": hit, "cache.read_ratio": read, "prefix.churn": churn } = metrics;
  return [
    ...[turns, requests, toolCalls, compactions, tokens.read ?? 0, tokens.output ?? 0],
    ...[hit, read, churn].flatMap(({ count, of, coverage }) => [count, of, coverage.observed, coverage.expected]),
    ...["ratio", "retention"].map((name) =>
      recipes.reduce((sum, recipe) => sum + recipe[name as "ratio" | "retention"].of, 0),
    ),
  ];
}

async function addsUp(events: SessionEvent[], parts: Scope[], rest: (whole: Stats) => number[] = () => []) {
  const store = storeOf(...events);
  try {
    const whole = await contextStats(store.db, {}, PLAIN_STATS);
    const total = [...rest(whole)];
    for (const scope of parts) {
      const part = sums(await contextStats(store.db, scope, PLAIN_STATS));
      part.forEach((value, at) => {
        total[at] = (total[at] ?? 0) + value;
      });
    }
    assert.equal(total, sums(whole));
  } finally {
    store.cleanup();
  }
}

const RUNS = { numRuns: process.env.SONNY_LONG === "1" ? 200 : 15 };

test("disjoint windows add up to the whole", async () => {
  await fc.assert(
    fc.asyncProperty(
      story,
      fc.uniqueArray(fc.integer({ min: 0, max: 6000 }), { maxLength: 4 }),
      async (events, cuts) => {
        const edges = cuts.sort((a, b) => a - b).map((cut) => NOON + cut);
        const ends = [undefined, ...edges, undefined];
        const windows = ends.slice(1).map((untilMs, at) => ({
          ...(ends[at] === undefined ? {} : { sinceMs: ends[at] }),
          ...(untilMs === undefined ? {} : { untilMs }),
        }));
        await addsUp(events, windows as Scope[]);
      },
    ),
    RUNS,
  );
});

test("sessions, agents and lanes add up to the whole", async () => {
  await fc.assert(
    fc.asyncProperty(story, async (events) => {
      await addsUp(events, [{ session: "s1" }, { session: "s2" }]);
      await addsUp(events, [{ lane: "main" }, { lane: "subagent" }]);
      await addsUp(events, [{ agent: "test-agent" }, { agent: "nobody" }]);
    }),
    RUNS,
  );
});

test("tenants a and b, and the rows left out for naming none, are the whole", async () => {
  await fc.assert(
    fc.asyncProperty(story, async (events) => {
      const named = events.filter(({ tenant }) => tenant !== null);
      await addsUp(named, [{ tenant: "a" }, { tenant: "b" }]);
      const store = storeOf(...events);
      try {
        const rows = (await Promise.all([countRows(store, {}), countRows(store, { tenant: "a" })])) as [number, number];
        const left = await excluded(store.db, await select(store.db, { tenant: "a" }));
        assert.is(rows[1] + left.otherTenant + left.noTenant, rows[0]);
      } finally {
        store.cleanup();
      }
    }),
    RUNS,
  );
});

async function countRows(store: ReturnType<typeof storeOf>, scope: Scope): Promise<number> {
  const selection = await select(store.db, scope);
  let rows = 0;
  for (const table of ["turns", "requests", "tool_calls", "cache_events", "compactions"] as const) {
    const counted = await store.db
      .selectFrom(`${table as "requests"} as fact`)
      .select((eb) => eb.fn.countAll<number>().as("rows"))
      .where(inScope(selection, table, "fact"))
      .executeTakeFirstOrThrow();
    rows += counted.rows;
  }
  return rows;
}

test("questions about a session use an index, never a scan of the facts", async () => {
  const store = storeOf(...rich);
  const plans: string[] = [];
  try {
    const selection = await select(store.db, { session: "s1", agent: "one" });
    for (const table of ["turns", "requests", "tool_calls", "cache_events", "compactions", "divergences"] as const) {
      const { sql, parameters } = store.db
        .selectFrom(`${table as "requests"} as fact`)
        .selectAll()
        .where(inScope(selection, table, "fact"))
        .compile();
      const steps = store.raw.prepare(`EXPLAIN QUERY PLAN ${sql}`).all(...parameters) as { detail: string }[];
      plans.push(...steps.map(({ detail }) => detail));
    }
  } finally {
    store.cleanup();
  }
  assert.equal(
    plans.filter((step) => !step.startsWith("SEARCH fact USING INDEX")),
    [],
  );
});

test.run();
