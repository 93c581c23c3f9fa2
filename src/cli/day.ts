import { TZDate } from "@date-fns/tz";
import { addDays } from "date-fns/addDays";
import { format } from "date-fns/format";
import { startOfDay } from "date-fns/startOfDay";

/** The day of a zone that a moment lies in: its date, its first moment, and the first one after it. */
export function dayIn(timezone: string): (atMs: number) => { key: string; sinceMs: number; untilMs: number } {
  return (atMs) => {
    const start = startOfDay(new TZDate(atMs, timezone));
    return { key: format(start, "yyyy-MM-dd"), sinceMs: start.getTime(), untilMs: addDays(start, 1).getTime() };
  };
}
