import type { CheckResult, Verdict } from "../diagnostics/checks/check.js";
import type { SessionVerdict } from "../diagnostics/checks/session.js";
import { type JunitCase, junit } from "./junit.js";

/** The verdicts as JUnit: one suite per session, one case per check. Unmeasured and not applicable are skipped. */
export function verdictJunit(results: SessionVerdict[]): string {
  return junit(
    "sonny context validate",
    results.flatMap(({ session, checks }) => checks.map((check) => caseOf(session, check))),
  );
}

const OUTCOMES: Record<Verdict, JunitCase["outcome"]> = {
  pass: "passed",
  violated: "failed",
  unmeasured: "skipped",
  not_applicable: "skipped",
};

function caseOf(session: string, { id, verdict, summary, evidence }: CheckResult): JunitCase {
  return {
    suite: session,
    name: id,
    outcome: OUTCOMES[verdict],
    message: `${verdict.replaceAll("_", " ")}: ${summary}`,
    details: evidence
      .filter(({ outcome }) => outcome === "violation")
      .map(({ message, source, line, eventId }) => `${message} (${source}:${line ?? "?"}, event ${eventId})`),
  };
}
