/** `context stats` and `context validate` through the built program. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { type Home, home } from "../support/cli.js";

const test = suite<{ at: Home }>("sonny context");
test.before.each((context) => {
  context.at = home();
});
test.after.each(({ at }) => at.cleanup());

const record = (at: Home, ...events: object[]) => {
  const ran = at.sonny(["record"], { input: events.map((event) => JSON.stringify(event)).join("\n") });
  assert.is(ran.code, 0, ran.stdout + ran.stderr);
};
const MINUTE = 60_000;
const ago = (minutes: number) => new Date(Date.now() - minutes * MINUTE).toISOString();
const request = (id: string, more: object = {}) => ({
  kind: "request",
  agent: "x",
  session: "s1",
  id,
  at: "2026-08-01T10:00:00Z",
  uncachedTokens: 10,
  readTokens: 30,
  outputTokens: 1,
  ...more,
});

test("7d, 168h and a date are windows, and each filters", ({ at }) => {
  const day = 24 * 60;
  record(at, request("old", { at: ago(10 * day) }), request("new", { at: ago(60) }));
  for (const since of ["7d", "168h", "1w", ago(7 * day), ago(7 * day).slice(0, 10)]) {
    assert.is(at.json(["context", "stats", "--since", since]).totals.requests, 1, since);
  }
  assert.is(at.json(["context", "stats"]).totals.requests, 2);
  assert.is(at.sonny(["context", "stats", "--since", "1h", "--until", "2h"]).code, 2);
});

test("exit codes: 0 pass, 1 violated, 2 not done, 3 unmeasured", ({ at }) => {
  record(
    at,
    request("a1", { session: "good", shellDigest: "X" }),
    request("a2", { session: "good", shellDigest: "X", at: "2026-08-01T10:01:00Z" }),
    request("b1", { session: "bad", shellDigest: "X" }),
    request("b2", { session: "bad", shellDigest: "Y", at: "2026-08-01T10:01:00Z" }),
    request("c1", { session: "blind" }),
    request("c2", { session: "blind", at: "2026-08-01T10:01:00Z" }),
  );
  const code = (...words: string[]) => at.sonny(["context", "validate", ...words]).code;
  assert.equal([code("good"), code("bad"), code("blind"), code("nobody")], [0, 1, 3, 3]);
  assert.equal([code("--all"), code("--all", "--since", "2030-01-01"), code("--all", "--agent", "y")], [1, 3, 3]);
  assert.equal(
    [code(), code("good", "--all"), code("good", "--floor", "70"), code("good", "--require", "x")],
    [2, 2, 2, 2],
  );
  assert.equal([code("good", "--require", "retention_floor"), code("good", "--tenant", "acme")], [3, 1]);
});

test("the JUnit file says what failed and what could not be decided", ({ at }) => {
  record(at, request("r1", { shellDigest: "X" }), request("r2", { at: "2026-08-01T10:01:00Z", shellDigest: "Y" }));
  assert.is(at.sonny(["context", "validate", "s1", "--junit", "out.xml"]).code, 1);
  const xml = readFileSync(join(at.folder, "out.xml"), "utf8");
  assert.match(xml, 'tests="4" failures="1" errors="0" skipped="3"');
  assert.match(xml, '<testcase classname="s1" name="shell_stability"><failure');
  const nowhere = at.sonny(["context", "validate", "s1", "--junit", "no/such/folder.xml"]);
  assert.equal([nowhere.code, nowhere.stderr.split("\n").length], [2, 2]);
});

test("an id that two agents use asks for the agent", ({ at }) => {
  record(at, request("r1"), request("r2", { agent: "y" }));
  const ran = at.sonny(["context", "validate", "s1"]);
  assert.is(ran.code, 2);
  assert.match(ran.stderr, "--agent x | --agent y");
  assert.is(at.sonny(["context", "stats", "--session", "s1", "--agent", "y"]).code, 0);
});

test("the CSV is lines of equal length that a spreadsheet reads", ({ at }) => {
  record(at, request("r1", { model: "a,b" }));
  const { stdout, code } = at.sonny(["context", "stats", "--csv", "--by", "model"]);
  const lines = stdout.trimEnd().split("\r\n");
  assert.is(code, 0);
  assert.ok(lines.some((line) => line.startsWith('"a,b",cache.read_ratio,,,0.75,')));
  assert.equal([...new Set(lines.map((line) => line.replace(/"[^"]*"/g, "").split(",").length))], [13]);
});

test("a judgment and a waiver that were recorded later change the verdict", ({ at }) => {
  record(
    at,
    { kind: "compaction", agent: "x", session: "s1", id: "c1", at: ago(3), recipe: "summary" },
    {
      kind: "contract",
      agent: "x",
      session: "s1",
      id: "k1",
      at: ago(2),
      contract: "answer",
      subjectKind: "final",
      outcome: "violation",
    },
  );
  const checks = () =>
    Object.fromEntries(
      at
        .json(["context", "validate", "s1"])
        .checks.map(({ id, verdict }: { id: string; verdict: string }) => [id, verdict]),
    );
  assert.equal([checks().retention_floor, checks().return_contract], ["unmeasured", "violated"]);
  record(
    at,
    {
      kind: "judgment",
      agent: "x",
      session: "s1",
      compaction: "c1",
      at: ago(1),
      score: 0.8,
      judgeKind: "human",
      judge: "ann",
    },
    { kind: "waiver", agent: "x", session: "s1", violation: "k1", at: ago(1), author: "ann", reason: "known" },
  );
  assert.equal([checks().retention_floor, checks().return_contract], ["pass", "pass"]);
  assert.is(at.sonny(["context", "validate", "s1"]).code, 0);
});

test.run();
