import type { AssertionResult, FixtureReport } from "../gate/check-fixture.js";
import { clean } from "./clean.js";

/** One line per fixture, and one per assertion that is not simply met; then the sums. */
export function fixtureLines(report: FixtureReport): string {
  const lines = report.fixtures.flatMap(({ name, verdict, assertions }) => {
    const passed = assertions.filter(({ outcome }) => outcome === "pass").length;
    return [
      `${verdict === "pass" ? "pass    " : "VIOLATED"} ${clean(name)} (${passed} of ${assertions.length})`,
      ...assertions.filter(({ outcome }) => outcome !== "pass").map((assertion) => `  ${clean(told(assertion))}`),
    ];
  });
  return [
    ...lines,
    "",
    `${report.passed} passed, ${report.failed} failed, ${report.expectedFailures} expected failures`,
  ].join("\n");
}

/** The same values for machines; see product contract: an expected failure is never a pass. */
export function fixtureJson(report: FixtureReport): object {
  return { schemaVersion: 1, ...report };
}

function told({ text, expected, actual, outcome }: AssertionResult): string {
  const values = `expected ${JSON.stringify(expected)}, is ${JSON.stringify(actual)}`;
  if (outcome === "expected_failure") return `known failure: ${text} (${values})`;
  if (outcome === "unexpected_pass") return `passes now, remove expectFailure: ${text} (is ${JSON.stringify(actual)})`;
  return `FAILED ${text} (${values})`;
}
