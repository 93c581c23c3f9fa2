import { test } from "uvu";
import * as assert from "uvu/assert";
import type { Verdict } from "../../../src/diagnostics/checks/check.js";
import { checkSession, combined } from "../../../src/diagnostics/checks/session.js";
import type { SessionEvent } from "../../../src/events/event.js";
import { PLAIN, verdict } from "../../support/ask.js";
import {
  compaction,
  contract,
  coverage,
  digest,
  judgment,
  MINUTE,
  NOON,
  request,
  toolCall,
  turn,
} from "../../support/events.js";
import { append, storeOf } from "../../support/store.js";

const tenant = "acme";
const pair = (a: string | null, b: string | null, given = {}): SessionEvent[] =>
  [a, b].map((shell, at) =>
    request({ tenant, atMs: NOON + at * MINUTE, shellDigest: shell === null ? null : digest(shell), ...given }),
  );

/** Events of a session that bring one check to one verdict. */
type Makings = Partial<Record<Verdict, (session: string) => SessionEvent[]>>;

const judged = (score: number) => (session: string) => [
  compaction({ id: session, session, tenant }),
  judgment(session, { session, score, tenant }),
];
const shells: Makings = {
  pass: (session) => pair("X", "X", { session }),
  violated: (session) => pair("X", "Y", { session }),
  unmeasured: (session) => pair(null, null, { session }),
};
const tenants: Makings = {
  pass: () => [],
  violated: (session) => [request({ session, tenant: "other", lane: "x" })],
};
const retentions: Makings = {
  pass: judged(0.9),
  violated: judged(0.5),
  unmeasured: (session) => [compaction({ session, tenant })],
  not_applicable: () => [],
};
const returns: Makings = {
  pass: (session) => [contract({ session, tenant })],
  violated: (session) => [contract({ session, tenant, outcome: "violation" })],
  unmeasured: (session) => [contract({ session, tenant, outcome: "unchecked" })],
  not_applicable: () => [],
};

test("every mixture of outcomes gives the worst: violated, then unmeasured, then pass", async () => {
  const mixtures = [shells, tenants, retentions, returns].reduce<[Verdict[], (session: string) => SessionEvent[]][]>(
    (mixed, makings) =>
      mixed.flatMap(([verdicts, make]) =>
        Object.entries(makings).map(([verdict, more]): (typeof mixed)[number] => [
          [...verdicts, verdict as Verdict],
          (session) => [...make(session), ...more(session)],
        ]),
      ),
    [[[], () => []]],
  );
  assert.is(mixtures.length, 96);
  const store = storeOf(...mixtures.flatMap(([wanted, make]) => make(wanted.join(" "))));
  try {
    for (const [wanted] of mixtures) {
      const result = await checkSession(store.db, { session: wanted.join(" ") }, { ...PLAIN, tenant });
      const worst = (["violated", "unmeasured", "pass"] as const).find((word) => wanted.includes(word));
      assert.equal(
        result.checks.map((check) => check.verdict),
        wanted,
      );
      assert.equal([result.verdict, result.violated], [worst, wanted.filter((word) => word === "violated").length]);
    }
  } finally {
    store.cleanup();
  }
});

test("three outcomes of four checks combine in all 256 ways", () => {
  const words: Verdict[] = ["pass", "violated", "unmeasured", "not_applicable"];
  for (let code = 0; code < 256; code += 1) {
    const mix = [0, 1, 2, 3].map((place) => words[(code >> (2 * place)) & 3]!);
    const wanted = mix.includes("violated")
      ? "violated"
      : mix.includes("unmeasured") || !mix.includes("pass")
        ? "unmeasured"
        : "pass";
    assert.is(combined(mix), wanted);
  }
});

test("an unknown session is unmeasured, whatever else the store holds, and ids match only themselves", async () => {
  const events = pair("X", "X");
  for (const session of ["s2", "s", "S1", "s1 ", "%", "s_", "*", "'", ""]) {
    const result = await verdict(events, {}, { session });
    assert.equal([result.verdict, result.violated], ["unmeasured", 0]);
    assert.equal(
      result.checks.map((check) => check.verdict),
      Array(4).fill("unmeasured"),
    );
  }
});

