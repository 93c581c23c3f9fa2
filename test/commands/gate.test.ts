/** A release engineer's path: record, fixture, red, green. */
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { type Home, home } from "../support/cli.js";

const test = suite<{ at: Home }>("sonny fixture");
test.before.each((context) => {
  context.at = home();
});
test.after.each(({ at }) => at.cleanup());

const SAMPLE = join(process.cwd(), "fixtures/demo");
const BUSY = "5a3f0c11-7d1e-4f6a-9b0a-2f1c8e6d4b01";

test("a recorded session becomes a fixture that is green, red after an edit, and green again", ({ at }) => {
  assert.is(at.sonny(["import", SAMPLE]).code, 0);
  assert.is(at.sonny(["fixture", "new", BUSY, "--out", "busy.yaml"]).code, 0);
  assert.is(at.sonny(["fixture", "check", "busy.yaml"]).code, 0);

  const file = join(at.folder, "busy.yaml");
  const yaml = readFileSync(file, "utf8");
  const edited = yaml.replace(/totals\.requests: (\d+)/, "totals.requests: 999");
  assert.is.not(edited, yaml);
  writeFileSync(file, edited);
  const red = at.sonny(["fixture", "check", "busy.yaml", "--junit", "out.xml"]);
  assert.is(red.code, 1);
  assert.match(red.stdout, /FAILED stats session=.*: totals\.requests \(expected 999, is \d+\)/);
  assert.match(readFileSync(join(at.folder, "out.xml"), "utf8"), 'failures="1"');

  writeFileSync(file, yaml);
  assert.is(at.sonny(["fixture", "check", "busy.yaml"]).code, 0);
});

test("the fixture of a session gives the same figures and verdicts as the session itself", ({ at }) => {
  at.sonny(["import", SAMPLE]);
  at.sonny(["fixture", "new", BUSY, "--out", "busy.yaml"]);
  const live = at.json(["context", "stats", "--session", BUSY]);
  const yaml = readFileSync(join(at.folder, "busy.yaml"), "utf8").replace(
    /^assertions:/m,
    `assertions:\n  - stats: { session: ${BUSY} }\n    expect: { totals: ${JSON.stringify({ ...live.totals })}, metrics.cache.read_ratio: ${JSON.stringify({ value: live.metrics["cache.read_ratio"].value, state: live.metrics["cache.read_ratio"].state })} }`,
  );
  writeFileSync(join(at.folder, "busy.yaml"), yaml);
  const ran = at.sonny(["fixture", "check", "busy.yaml"]);
  assert.is(ran.code, 0, ran.stdout + ran.stderr);
});

test("a forked session gives a fixture that is green, with what it inherited", ({ at }) => {
  at.sonny(["import", join(process.cwd(), "fixtures/transcripts/claude-code/fork")]);
  for (const { session } of at.json(["context", "validate", "--all"]).sessions) {
    assert.is(at.sonny(["fixture", "new", session, "--out", `${session}.yaml`]).code, 0);
    const ran = at.sonny(["fixture", "check", `${session}.yaml`]);
    assert.is(ran.code, 0, ran.stdout + ran.stderr);
  }
});

test("fixture new does not overwrite", ({ at }) => {
  at.sonny(["import", SAMPLE]);
  writeFileSync(join(at.folder, "busy.yaml"), "mine");
  assert.is(at.sonny(["fixture", "new", BUSY, "--out", "busy.yaml"]).code, 2);
  assert.is(readFileSync(join(at.folder, "busy.yaml"), "utf8"), "mine");
});

const base =
  "events:\n  - { kind: request, session: s1, id: r1, at: 2026-08-01T10:00:00Z, uncachedTokens: 1, readTokens: 3, outputTokens: 1 }\n";
const check = (at: Home, yaml: string) => {
  mkdirSync(join(at.folder, "f"), { recursive: true });
  writeFileSync(join(at.folder, "f", "one.yaml"), base + yaml);
  return at.sonny(["fixture", "check", "f", "--json"]);
};

test("a known failure is listed and never counted as passed", ({ at }) => {
  const ran = check(
    at,
    "assertions:\n  - stats: {}\n    expect: { totals.requests: 1 }\n    expectFailure: { totals.turns: 7 }\n",
  );
  const { passed, failed, expectedFailures, fixtures } = JSON.parse(ran.stdout);
  assert.equal([ran.code, passed, failed, expectedFailures], [0, 1, 0, 1]);
  assert.equal(
    fixtures[0].assertions.map(({ outcome }: { outcome: string }) => outcome),
    ["pass", "expected_failure"],
  );
});

test("a known failure that starts to pass fails the run until the mark is removed", ({ at }) => {
  const ran = check(at, "assertions:\n  - stats: {}\n    expectFailure: { totals.requests: 1 }\n");
  assert.is(ran.code, 1);
  assert.is(JSON.parse(ran.stdout).fixtures[0].assertions[0].outcome, "unexpected_pass");
});

const unreadable: [string, string, RegExp][] = [
  ["no assertions", "", /assertions/],
  ["an empty list of assertions", "assertions: []\n", /proves nothing/],
  ["an assertion without expectation", "assertions:\n  - stats: {}\n", /needs expect/],
  ["an unknown flag", "assertions:\n  - stats: { sesion: s1 }\n    expect: { exit: 0 }\n", /"sesion" is not a flag/],
  ["broken YAML", "assertions: [\n", /one\.yaml:\d+: not YAML/],
  ["an unknown word", "asertions: []\nassertions:\n  - stats: {}\n    expect: { exit: 0 }\n", /asertions/],
];
for (const [name, yaml, reason] of unreadable) {
  test(`a fixture with ${name} is refused in one line, exit 2`, ({ at }) => {
    mkdirSync(join(at.folder, "f"));
    writeFileSync(join(at.folder, "f", "one.yaml"), base + yaml);
    const ran = at.sonny(["fixture", "check", "f"]);
    assert.is(ran.code, 2, ran.stdout + ran.stderr);
    assert.match(ran.stderr, reason);
    assert.is(ran.stderr.trim().split("\n").length, 1);
  });
}

test("a gate that finds no fixtures does not pass", ({ at }) => {
  mkdirSync(join(at.folder, "empty"));
  for (const target of ["empty", "nowhere"]) assert.is(at.sonny(["fixture", "check", target]).code, 2);
});

test.run();
