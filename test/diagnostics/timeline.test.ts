import { test } from "uvu";
import * as assert from "uvu/assert";
import { timeline } from "../../src/diagnostics/timeline.js";
import type { SessionEvent } from "../../src/events/event.js";
import { type Scope, select } from "../../src/store/scope.js";
import { compaction, MINUTE, NOON, request, turn } from "../support/events.js";
import { storeOf } from "../support/store.js";

async function shown(events: SessionEvent[], scope: Scope) {
  const store = storeOf(...events);
  try {
    return await timeline(store.db, await select(store.db, scope));
  } finally {
    store.cleanup();
  }
}

test("requests are numbered in order of time over all lanes, turns per lane, and a compaction stands before what it made shorter", async () => {
  const entries = await shown(
    [
      turn({ turn: "p1", atMs: NOON }),
      turn({ turn: "p2", atMs: NOON + 4 * MINUTE }),
      request({ turn: "p2", atMs: NOON + 5 * MINUTE }),
      compaction({ atMs: NOON + 5 * MINUTE }),
      request({ turn: "p1", atMs: NOON + MINUTE }),
      request({ lane: "sub", atMs: NOON + 2 * MINUTE }),
    ],
    { session: "s1" },
  );
  assert.equal(
    entries.map((entry) => (entry.kind === "request" ? [entry.number, entry.lane, entry.turn] : entry.kind)),
    [[1, "main", 1], [2, "sub", null], "compaction", [3, "main", 2]],
  );
});

test("a session shows what it inherited, marked, and a snapshot of itself once", async () => {
  const copy = (session: string, started: number) => [
    turn({ session, turn: `of-${session}`, atMs: NOON + started }),
    request({ session, id: "shared", atMs: NOON + MINUTE }),
  ];
  const events = [...copy("first", 0), ...copy("fork", MINUTE)];
  assert.equal(
    (await shown(events, { session: "first" })).map((entry) => entry.inherited),
    [false],
  );
  assert.equal(
    (await shown(events, { session: "fork" })).map((entry) => entry.inherited),
    [true],
  );
});

test("what a request did not tell is null, and a provisional output is marked", async () => {
  const [entry] = await shown(
    [
      request({
        uncachedTokens: null,
        readTokens: null,
        write5mTokens: null,
        write1hTokens: null,
        writeUnsplitTokens: null,
        cacheReported: false,
        outputQuality: "provisional",
        usageState: "partial",
      }),
    ],
    { session: "s1" },
  );
  if (entry?.kind !== "request") throw new Error("no request");
  assert.equal(
    [entry.promptTokens, entry.readTokens, entry.writtenTokens, entry.provisional],
    [null, null, null, true],
  );
});

test.run();
