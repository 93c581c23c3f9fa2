import { test } from "uvu";
import * as assert from "uvu/assert";
import { DAY, NOON, request } from "../support/events.js";
import { used } from "../support/usage.js";

const active = (...daysAgo: number[]) =>
  used(
    daysAgo.map((days) => request({ atMs: NOON - days * DAY })),
    { tab: "activity" },
  );
const streak = async (...daysAgo: number[]) => (await active(...daysAgo)).activity!.streak;

test("a streak is a run of days that ends today or yesterday", async () => {
  assert.equal(await streak(), { current: 0, longest: 0 });
  assert.equal(await streak(0, 1, 2), { current: 3, longest: 3 });
  assert.equal(await streak(1, 2), { current: 2, longest: 2 });
  assert.equal(await streak(2, 3), { current: 0, longest: 2 });
  assert.equal(await streak(0, 0, 2, 3, 4), { current: 1, longest: 3 });
});

test("a streak goes on over a day of 23 hours", async () => {
  const nowMs = Date.parse("2026-03-30T10:00:00Z");
  const events = [0, 24, 48].map((hours) => request({ atMs: nowMs - hours * 3_600_000 }));
  const { activity } = await used(events, { tab: "activity", timezone: "Europe/Berlin", nowMs });
  assert.equal(activity!.streak, { current: 3, longest: 3 });
});

test("the map has the weekday and the hour of the zone", async () => {
  // A Saturday noon in UTC is eight in the evening in Singapore.
  const { activity } = await used([request()], { tab: "activity", timezone: "Asia/Singapore" });
  assert.is(activity!.heatmap[5]![20], 1);
});

test("the map is the same whatever the requests are grouped by", async () => {
  const events = [0, 1, 5].map((days) => request({ atMs: NOON - days * DAY }));
  const byDay = await used(events, { tab: "activity" });
  const byModel = await used(events, { tab: "activity", by: "model" });
  assert.equal(byModel.activity, byDay.activity);
});

test.run();
