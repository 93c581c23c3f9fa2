import { readFileSync } from "node:fs";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { LARGEST_COUNT, type SessionEvent } from "../../src/events/event.js";
import { type Cursor, CursorMoved } from "../../src/events/sink.js";
import { Failure } from "../../src/failure.js";
import { agentsOf } from "../../src/store/sessions.js";
import { storeSink } from "../../src/store/sink.js";
import * as make from "../support/events.js";
import { append, batchOf, dump, sourceOf, storeOf, type TestStore } from "../support/store.js";

const { NOON, request, session, toolCall, turn } = make;
const test = suite<{ store: TestStore }>("append");
test.before.each((context) => {
  context.store = storeOf();
});
test.after.each(({ store }) => store.cleanup());

const all = (store: TestStore, sql: string) => store.raw.prepare(sql).raw().all();
const one = (store: TestStore, sql: string) => store.raw.prepare(sql).pluck().get();
const sinkOf = (store: TestStore) => storeSink(store, { nowMs: () => NOON, machine: null });
const failureOf = (work: () => unknown): Failure => {
  try {
    work();
  } catch (error) {
    if (error instanceof Failure) return error;
    throw error;
  }
  throw new Error("nothing failed");
};

test("a session with its lanes, turns and facts is kept as it was said", ({ store }) => {
  const added = append(store, [
    session({ id: "a", title: "the title" }),
    turn({ id: "t", turn: "p1" }),
    request({ id: "r", turn: "p1" }),
    toolCall({ id: "c", turn: "p1" }),
    make.lane({ id: "l", lane: "agent-1" }),
    request({ id: "r2", lane: "agent-1", turn: "p2" }),
    make.compaction({ id: "k", items: [{ messageId: "m", fate: "kept", tokens: 3 }] }),
    make.judgment("k", {
      facts: [
        {
          factKind: "path",
          digest: make.digest("f"),
          bytePosition: 7,
          text: null,
          originTurn: "p1",
          originToolCall: null,
          state: "lost",
          weight: 0.5,
          isConstraint: true,
        },
      ],
    }),
    make.contract({ id: "v", outcome: "violation" }),
    make.waiver("v"),
    make.cache(),
    make.divergence(),
    make.coverage(),
  ]).added;
  assert.equal(added, {
    session: 1,
    lane: 2,
    turn: 2,
    request: 2,
    tool_call: 1,
    compaction: 1,
    judgment: 1,
    contract: 1,
    waiver: 1,
    cache: 1,
    divergence: 1,
    coverage: 1,
  });
  assert.equal(all(store, "SELECT lane_id, kind FROM lanes ORDER BY lane_id"), [
    ["agent-1", "subagent"],
    ["main", "parent"],
  ]);
  assert.equal(all(store, "SELECT message_id, fate, tokens FROM compaction_items"), [["m", "kept", 3]]);
  assert.equal(all(store, "SELECT state, weight, is_constraint FROM facts"), [["lost", 0.5, 1]]);
  assert.equal(agentsOf(store, "s1"), ["test-agent"]);
});

test("saying everything again changes nothing", ({ store }) => {
  const events = [
    session({ id: "a", title: "t" }),
    turn({ id: "t", turn: "p1" }),
    request({ id: "r", turn: "p1" }),
    make.coverage({ id: "c" }),
  ];
  append(store, events);
  const before = dump(store);
  assert.equal(append(store, events), {
    added: {},
    known: 4,
    copies: 0,
    tenantConflicts: 0,
    forgotten: 0,
    refused: [],
  });
  assert.equal(dump(store), before);
});

test("within one source the fullest report of a request stays", ({ store }) => {
  const told = (outputQuality: "final" | "provisional", outputTokens: number) =>
    append(store, [request({ id: "r", outputQuality, outputTokens })]);
  told("provisional", 1);
  told("final", 40);
  assert.equal(told("provisional", 90).known, 1);
  assert.equal(all(store, "SELECT output_quality, output_tokens, counted FROM requests"), [["final", 40, 1]]);
});

test("use and result of a tool call may be said apart, in any order", ({ store }) => {
  const use = toolCall({
    id: "c",
    resultSeen: false,
    resultBytes: null,
    resultDigest: null,
    isError: null,
    atMs: NOON,
  });
  const result = toolCall({
    id: "c",
    useSeen: false,
    tool: null,
    argumentsDigest: null,
    isError: true,
    atMs: NOON + 5,
  });
  append(store, [result]);
  append(store, [use]);
  assert.equal(
    all(store, "SELECT w.text, use_seen, result_seen, is_error, at_ms FROM tool_calls JOIN words w ON w.id = tool"),
    [["read", 1, 1, 1, NOON]],
  );
});

