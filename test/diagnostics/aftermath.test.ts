import { test } from "uvu";
import * as assert from "uvu/assert";
import { payback, paybackFigure } from "../../src/diagnostics/payback.js";
import { rework, reworkFigure } from "../../src/diagnostics/rework.js";
import { thrash } from "../../src/diagnostics/thrash.js";
import type { SessionEvent, ToolCallFact } from "../../src/events/event.js";
import { priceBook } from "../../src/pricing/book.js";
import { ask, check } from "../support/ask.js";
import { compaction, digest, MINUTE, NOON, request, toolCall, turn } from "../support/events.js";

const minute = (n: number) => NOON + n * MINUTE;
const call = (
  n: number,
  tool: string,
  given: string,
  target: string,
  result: string,
  more: Partial<ToolCallFact> = {},
) =>
  toolCall({
    tool,
    argumentsDigest: digest(given),
    targetDigest: digest(target),
    resultDigest: digest(result),
    resultBytes: 400,
    atMs: minute(n),
    ...more,
  });
const compacted = (n: number, more = {}) =>
  compaction({ atMs: minute(n), tokensBefore: 1000, tokensAfter: 100, ...more });
const asked = (n: number, uncachedTokens = 200) => request({ atMs: minute(n), uncachedTokens, readTokens: 0 });

const figureOf = (events: SessionEvent[]) =>
  ask(events, {}, async (db, selection) => reworkFigure(await rework(db, selection)));

/** Five calls, then a compaction. */
const before = [
  call(1, "Read", "a.ts", "a.ts", "text a"),
  call(2, "Read", "b.ts 1-50", "b.ts", "text b"),
  call(3, "Bash", "make test", "make test", "1 failed"),
  call(4, "Read", "c.ts", "c.ts", "text c"),
  call(5, "Read", "d.ts", "d.ts", "text d"),
  compacted(10),
];

test("two of five calls were done again; another range and a read after an own edit are not rework", async () => {
  const found = await figureOf([
    ...before,
    asked(11),
    call(12, "Read", "a.ts", "a.ts", "text a"),
    call(13, "Bash", "make test", "make test", "1 failed"),
    call(14, "Read", "b.ts 51-90", "b.ts", "more of b"),
    call(15, "Edit", "c.ts x", "c.ts", "edited"),
    call(16, "Read", "c.ts", "c.ts", "new text c"),
  ]);
  assert.equal([found.value, found.count, found.of, found.tokensAgain], [0.4, 2, 5, 200]);
  assert.equal([found.afterOwnEdit, found.otherRange, found.changedResult, found.otherLane], [1, 1, 0, 0]);
});

test("a changed result and another lane are counted apart", async () => {
  const found = await figureOf([
    ...before,
    asked(11),
    call(12, "Read", "a.ts", "a.ts", "somebody changed a"),
    call(13, "Read", "d.ts", "d.ts", "text d", { lane: "sub" }),
  ]);
  assert.equal([found.count, found.changedResult, found.otherLane], [0, 1, 1]);
});

test("a call that is repeated three times is one call done again", async () => {
  const again = [12, 13, 14].map((n) => call(n, "Read", "a.ts", "a.ts", "text a"));
  assert.is((await figureOf([...before, asked(11), ...again])).count, 1);
});

test("agents repeat themselves anyway: the same share within the context before", async () => {
  const habit = [1, 2, 3, 4].flatMap((n) => [call(n, "Bash", "make", "make", "ok")]);
  const found = await figureOf([
    ...habit,
    compacted(10),
    asked(11),
    call(12, "Read", "x", "x", "x"),
    call(13, "Read", "y", "y", "y"),
  ]);
  assert.equal(found.baseline, { value: 1, count: 1, of: 1 });
});

test("nothing removed, or no request after it, has no figure", async () => {
  assert.is((await figureOf([compacted(10), asked(11)])).value, null);
  assert.is((await figureOf(before)).value, null);
});

test("the context is as large as before after so many requests", async () => {
  const [found] = await ask([...before, asked(11), asked(13, 1000)], {}, rework);
  assert.equal([found!.reboundRequests, found!.reboundMs], [2, 3 * MINUTE]);
});

const opus = { provider: "anthropic", model: "claude-opus-5" };
const paidBy = (events: SessionEvent[]) =>
  ask(events, {}, async (db, selection) => payback(db, selection, priceBook()));

test("180,000 tokens cut to 9,000 pay back after 2.2 requests, or 11.7 if the prompt had to be built anew", async () => {
  const [paid] = await paidBy([
    compacted(10, { tokensBefore: 180_000, tokensAfter: 9_000, summaryTokens: 2_000 }),
    request({ atMs: minute(11), ...opus }),
  ]);
  assert.equal([paid!.ifCached?.toFixed(1), paid!.ifRebuilt?.toFixed(1), paid!.requests], ["2.2", "11.7", 1]);
});

test("what saved nothing never pays, and what has no price is counted", async () => {
  const paid = await paidBy([
    compacted(10, { tokensBefore: 900, tokensAfter: 1_000, summaryTokens: 10 }),
    compacted(20, { tokensBefore: 900, tokensAfter: 100, summaryTokens: 10 }),
    request({ atMs: minute(21), provider: "nobody", model: "nothing" }),
  ]);
  const figure = paybackFigure(paid);
  assert.equal([figure.value, figure.never, figure.unpriced, figure.coverage.observed], [null, 1, 1, 0]);
});

test("three compactions with fewer than four turns between are thrash, two are not", async () => {
  const turns = [1, 2, 3].map((n) => turn({ turn: `t${n}`, atMs: minute(n * 10 + 5) }));
  const close = [10, 20, 30].map((n) => compacted(n));
  const [run] = await ask([...turns, ...close], {}, thrash);
  assert.equal([run!.compactions.length, run!.turnsBetween], [3, [1, 1]]);
  assert.equal(await ask([...turns, ...close.slice(1)], {}, thrash), []);
});

test("validate notes thrash beside the compactions", async () => {
  const { evidence } = await check(
    "retention_floor",
    [10, 20, 30].map((n) => compacted(n)),
  );
  const noted = evidence.filter(({ outcome }) => outcome === "noted").map(({ message }) => message);
  assert.equal(noted, ["thrash: the last of 3 compactions with at most 0 turns between"]);
});

test("four turns between end a run", async () => {
  const turns = [11, 12, 13, 14].map((n) => turn({ turn: `t${n}`, atMs: minute(n) }));
  assert.equal(await ask([...turns, ...[10, 20, 30].map((n) => compacted(n))], {}, thrash), []);
});

test.run();
