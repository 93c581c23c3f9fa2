import { TZDate } from "@date-fns/tz";
import { addDays } from "date-fns/addDays";
import { addMonths } from "date-fns/addMonths";
import { addWeeks } from "date-fns/addWeeks";
import { format } from "date-fns/format";
import { startOfDay } from "date-fns/startOfDay";
import { startOfISOWeek } from "date-fns/startOfISOWeek";
import { startOfMonth } from "date-fns/startOfMonth";

/** Days, ISO weeks (from Monday) and months of a zone. */
export const PERIODS = ["day", "week", "month"] as const;
export type PeriodKind = (typeof PERIODS)[number];

/** A period by its name (`2026-08-01`, `2026-W31`, `2026-08`), from its first moment to the first one after it. */
export interface Period {
  key: string;
  sinceMs: number;
  untilMs: number;
}

/**
 * Length of the slots in which requests are summed before they are sorted into periods: no slot may lie in two days. An
 * hour where the zone differs from UTC by whole hours all year round, else a quarter: no zone in use has a finer offset.
 */
export function slotMsOf(timezone: string): number {
  const isWhole = (year: number, month: number) =>
    new TZDate(Date.UTC(year, month), timezone).getTimezoneOffset() % 60 === 0;
  for (let year = 2000; year < 2050; year += 1) if (!isWhole(year, 0) || !isWhole(year, 6)) return HOUR_MS / 4;
  return HOUR_MS;
}

/** Sorts moments into the periods of a zone. Quick when asked in ascending order: one look at the calendar a period. */
export function periodIn(timezone: string, kind: PeriodKind): (atMs: number) => Period {
  let last: Period | undefined;
  return (atMs) => {
    if (last === undefined || atMs < last.sinceMs || atMs >= last.untilMs) last = periodOf(timezone, kind, atMs);
    return last;
  };
}

/** The hour on the clock (0..23) and the weekday (0 = Monday) of a moment in a zone. */
export function clockIn(timezone: string): (atMs: number) => { weekday: number; hour: number } {
  const dayOf = periodIn(timezone, "day");
  let day: Period | undefined;
  let weekday = 0;
  return (atMs) => {
    if (day !== dayOf(atMs)) {
      day = dayOf(atMs);
      weekday = (new TZDate(day.sinceMs, timezone).getDay() + 6) % 7;
    }
    // A day on which the clock is changed has 23 or 25 hours.
    const isPlain = day.untilMs - day.sinceMs === 24 * HOUR_MS;
    const hour = isPlain ? Math.floor((atMs - day.sinceMs) / HOUR_MS) : new TZDate(atMs, timezone).getHours();
    return { weekday, hour };
  };
}

const HOUR_MS = 3_600_000;

function periodOf(timezone: string, kind: PeriodKind, atMs: number): Period {
  const at = new TZDate(atMs, timezone);
  const [start, next, name] =
    kind === "day"
      ? ([startOfDay(at), addDays, "yyyy-MM-dd"] as const)
      : kind === "week"
        ? ([startOfISOWeek(at), addWeeks, "RRRR-'W'II"] as const)
        : ([startOfMonth(at), addMonths, "yyyy-MM"] as const);
  return { key: format(start, name), sinceMs: start.getTime(), untilMs: next(start, 1).getTime() };
}
