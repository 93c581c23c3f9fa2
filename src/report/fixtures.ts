import type { AssertionResult, FixtureReport } from "../gate/check-fixture.js";
import { clean } from "./clean.js";
import { junit } from "./junit.js";

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

/** JUnit: a fixture is a suite, an assertion a case; a known failure is skipped with its reason. */
export function fixtureJunit(report: FixtureReport): string {
  const cases = report.fixtures.flatMap(({ name, assertions }) =>
    assertions.map((assertion) => ({
      suite: name,
      name: assertion.text,
      outcome: JUNIT[assertion.outcome],
      message: told(assertion),
      details: [],
    })),
  );
  return junit("sonny fixture check", cases);
}

const JUNIT = { pass: "passed", fail: "failed", unexpected_pass: "failed", expected_failure: "skipped" } as const;

function told({ text, expected, actual, outcome }: AssertionResult): string {
  const values = `expected ${JSON.stringify(expected)}, is ${JSON.stringify(actual)}`;
  if (outcome === "expected_failure") return `known failure: ${text} (${values})`;
  if (outcome === "unexpected_pass") return `passes now, remove expectFailure: ${text} (is ${JSON.stringify(actual)})`;
  return `FAILED ${text} (${values})`;
}
