import { test } from "uvu";
import * as assert from "uvu/assert";
import { coverage } from "../../src/diagnostics/coverage.js";
import { totals } from "../../src/diagnostics/totals.js";
import { ask } from "../support/ask.js";
import { compaction, judgment, lane, MINUTE, NOON, request, session, toolCall, turn } from "../support/events.js";
import { sixRequests, transcriptCoverage } from "../support/stories.js";

test("turns are those of parent lanes; orphan results are no calls; micro-compactions are apart", async () => {
  const events = [
    turn({ turn: "t" }),
    lane({ lane: "sub" }),
    turn({ turn: "t", lane: "sub" }),
    toolCall(),
    toolCall({ useSeen: false }),
    compaction(),
    compaction({ form: "micro" }),
    compaction({ outcome: "failed" }),
  ];
  const sum = await ask(events, {}, totals);
  assert.equal([sum.sessions, sum.turns, sum.toolCalls, sum.compactions, sum.microcompactions], [1, 1, 1, 1, 1]);
});

test("tokens are summed by bucket, once however many copies there are", async () => {
  const copies = sixRequests().map((event) => ({ ...event, session: "copy" }));
  const sum = await ask([...sixRequests(), ...copies], {}, totals);
  assert.equal([sum.requests, sum.tokens.uncached, sum.tokens.read, sum.tokens.write5m], [6, 12, 69_000, 79_000]);
  assert.equal([sum.sessions, sum.tokens.output, sum.tokens.reasoning], [1, 300, null]);
});

test("provisional output and unknown input make lower bounds", async () => {
  const events = [
    request({ outputQuality: "provisional", outputTokens: 3 }),
    request({ uncachedTokens: null, usageState: "partial" }),
    request({
      status: "missing",
      uncachedTokens: null,
      outputTokens: null,
      outputQuality: "missing",
      usageState: "partial",
    }),
  ];
  const sum = await ask(events, {}, totals);
  assert.equal(sum.lowerBound, { input: 2, output: 2 });
});

test("contradictory usage is counted and kept out of the tokens", async () => {
  const sum = await ask(
    [request({ outputTokens: 5 }), request({ outputTokens: 99, usageState: "contradictory" })],
    {},
    totals,
  );
  assert.equal([sum.requests, sum.tokens.output, sum.excluded.contradictory], [2, 5, 1]);
  assert.equal(sum.lowerBound, { input: 1, output: 1 });
});

test("an empty store has no tokens rather than zero", async () => {
  const sum = await ask([], {}, totals);
  assert.equal([sum.sessions, sum.requests, sum.tokens.output], [0, 0, null]);
});

test("coverage says how many records carry what the figures need", async () => {
  const events = [
    session(),
    ...transcriptCoverage("s1"),
    turn({ turn: "a", atMs: NOON }),
    turn({ turn: "b", atMs: NOON + MINUTE }),
    request({ turn: "a", tenant: "acme" }),
    request({ turn: null, outputQuality: "provisional", atMs: NOON + 2 * MINUTE }),
    compaction({ id: "c1" }),
    compaction({ id: "c2" }),
    judgment("c1"),
  ];
  const { records, facts, sources, firstAtMs, lastAtMs } = await ask(events, {}, coverage);
  assert.equal(
    [
      records.turnsWithRequest,
      records.requestsInTurns,
      records.finalOutput,
      records.tenants,
      records.judgedCompactions,
    ],
    Array.from({ length: 5 }, () => ({ observed: 1, expected: 2 })),
  );
  assert.equal([firstAtMs, lastAtMs], [NOON, NOON + 2 * MINUTE]);
  const local = facts.find(({ fact }) => fact === "local_cache");
  assert.equal(local, {
    fact: "local_cache",
    full: 0,
    partial: 0,
    absent: 1,
    why: ["transcripts hold no local cache"],
  });
  assert.equal(
    sources.map(({ format, sources }) => [format, sources]),
    [["test", 1]],
  );
});

test.run();