test("a compaction learns its size later", ({ store }) => {
  append(store, [make.compaction({ id: "k", tokensAfter: null, countMethod: "boundary" })]);
  append(store, [make.compaction({ id: "k", tokensAfter: 300, countMethod: "boundary>next_request" })]);
  assert.equal(
    all(store, "SELECT tokens_before, tokens_after, w.text FROM compactions JOIN words w ON w.id = count_method"),
    [[1000, 300, "boundary>next_request"]],
  );
});

test("a copy counts once: the fullest, then that of the session that began first", ({ store }) => {
  const counted = () =>
    all(store, "SELECT s.session_id FROM requests r JOIN sessions s ON s.id = r.session WHERE counted = 1");
  append(store, [request({ id: "r", session: "fork", atMs: NOON + 5 })], "/fork");
  assert.is(append(store, [request({ id: "r", session: "origin", atMs: NOON + 5 })], "/origin").copies, 1);
  assert.equal(counted(), [["fork"]], "equal in all, the smaller id");
  append(store, [session({ session: "origin", atMs: NOON })], "/origin");
  assert.equal(counted(), [["origin"]], "the origin turns out to be older");
  append(store, [request({ id: "r", session: "fork", atMs: NOON + 5, outputTokens: 51 })], "/fork");
  assert.equal(counted(), [["fork"]], "the fork knows more");
  assert.is(one(store, "SELECT count(*) FROM requests"), 2);
});

test("a copied turn counts once", ({ store }) => {
  append(store, [turn({ id: "t", session: "b", turn: "p", atMs: NOON })], "/b");
  append(store, [turn({ id: "t", session: "a", turn: "p", atMs: NOON - 1 })], "/a");
  assert.equal(all(store, "SELECT s.session_id, counted FROM turns t JOIN sessions s ON s.id = t.session ORDER BY 1"), [
    ["a", 1],
    ["b", 0],
  ]);
});

test("a turn that only facts name begins with the first of them, until it is described", ({ store }) => {
  append(store, [request({ turn: "p", atMs: NOON + 9 }), request({ turn: "p", atMs: NOON + 4 })]);
  assert.equal(all(store, "SELECT at_ms, time_quality, outcome FROM turns"), [[NOON + 4, "inherited", null]]);
  append(store, [turn({ id: "t", turn: "p", atMs: NOON + 6, endedAtMs: NOON + 20 })]);
  append(store, [request({ turn: "p", atMs: NOON + 1 })]);
  assert.equal(all(store, "SELECT at_ms, time_quality, outcome, ended_at_ms FROM turns"), [
    [NOON + 6, "exact", "answered", NOON + 20],
  ]);
});

test("the latest title and version are shown, the first project and branch, the whole span of time", ({ store }) => {
  append(store, [session({ atMs: 20, title: "new", agentVersion: "2", project: "/b", branch: "dev" })]);
  append(store, [session({ atMs: 10, title: "old", agentVersion: "1", project: "/a" })]);
  append(store, [request({ atMs: 30 })]);
  assert.equal(all(store, "SELECT title, agent_version, project, branch, started_at_ms, last_at_ms FROM sessions"), [
    ["new", "2", "/a", "dev", 10, 30],
  ]);
});

test("an unknown tenant may be completed, a known one stays and the contradiction is noted", ({ store }) => {
  const tenants = () =>
    all(
      store,
      "SELECT (SELECT text FROM words WHERE id = r.tenant), (SELECT text FROM words WHERE id = s.tenant) FROM requests r JOIN sessions s ON s.id = r.session",
    )[0];
  append(store, [request({ id: "r" })]);
  assert.equal(tenants(), [null, null]);
  append(store, [request({ id: "r", tenant: "acme" })]);
  assert.equal(tenants(), ["acme", "acme"]);
  assert.is(append(store, [request({ id: "r", tenant: "evil" })]).tenantConflicts, 1);
  assert.is(append(store, [request({ id: "r" })]).known, 1);
  assert.is(append(store, [request({ id: "r", tenant: "evil" })], "/test.jsonl", { replace: true }).tenantConflicts, 1);
  append(store, [request({ id: "r" })], "/test.jsonl", { replace: true });
  assert.equal(tenants(), ["acme", "acme"]);
  assert.equal(all(store, "SELECT detail FROM notes"), []);
});