test("odd session ids are found by themselves alone", async () => {
  const ids = ["100%", "a_b", "aXb", "🦊", "../x", "-h", "it's", "two\nlines", "\u001b[31mred", "x".repeat(300)];
  const store = storeOf(...ids.flatMap((session) => pair("X", "X", { session })));
  try {
    for (const session of ids) {
      const result = await checkSession(store.db, { session }, PLAIN);
      assert.equal([result.observed.requests, result.verdict], [2, "pass"], session);
    }
  } finally {
    store.cleanup();
  }
});

test("a session with nothing in the window, or nothing at all to judge, is unmeasured", async () => {
  assert.is((await verdict(pair("X", "X"), {}, { sinceMs: NOON + 1e9 })).verdict, "unmeasured");
  assert.is((await verdict([turn({ turn: "t" })])).verdict, "unmeasured");
});

test("a window restricts every check", async () => {
  const late = { atMs: NOON + 60 * MINUTE };
  const events = [
    ...pair("X", "Y"),
    contract({ outcome: "violation" }),
    toolCall(late),
    request({ ...late, shellDigest: digest("Y") }),
  ];
  assert.is((await verdict(events)).violated, 2);
  assert.is((await verdict(events, {}, { sinceMs: late.atMs })).verdict, "pass");
});

test("a required check that does not apply is unmeasured", async () => {
  assert.is((await verdict(pair("X", "X"))).verdict, "pass");
  const result = await verdict(pair("X", "X"), { require: ["retention_floor"] });
  assert.equal([result.verdict, result.checks[2]!.verdict], ["unmeasured", "unmeasured"]);
});

test("a clean session without a compaction, of a client that records its changes, passes", async () => {
  const events = [
    coverage({ fact: "shell_digests", level: "absent" }),
    coverage({ fact: "local_cache", level: "absent" }),
    coverage({ fact: "shell_deltas", level: "full" }),
    turn({ turn: "t" }),
    ...pair(null, null, { tenant: null }),
    toolCall(),
  ];
  const result = await verdict(events);
  assert.equal(
    [result.verdict, result.checks.map((check) => check.verdict)],
    ["pass", ["pass", "not_applicable", "not_applicable", "pass"]],
  );
});

test("an id that two agents use needs the agent", async () => {
  const events = [...pair("X", "X", { agent: "one" }), ...pair("X", "Y", { agent: "two" })];
  try {
    await verdict(events);
    assert.unreachable();
  } catch (error) {
    const { code, tries } = error as { code: string; tries: string[] };
    assert.equal([code, tries], ["session.ambiguous", ["--agent one", "--agent two"]]);
  }
  assert.is((await verdict(events, {}, { agent: "one" })).verdict, "pass");
  assert.is((await verdict(events, {}, { agent: "two" })).verdict, "violated");
  assert.is((await verdict(events, {}, { agent: "three" })).verdict, "unmeasured");
});

test("5,000 violations are all in the evidence", async () => {
  const events = Array.from({ length: 5000 }, (_, line) => contract({ outcome: "violation", line }));
  const { checks } = await verdict(events);
  assert.equal([checks[3]!.violations, checks[3]!.evidence.length], [5000, 5000]);
  assert.equal([checks[3]!.evidence[0]!.line, checks[3]!.evidence[4999]!.line], [0, 4999]);
});

test("inherited copies are said, and count for the session that owns them", async () => {
  const own = pair("X", "Y").map((event, at) => ({ ...event, atMs: NOON + at }));
  const events = [...own, ...own.map((event) => ({ ...event, session: "s2" }))];
  const copy = await verdict(events, {}, { session: "s2" });
  assert.equal([copy.observed.requests, copy.observed.inherited, copy.violated], [0, 2, 0]);
  assert.is((await verdict(events)).violated, 1);
});

test("the answer is the same twice, and another one when more was recorded", async () => {
  const store = storeOf(...pair("X", "X"), contract());
  try {
    const scope = { session: "s1" };
    const first = await checkSession(store.db, scope, PLAIN);
    assert.equal(await checkSession(store.db, scope, PLAIN), first);
    append(store, [contract({ outcome: "violation" })], "/more.jsonl");
    assert.is((await checkSession(store.db, scope, PLAIN)).verdict, "violated");
  } finally {
    store.cleanup();
  }
});

test.run();
