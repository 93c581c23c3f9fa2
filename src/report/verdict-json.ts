import type { CheckResult } from "../diagnostics/checks/check.js";
import { combined, type SessionVerdict } from "../diagnostics/checks/session.js";
import type { Stats } from "../diagnostics/stats.js";
import { isoOf, scopeJson } from "./moments.js";

/** What `context validate SESSION --json` prints. */
export function verdictJson(result: SessionVerdict, store: string): Record<string, unknown> {
  return { schemaVersion: 1, store, ...sessionJson(result) };
}

/** What `context validate --all --json` prints. */
export function verdictsJson(results: SessionVerdict[], scope: Stats["scope"], store: string): Record<string, unknown> {
  const count = (verdict: string) => results.filter((result) => result.verdict === verdict).length;
  return {
    schemaVersion: 1,
    store,
    scope: scopeJson(scope),
    verdict: combined(results.map(({ verdict }) => verdict)),
    pass: count("pass"),
    violated: count("violated"),
    unmeasured: count("unmeasured"),
    sessions: results.map(sessionJson),
  };
}

function sessionJson({ session, agent, tenant, verdict, violated, observed, checks }: SessionVerdict) {
  const { firstAtMs, lastAtMs, ...counts } = observed;
  return {
    session,
    agent,
    tenant,
    verdict,
    violated,
    observed: { ...counts, firstAt: isoOf(firstAtMs), lastAt: isoOf(lastAtMs) },
    checks: checks.map(checkJson),
  };
}

function checkJson({ evidence, ...check }: CheckResult) {
  return {
    ...check,
    evidence: evidence.map(({ eventId, atMs, lane, source, line, message, outcome }) => ({
      eventId,
      at: isoOf(atMs),
      lane,
      source,
      line,
      message,
      outcome,
    })),
  };
}