test("what was forgotten on purpose is left out and counted", ({ store }) => {
  store.raw.exec(`
    INSERT INTO tombstones (kind, agent, name, forgotten_at_ms) VALUES ('session', 'test-agent', 'gone', 1);
    INSERT INTO tombstones (kind, name, forgotten_at_ms) VALUES ('tenant', 'left', 1)`);
  const { added, forgotten } = append(store, [
    request({ session: "gone" }),
    request({ session: "here", tenant: "left" }),
    request({ session: "here" }),
    request({ session: "gone", agent: "another" }),
  ]);
  assert.is(forgotten, 2);
  assert.is(added.request, 2);
});

test("replacing removes what the source no longer says, and decides its copies again", ({ store }) => {
  append(
    store,
    [request({ id: "r", session: "a" }), request({ id: "q", session: "a" }), turn({ session: "a", turn: "p" })],
    "/a",
  );
  append(store, [request({ id: "r", session: "b", turn: "p" })], "/b");
  append(store, [request({ id: "new", session: "c" })], "/a", { replace: true });
  assert.equal(
    all(store, "SELECT s.session_id, counted FROM requests r JOIN sessions s ON s.id = r.session ORDER BY 1"),
    [
      ["b", 1],
      ["c", 1],
    ],
  );
  assert.equal(all(store, "SELECT session_id FROM sessions ORDER BY 1"), [["b"], ["c"]]);
  assert.is(one(store, "SELECT count(*) FROM turns"), 1);
});

test("a turn that another source's facts belong to outlives its source", ({ store }) => {
  append(store, [turn({ id: "t", turn: "p", atMs: NOON })], "/a");
  append(store, [request({ turn: "p", atMs: NOON + 3 })], "/b");
  append(store, [], "/a", { replace: true });
  assert.equal(all(store, "SELECT at_ms, time_quality, locator FROM turns t JOIN sources s ON s.id = t.source"), [
    [NOON + 3, "inherited", "/b"],
  ]);
});

const cursor = (offset: number, given: Partial<Cursor> = {}): Cursor => ({
  size: 100,
  mtimeMs: 5.4,
  fileId: "1:2",
  offset,
  line: 3,
  tailDigest: "ab",
  linesSkipped: 0,
  parserVersion: 1,
  state: null,
  ...given,
});

test("the cursor moves with the rows, and only from where it was", ({ store }) => {
  const sink = sinkOf(store);
  assert.is(sink.cursorOf(sourceOf("/f")), null);
  sink.append([batchOf([request()], "/f", { cursor: cursor(50, { state: '{"a":1}' }) })]);
  assert.equal(sink.cursorOf(sourceOf("/f")), cursor(50, { mtimeMs: 5, state: '{"a":1}' }));
  assert.throws(
    () => sink.append([batchOf([request({ id: "lost race" })], "/f", { cursor: cursor(70) })]),
    (error: unknown) => error instanceof CursorMoved && error.source.locator === "/f",
  );
  assert.is(one(store, "SELECT count(*) FROM requests"), 1);
  sink.append([batchOf([request()], "/f", { cursor: cursor(70), expectedOffset: 50 })]);
  assert.is(sink.cursorOf(sourceOf("/f"))?.offset, 70);
});

test("skipped lines are counted and noted once", ({ store }) => {
  const skipped = [{ line: 4, offset: 120, reason: "not JSON: sk-ant-api03-abcdefghijklmnopqrst" }];
  for (let i = 0; i < 2; i += 1)
    append(store, [], "/f", { skipped, cursor: cursor(50, { linesSkipped: 1 }), expectedOffset: i * 50 });
  assert.equal(all(store, "SELECT w.text, source_line, source_offset, detail FROM notes JOIN words w ON w.id = kind"), [
    ["skipped_line", 4, 120, "not JSON: [redacted]"],
  ]);
  assert.is(one(store, "SELECT lines_skipped FROM sources"), 1);
});

test("parts of several sources are there together or not at all", ({ store }) => {
  const bad = request({ outputTokens: -1 });
  assert.is(
    failureOf(() => sinkOf(store).append([batchOf([request()], "/a"), batchOf([bad], "/b", byHand("/b"))])).code,
    "event.refused",
  );
  assert.is(one(store, "SELECT count(*) FROM requests"), 0);
  assert.is(one(store, "SELECT committed FROM store"), 0);
});

test("a writer goes on after a batch that was refused", ({ store }) => {
  const sink = sinkOf(store);
  const good = () => request({ session: "later", model: "model-z", turn: "p" });
  assert.throws(() => sink.append([batchOf([good(), request({ outputTokens: Number.NaN })], "/a", byHand("/a"))]));
  assert.is(sink.append([batchOf([good()])]).added.request, 1);
  assert.is(one(store, "SELECT w.text FROM requests JOIN words w ON w.id = model"), "model-z");
});

