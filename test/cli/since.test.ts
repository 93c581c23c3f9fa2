import { test } from "uvu";
import * as assert from "uvu/assert";
import { sinceMs, timezoneOf, untilMs } from "../../src/cli/since.js";
import { Failure } from "../../src/failure.js";

const now = { nowMs: Date.UTC(2026, 2, 30, 12), timezone: "Europe/Berlin" };
const HOUR = 3_600_000;

test("every accepted span counts back from now, whatever its spelling", () => {
  const hours: [string, number][] = [
    ["90m", 1.5],
    ["1h", 1],
    ["168h", 168],
    ["7d", 168],
    [" 7D ", 168],
    ["1w", 168],
    ["2w", 336],
    ["1d12h", 36],
    ["now", 0],
  ];
  assert.equal(
    hours.map(([text]) => [text, (now.nowMs - sinceMs(text, now)) / HOUR]),
    hours,
  );
});

test("seven days are 168 hours even when the clock changed in between", () => {
  assert.is(sinceMs("7d", now), sinceMs("168h", now));
});

test("a date starts at its local midnight and ends after that day", () => {
  assert.is(sinceMs("2026-03-29", now), Date.UTC(2026, 2, 28, 23));
  assert.is(untilMs("2026-03-29", now), Date.UTC(2026, 2, 29, 22));
});

test("a date and time is local unless it names an offset", () => {
  assert.is(sinceMs("2026-08-01T10:00", now), Date.UTC(2026, 7, 1, 8));
  assert.is(sinceMs("2026-08-01 10:00:30", now), Date.UTC(2026, 7, 1, 8, 0, 30));
  assert.is(sinceMs("2026-08-01T10:00Z", now), Date.UTC(2026, 7, 1, 10));
  assert.is(sinceMs("2026-08-01T10:00:00+02:00", now), Date.UTC(2026, 7, 1, 8));
});

test("a time that the machine's own zone skips is a time in another zone", () => {
  const zone = process.env.TZ;
  process.env.TZ = "Europe/Berlin";
  try {
    assert.is(sinceMs("2026-03-29T02:30", { ...now, timezone: "UTC" }), Date.UTC(2026, 2, 29, 2, 30));
  } finally {
    if (zone === undefined) delete process.env.TZ;
    else process.env.TZ = zone;
  }
});

test("an evening in Los Angeles belongs to its local day", () => {
  const there = { ...now, timezone: "America/Los_Angeles" };
  const evening = Date.UTC(2026, 0, 25, 4, 8);
  assert.ok(evening >= sinceMs("2026-01-24", there) && evening < untilMs("2026-01-24", there));
});

for (const text of [
  "7",
  "-7d",
  "d",
  "7d5",
  "1e3h",
  "",
  " ",
  "99999999999d",
  "999999999w",
  "P7D",
  "7 days",
  "2026-13-01",
  "2026-02-30",
  "yesterday",
  "7d -1h",
  "2026-08-01T25:00Z",
  "0x7d",
]) {
  test(`${JSON.stringify(text)} is refused with the accepted forms`, () => {
    try {
      sinceMs(text, now);
      assert.unreachable();
    } catch (error) {
      assert.instance(error, Failure);
      assert.is((error as Failure).code, "since.unreadable");
      assert.match((error as Failure).message, "90m, 168h, 7d");
    }
  });
}

test("an unknown time zone is refused by name", () => {
  assert.throws(() => timezoneOf("Mars/Olympus"), /"Mars\/Olympus" is not a time zone/);
});

test.run();
