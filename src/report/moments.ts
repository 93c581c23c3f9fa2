import type { Stats } from "../diagnostics/stats.js";

/** A moment for machines: ISO 8601 in UTC, null when unknown. */
export function isoOf(atMs: number | null | undefined): string | null {
  return atMs === null || atMs === undefined ? null : new Date(atMs).toISOString();
}

/** The scope as it was asked for; null where nothing was. */
export function scopeJson(scope: Stats["scope"]) {
  return {
    session: scope.session ?? null,
    tenant: scope.tenant ?? null,
    since: isoOf(scope.sinceMs),
    until: isoOf(scope.untilMs),
    agent: scope.agent ?? null,
    lane: scope.lane ?? null,
    model: scope.model ?? null,
  };
}