test("two writers on one connection do not confuse each other", ({ store }) => {
  const [one, other] = [sinkOf(store), sinkOf(store)];
  one.append([batchOf([request({ session: "a", turn: "p" })], "/a")]);
  other.append([batchOf([], "/a", { replace: true })]);
  assert.is(one.append([batchOf([request({ session: "a", turn: "p" })], "/a")]).added.session, 1);
});

test("of what is read from a file or received, one event that contradicts itself is left out and named", ({
  store,
}) => {
  const events = [request(), { ...request({ outputTokens: -1 }), line: 7 }, request()];
  const { added, refused } = append(store, events, "/f.jsonl");
  assert.is(added.request, 2);
  assert.equal(
    refused.map(({ source, line }) => [source.locator, line]),
    [["/f.jsonl", 7]],
  );
  assert.match(refused[0]?.reason ?? "", /outputTokens is -1/);
});

/** Said through the door: refused as a whole. */
const byHand = (locator: string) => ({ source: { kind: "manual" as const, format: "test", locator } });

/** A change that makes an event unkeepable, and what the failure says. */
const refused: [string, SessionEvent, RegExp][] = [
  ["NaN", request({ outputTokens: Number.NaN }), /outputTokens is NaN/],
  ["an endless time", request({ atMs: Number.POSITIVE_INFINITY }), /atMs is Infinity/],
  ["half a token", request({ readTokens: 1.5 }), /readTokens is 1.5/],
  ["a negative count", toolCall({ resultBytes: -1 }), /resultBytes is -1/],
  ["a count that no double holds", request({ uncachedTokens: 2 ** 53 + 2 }), /uncachedTokens is 9007199254740994/],
  ["undefined", request({ latencyMs: undefined as unknown as null }), /latencyMs is undefined/],
  ["a missing text", request({ status: undefined as unknown as "missing" }), /status/],
  ["a score above 1", make.judgment("k", { score: 1.01 }), /score/],
  ["served without a hit", make.cache({ op: "miss", served: true }), /served/],
  ["a short id", request({ eventId: Buffer.from("short") }), /event_id/],
  ["a turn without a key", turn({ turn: null }), /turn/],
  ["tokens of a request that is missing", request({ status: "missing" }), /status/],
];
for (const [what, event, says] of refused) {
  test(`${what} is refused by name`, ({ store }) => {
    const failure = failureOf(() => append(store, [{ ...event, line: 12 }], "/f.jsonl", byHand("/f.jsonl")));
    assert.is(failure.code, "event.refused");
    assert.match(failure.message, says);
    assert.match(failure.message, /\/f\.jsonl:12/);
  });
}

test("the largest count and booleans come back as they were", ({ store }) => {
  append(store, [request({ uncachedTokens: LARGEST_COUNT, cacheReported: true }), toolCall({ isError: false })]);
  assert.is(one(store, "SELECT uncached_tokens FROM requests"), LARGEST_COUNT);
  assert.equal(all(store, "SELECT is_error, use_seen FROM tool_calls"), [[0, 1]]);
});

test("a count beyond all counting is refused, so that sums stay sums", ({ store }) => {
  assert.throws(
    () => append(store, [request({ uncachedTokens: LARGEST_COUNT + 1 })], "/f", byHand("/f")),
    /uncachedTokens/,
  );
});

test("text that SQLite cannot hold is repaired, and its row is found again", ({ store }) => {
  const odd = "a\0b\ud800c 😀";
  for (let i = 0; i < 2; i += 1)
    append(store, [
      session({ session: odd, title: odd }),
      request({ id: "r", session: odd, turn: odd, lane: odd, model: odd }),
    ]);
  assert.equal(all(store, "SELECT session_id, title FROM sessions"), [["a\ufffdb\ufffdc 😀", "a\ufffdb\ufffdc 😀"]]);
  assert.equal(
    [
      one(store, "SELECT count(*) FROM requests"),
      one(store, "SELECT count(*) FROM turns"),
      one(store, "SELECT count(*) FROM lanes"),
    ],
    [1, 1, 1],
  );
});

test("names of object properties are names like any other", ({ store }) => {
  for (const name of ["__proto__", "constructor", "toString"])
    append(store, [request({ session: name, model: name, agent: name, turn: name })], name);
  assert.equal(all(store, "SELECT session_id FROM sessions ORDER BY 1"), [
    ["__proto__"],
    ["constructor"],
    ["toString"],
  ]);
});

