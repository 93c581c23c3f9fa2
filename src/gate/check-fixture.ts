import { mkdtempSync, readdirSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import { Failure } from "../failure.js";
import type { Store } from "../store/open.js";
import { meets, partOf, valueAt } from "./expectation.js";
import { type Fixture, type Question, readFixture } from "./fixture.js";
import { storeOfFixture } from "./fixture-store.js";

export type Outcome = "pass" | "fail" | "expected_failure" | "unexpected_pass";

export interface AssertionResult {
  text: string;
  expected: unknown;
  actual: unknown;
  outcome: Outcome;
}

export interface FixtureResult {
  name: string;
  file: string;
  about: string | null;
  verdict: "pass" | "violated";
  assertions: AssertionResult[];
}

export interface FixtureReport {
  fixtures: FixtureResult[];
  passed: number;
  failed: number;
  expectedFailures: number;
}

/**
 * Answers a question about a store as the command would: its JSON, and its exit code as `exit`. Dates are in UTC unless a question names a zone, and prices are the shipped ones, so that a fixture is the same on every machine.
 */
export type Asker = (
  store: Store,
  question: Pick<Question, "ask" | "flags">,
  nowMs: number,
) => Promise<Record<string, unknown>>;

/** Runs every fixture of a folder, or one file, each in a store of its own below `folder`, which is removed again. */
export async function checkFixtures(
  target: string,
  ask: Asker,
  options: { folder: string; nowMs: number },
): Promise<FixtureReport> {
  const fixtures: FixtureResult[] = [];
  for (const file of fixtureFiles(target))
    fixtures.push(await checkFixture(readFixture(file, options.nowMs), ask, options.folder));
  const outcomes = fixtures.flatMap(({ assertions }) => assertions.map(({ outcome }) => outcome));
  const count = (...wanted: Outcome[]) => outcomes.filter((outcome) => wanted.includes(outcome)).length;
  return {
    fixtures,
    passed: count("pass"),
    failed: count("fail", "unexpected_pass"),
    expectedFailures: count("expected_failure"),
  };
}

async function checkFixture(fixture: Fixture, ask: Asker, folder: string): Promise<FixtureResult> {
  const home = mkdtempSync(join(folder, "sonny-fixture-"));
  try {
    const store = await storeOfFixture(fixture, join(home, "store.db"));
    const assertions: AssertionResult[] = [];
    try {
      for (const question of fixture.questions) {
        const answer = await ask(store, question, fixture.nowMs);
        for (const [path, expected] of question.wanted) assertions.push(resultOf(question, answer, path, expected));
      }
    } finally {
      await store.close();
    }
    const violated = assertions.some(({ outcome }) => outcome === "fail" || outcome === "unexpected_pass");
    return {
      name: fixture.name,
      file: fixture.file,
      about: fixture.about,
      verdict: violated ? "violated" : "pass",
      assertions,
    };
  } finally {
    rmSync(home, { recursive: true, force: true });
  }
}

function resultOf(question: Question, answer: unknown, path: string, expected: unknown): AssertionResult {
  const actual = valueAt(answer, path);
  const met = meets(actual, expected);
  const flags = Object.entries(question.flags).map(([name, value]) => `${name}=${value}`);
  return {
    text: `${[question.ask, ...flags].join(" ")}: ${path}`,
    expected,
    actual: partOf(actual, expected) ?? null,
    outcome: question.expectFailure ? (met ? "unexpected_pass" : "expected_failure") : met ? "pass" : "fail",
  };
}

/** A gate that finds nothing to check must not pass. */
function fixtureFiles(target: string): string[] {
  let files: string[];
  try {
    files = statSync(target).isDirectory()
      ? readdirSync(target)
          .filter((name) => /\.ya?ml$/.test(name))
          .sort()
          .map((name) => join(target, name))
      : [target];
  } catch (cause) {
    throw new Failure("fixture.missing", `no fixtures at ${target}`, {
      tries: ["sonny fixture check DIR", "sonny fixture new SESSION"],
      cause,
    });
  }
  if (files.length === 0)
    throw new Failure("fixture.missing", `${target} holds no .yaml fixture`, { tries: ["sonny fixture new SESSION"] });
  return files;
}
