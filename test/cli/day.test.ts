import { test } from "uvu";
import * as assert from "uvu/assert";
import { dayIn } from "../../src/cli/day.js";

const HOUR = 3_600_000;

test("a day of a zone begins and ends at its own midnights", () => {
  const day = dayIn("Asia/Tokyo")(Date.parse("2026-08-01T16:00:00Z"));
  assert.equal(day, {
    key: "2026-08-02",
    sinceMs: Date.parse("2026-08-01T15:00:00Z"),
    untilMs: Date.parse("2026-08-02T15:00:00Z"),
  });
});

test("a day on which the clock changes has 23 or 25 hours", () => {
  const berlin = dayIn("Europe/Berlin");
  const hours = (at: string) => {
    const { sinceMs, untilMs } = berlin(Date.parse(at));
    return (untilMs - sinceMs) / HOUR;
  };
  assert.equal(
    [hours("2026-03-29T12:00:00Z"), hours("2026-10-25T12:00:00Z"), hours("2026-06-01T12:00:00Z")],
    [23, 25, 24],
  );
});

test.run();