test("no credential reaches the file, whichever text carries it", ({ store }) => {
  const canary = "ghp_abcdefghijklmnopqrstuvwxyz0123456789";
  const secret = `see https://ann:hunter2-${"x".repeat(9)}@example.org and ${canary}`;
  const header = {
    agent: "a",
    session: "s",
    lane: "main",
    turn: null,
    tenant: null,
    atMs: NOON,
    timeQuality: "exact" as const,
    line: null,
    offset: null,
  };
  append(
    store,
    [
      session({
        title: secret,
        branch: secret,
        project: secret,
        agentVersion: secret,
        status: secret,
        sessionKind: secret,
      }),
      make.lane({ lane: "x", agentType: secret }),
      turn({ turn: "p", branch: secret, project: secret, clientVersion: secret }),
      request({ model: secret, rawUsage: secret, finishReason: secret, missReason: secret }),
      toolCall({ tool: secret, determinism: secret }),
      make.cache({ reason: secret, policyVersion: secret }),
      make.contract({ contract: secret, subjectRef: secret, pointer: secret, detail: secret, code: secret }),
      make.waiver("v", { author: secret, reason: secret }),
      make.coverage({ why: secret }),
      make.divergence({ cluster: secret, judge: secret }),
      make.compaction({ recipe: secret }),
      { kind: "note", eventId: make.digest("n"), ...header, note: secret, name: secret, count: 1, detail: secret },
      { kind: "content", eventId: make.digest("c"), ...header, digest: make.digest("c"), text: secret },
      {
        kind: "memory",
        eventId: make.digest("m"),
        ...header,
        queryDigest: null,
        candidates: 1,
        injected: 1,
        resources: [secret],
      },
      {
        kind: "scope_access",
        eventId: make.digest("s"),
        ...header,
        resourceKind: "file",
        resourceRef: secret,
        resourceTenant: null,
        access: "read",
        decision: "allowed",
      },
      { kind: "budget", eventId: make.digest("b"), ...header, budget: secret, limit: 1, used: 0.5, exhausted: false },
      {
        kind: "attempt",
        eventId: make.digest("t"),
        ...header,
        request: null,
        number: 1,
        outcome: "failed",
        httpStatus: 500,
        errorClass: secret,
        backoffMs: 1,
        outputChars: 0,
      },
    ],
    "/f",
    { skipped: [{ line: 1, offset: 0, reason: secret }] },
  );
  for (const suffix of ["", "-wal"]) {
    const bytes = readFileSync(store.path + suffix).toString("latin1");
    assert.not.match(bytes, /ghp_abc/);
    assert.not.match(bytes, /hunter2/);
    if (suffix === "-wal") assert.match(bytes, /\[redacted\]/);
  }
  assert.is(one(store, "SELECT redaction_version FROM batches"), 1);
});

test("layouts share their common beginning", ({ store }) => {
  const segment = (text: string, given = {}) => ({
    segmentKind: "history",
    contentDigest: make.digest(text),
    canonicalDigest: null,
    bytes: text.length,
    tokens: null,
    cacheable: true,
    breakpoint: false,
    ttl: null,
    ...given,
  });
  const texts = ["system", "one", "two", "three"];
  for (let n = 1; n <= 4; n += 1)
    append(store, [request({ segments: texts.slice(0, n).map((text) => segment(text)) })]);
  assert.is(one(store, "SELECT count(*) FROM segments"), 4);
  append(store, [request({ segments: [segment("system", { breakpoint: true, tokens: 5 })] })]);
  append(store, [request({ tenant: "acme", segments: [segment("system")] })]);
  assert.equal(all(store, "SELECT tenant IS NULL, breakpoint, tokens FROM segments WHERE ordinal = 0 ORDER BY id"), [
    [1, 1, 5],
    [0, 0, null],
  ]);
  assert.is(one(store, "SELECT max(ordinal) FROM segments JOIN requests ON tip = segments.id"), 3);
});

test("digests and declared changes are kept once and in one order", ({ store }) => {
  const shell = {
    shellDigest: make.digest("shell"),
    shellSetDigest: make.digest("shell"),
    declaredChanges: ["tools", "model"] as ("tools" | "model")[],
  };
  append(store, [request(shell), request({ ...shell, declaredChanges: ["model", "tools", "model"] })]);
  assert.is(one(store, "SELECT count(*) FROM digests"), 1);
  assert.equal(all(store, "SELECT DISTINCT w.text FROM requests JOIN words w ON w.id = declared_change"), [
    ["model,tools"],
  ]);
});

test.run();
