import { test } from "uvu";
import * as assert from "uvu/assert";
import { dayIn } from "../../src/cli/day.js";
import { type TtlMix, ttlMix } from "../../src/diagnostics/ttl-mix.js";
import type { SessionEvent } from "../../src/events/event.js";
import { statsJson } from "../../src/report/stats-json.js";
import { statsText } from "../../src/report/stats-text.js";
import { ask, statsWithSpend } from "../support/ask.js";
import { DAY, HOUR, lane, MINUTE, NOON, request, turn } from "../support/events.js";

const mixOf = (events: SessionEvent[], dayOf: Parameters<typeof ttlMix>[2] = null): Promise<TtlMix> =>
  ask(events, {}, (db, selection) => ttlMix(db, selection, dayOf));

/** So many requests of a version, each writing 1,000 tokens, of which some for an hour. */
function version(name: string, atMs: number, hourLong: number, requests = 20): SessionEvent[] {
  return [
    turn({ turn: name, clientVersion: name, atMs }),
    ...Array.from({ length: requests }, (_, nth) =>
      request({
        turn: name,
        atMs: atMs + nth * MINUTE,
        write5mTokens: 1_000 - hourLong,
        write1hTokens: hourLong,
      }),
    ),
  ];
}

test("a version after which writes no longer live for an hour is a fall, with what both rest on", async () => {
  const { versions, falls } = await mixOf([
    ...version("2.1.9", NOON, 900),
    ...version("2.1.10", NOON + HOUR, 700, 25),
    ...version("2.1.11", NOON + 2 * HOUR, 100, 30),
  ]);
  assert.equal(
    versions.map((row) => [row.version, row.hourShare, row.requests]),
    [
      ["2.1.9", 0.9, 20],
      ["2.1.10", 0.7, 25],
      ["2.1.11", 0.1, 30],
    ],
  );
  assert.equal(falls, [
    {
      agent: "test-agent",
      from: { version: "2.1.10", hourShare: 0.7, requests: 25 },
      to: { version: "2.1.11", hourShare: 0.1, requests: 30 },
    },
  ]);
});

test("exactly 50 points, a rise, and versions seen too little are no fall", async () => {
  const falls = async (...events: SessionEvent[]) => (await mixOf(events)).falls.length;
  assert.is(await falls(...version("1", NOON, 750), ...version("2", NOON + HOUR, 250)), 0);
  assert.is(await falls(...version("1", NOON, 0), ...version("2", NOON + HOUR, 1_000)), 0);
  assert.is(await falls(...version("1", NOON, 1_000), ...version("2", NOON + HOUR, 0, 19)), 0);
  assert.is(await falls(...version("1", NOON, 1_000, 19), ...version("2", NOON + HOUR, 0)), 0);
  assert.is(
    await falls(...version("1", NOON, 1_000), ...version("2", NOON + HOUR, 0, 3), ...version("3", NOON + 2 * HOUR, 0)),
    1,
  );
});

test("subagents, which are written for 5 minutes anyway, make no fall", async () => {
  const inLane = version("2", NOON + HOUR, 0).map((event) => ({ ...event, lane: "sub" }));
  const { versions, falls } = await mixOf([...version("1", NOON, 1_000), lane({ lane: "sub" }), ...inLane]);
  assert.equal([versions.map((row) => row.version), falls], [["1"], []]);
});

test("writes of a turn without a version are shown and compared with nothing", async () => {
  const untold = version("x", NOON + HOUR, 0).filter(({ kind }) => kind === "request");
  const bare = untold.map((event) => ({ ...event, turn: null }));
  const { versions, falls } = await mixOf([...version("1", NOON, 1_000), ...bare]);
  assert.equal([versions.map((row) => row.version), falls], [["1", null], []]);
});

test("by day and version, days are those of the zone and add up to the versions", async () => {
  const events = [...version("1", NOON, 1_000), ...version("1", NOON + DAY, 0), ...version("2", NOON + DAY, 400)];
  const { versions, days } = await mixOf(events, dayIn("Asia/Kathmandu"));
  assert.equal(
    days!.map((row) => [row.day, row.version, row.hourShare, row.requests]),
    [
      ["2026-08-01", "1", 1, 20],
      ["2026-08-02", "1", 0, 20],
      ["2026-08-02", "2", 0.4, 20],
    ],
  );
  const sum = (rows: { requests: number }[]) => rows.reduce((all, { requests }) => all + requests, 0);
  assert.is(sum(days!), sum(versions));
  const late = version("1", Date.UTC(2026, 7, 1, 18, 15), 1_000, 1);
  assert.is((await mixOf(late, dayIn("Asia/Kathmandu"))).days![0]!.day, "2026-08-02");
});

test("the report names a fall, and machines can ask that there is none", async () => {
  const { stats, spend } = await statsWithSpend(
    [...version("2.1.1", NOON, 1_000), ...version("2.1.2", NOON + DAY, 0)],
    {},
    { by: "day" },
  );
  const text = statsText(stats, "/s.db", spend, 0.7, { width: 160, colour: false, timezone: "UTC" });
  assert.match(text, "fell from 1.000 (2.1.1, 20 requests) to 0.000 (2.1.2, 20 requests)");
  assert.match(text, /2026-08-02 +test-agent 2\.1\.2 +0\.000 +20,000 +20/);
  const json = statsJson(stats, "/s.db", spend) as { ttlFalls: unknown[]; ttlDays: unknown[] };
  assert.equal([json.ttlFalls.length, json.ttlDays.length], [1, 2]);
});

test.run();
