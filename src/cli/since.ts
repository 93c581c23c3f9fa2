import { tzOffset } from "@date-fns/tz";
import { isValid } from "date-fns/isValid";
import { parseISO } from "date-fns/parseISO";
import { Failure } from "../failure.js";

const UNIT_MS: Record<string, number> = { m: 60_000, h: 3_600_000, d: 86_400_000, w: 604_800_000 };
const SPAN = /^(?:\d{1,9}[mhdw])+$/;
const DATE = /^\d{4}-\d{2}-\d{2}$/;
const DATE_TIME = /^\d{4}-\d{2}-\d{2}[T ]\d{2}:\d{2}(?::\d{2}(?:\.\d{1,9})?)?(Z|[+-]\d{2}:?\d{2})?$/;
const LATEST_MS = 8_640_000_000_000_000;

export interface Moment {
  nowMs: number;
  /** IANA name of the zone in which dates without an offset are read. */
  timezone: string;
}

/** The start of a window as milliseconds since the epoch, inclusive. A date means the start of that day. */
export function sinceMs(text: string, moment: Moment): number {
  return momentOf(text, moment, 0);
}

/** The end of a window as milliseconds since the epoch, exclusive. A date means the end of that day. */
export function untilMs(text: string, moment: Moment): number {
  return momentOf(text, moment, 1);
}

/** Refuses a name that is not an IANA time zone of this Node. */
export function timezoneOf(name: string): string {
  try {
    return new Intl.DateTimeFormat("en", { timeZone: name }).resolvedOptions().timeZone;
  } catch {
    throw new Failure("timezone.unknown", `"${name}" is not a time zone`, {
      tries: ["--timezone Europe/Berlin", "--timezone UTC"],
    });
  }
}

function momentOf(given: string, { nowMs, timezone }: Moment, daysAfterDate: 0 | 1): number {
  const text = given.trim();
  const lower = text.toLowerCase();
  if (lower === "now") return nowMs;
  const at = SPAN.test(lower) ? nowMs - spanMs(lower) : dateMs(text, timezone, daysAfterDate);
  if (at === null || !Number.isFinite(at) || Math.abs(at) > LATEST_MS) throw unreadable(given);
  return at;
}

/** A day is 24 hours and a week 7 days exactly, also over a change of the clock: `7d` and `168h` are one moment. */
function spanMs(text: string): number {
  return [...text.matchAll(/(\d+)([mhdw])/g)].reduce(
    (sum, [, count, unit]) => sum + Number(count) * UNIT_MS[unit!]!,
    0,
  );
}

function dateMs(text: string, timezone: string, daysAfter: 0 | 1): number | null {
  if (DATE.test(text)) {
    const midnight = parseISO(`${text}T00:00:00Z`);
    return isValid(midnight) ? momentIn(timezone, midnight.getTime() + daysAfter * UNIT_MS.d!) : null;
  }
  const found = DATE_TIME.exec(text);
  if (found === null) return null;
  const iso = text.replace(" ", "T");
  const said = parseISO(found[1] === undefined ? `${iso}Z` : iso);
  if (!isValid(said)) return null;
  return found[1] === undefined ? momentIn(timezone, said.getTime()) : said.getTime();
}

/**
 * The moment at which clocks of the zone show what a clock in UTC shows at `wallMs`. The machine's own zone plays no
 * part. A time that the zone skips is the moment an hour later.
 */
function momentIn(timezone: string, wallMs: number): number {
  const near = wallMs - tzOffset(timezone, new Date(wallMs)) * UNIT_MS.m!;
  return wallMs - tzOffset(timezone, new Date(near)) * UNIT_MS.m!;
}

function unreadable(text: string): Failure {
  return new Failure(
    "since.unreadable",
    `"${text}" is neither a span (90m, 168h, 7d, 2w, 1d12h), a date (2026-08-01), a date and time, nor now`,
    { tries: ["--since 7d", "--since 2026-08-01"] },
  );
}
