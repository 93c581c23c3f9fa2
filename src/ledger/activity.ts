import { clockIn, periodIn } from "./calendar.js";
import type { Cell } from "./cells.js";

export interface Activity {
  /** Requests by weekday (0 = Monday) and hour (0..23) on the clock of the zone. */
  heatmap: number[][];
  /** Requests without a time: in no field of the map. */
  timeless: number;
  activeDays: number;
  busiestDay: { day: string; requests: number } | null;
  /** Consecutive active days up to today or yesterday, and the longest such run. */
  streak: { current: number; longest: number };
}

/**
 * Activity: when requests were made, on the clock of the zone.
 *
 * - A day is a day of that zone; on the days when the clock is changed it has 23 or 25 hours and counts once.
 * - The current streak still stands while today has no request yet: it ends today or yesterday.
 */
export function activity(cells: Cell[], timezone: string, nowMs: number): Activity {
  const heatmap = Array.from({ length: 7 }, () => Array.from({ length: 24 }, () => 0));
  const dayOf = periodIn(timezone, "day");
  const clock = clockIn(timezone);
  const days = new Map<number, { day: string; untilMs: number; requests: number }>();
  let timeless = 0;
  for (const { slot, requests } of cells) {
    if (slot === null) {
      timeless += requests;
      continue;
    }
    const { weekday, hour } = clock(slot);
    heatmap[weekday]![hour]! += requests;
    const { key, sinceMs, untilMs } = dayOf(slot);
    const seen = days.get(sinceMs)?.requests ?? 0;
    days.set(sinceMs, { day: key, untilMs, requests: seen + requests });
  }
  const today = dayOf(nowMs).sinceMs;
  const busiest = [...days.values()].sort((a, b) => b.requests - a.requests || a.day.localeCompare(b.day))[0];
  return {
    heatmap,
    timeless,
    activeDays: days.size,
    busiestDay: busiest === undefined ? null : { day: busiest.day, requests: busiest.requests },
    streak: streakOf(days, today),
  };
}

/** Days follow each other when one begins where the other ends. */
function streakOf(days: Map<number, { untilMs: number }>, today: number): Activity["streak"] {
  let current = 0;
  let longest = 0;
  let run = 0;
  let previousUntilMs: number | null = null;
  for (const [sinceMs, { untilMs }] of [...days].sort(([a], [b]) => a - b)) {
    run = sinceMs === previousUntilMs ? run + 1 : 1;
    longest = Math.max(longest, run);
    if (sinceMs === today || untilMs === today) current = run;
    previousUntilMs = untilMs;
  }
  return { current, longest };
}
