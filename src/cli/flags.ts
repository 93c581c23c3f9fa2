import { Flags } from "@oclif/core";
import { Failure } from "../failure.js";
import type { Scope } from "../store/scope.js";
import type { Environment } from "./environment.js";
import { sinceMs, timezoneOf, untilMs } from "./since.js";

export const storeFlag = Flags.string({
  description: "path of the store (default: $SONNY_STORE, then ~/.sonny/trace/cache.db)",
  helpValue: "PATH",
});

/** Which part of the store a question is about. Every figure on the page is restricted by all of them. */
export const scopeFlags = {
  session: Flags.string({ description: "only this session (an id matches only itself)", helpValue: "ID" }),
  tenant: Flags.string({ description: "only rows of this tenant; a filter, not an access control", helpValue: "NAME" }),
  agent: Flags.string({ description: "only sessions of this agent, such as claude-code", helpValue: "NAME" }),
  lane: Flags.string({ description: "only this lane, such as main", helpValue: "ID" }),
  model: Flags.string({ description: "only requests of this model", helpValue: "NAME" }),
};

export const windowFlags = {
  since: Flags.string({
    description: "from this moment on: 90m, 168h, 7d, 2w, 1d12h, 2026-08-01, now",
    helpValue: "WHEN",
  }),
  until: Flags.string({ description: "before this moment; a date includes that day", helpValue: "WHEN" }),
  timezone: Flags.string({ description: "zone for dates without an offset (default: local)", helpValue: "IANA" }),
};

type Given<T> = { [K in keyof T]?: string | undefined };

/** Text of the flags into the one `Scope` that goes through every question. */
export function scopeOf(
  flags: Given<typeof scopeFlags> & Given<typeof windowFlags>,
  env: Environment,
  nowMs: number,
): { scope: Scope; timezone: string } {
  const timezone = timezoneOf(
    flags.timezone ?? env.settings.timezone ?? new Intl.DateTimeFormat().resolvedOptions().timeZone,
  );
  const moment = { nowMs, timezone };
  const scope: Scope = {};
  for (const name of ["session", "tenant", "agent", "lane", "model"] as const) {
    const value = flags[name];
    if (value === "")
      throw new Failure("flag.empty", `--${name} needs a value`, { tries: [`leave --${name} out to ask about all`] });
    if (value !== undefined) scope[name] = value;
  }
  if (flags.since !== undefined) scope.sinceMs = sinceMs(flags.since, moment);
  if (flags.until !== undefined) scope.untilMs = untilMs(flags.until, moment);
  if (scope.sinceMs !== undefined && scope.untilMs !== undefined && scope.sinceMs >= scope.untilMs) {
    throw new Failure("window.empty", `--since ${flags.since} is not before --until ${flags.until}`, {
      tries: ["swap the two"],
    });
  }
  return { scope, timezone };
}
