/** The event door as a person uses it: lines in, verdicts changed. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { type Home, home } from "../support/cli.js";

const test = suite<{ at: Home }>("sonny record");
test.before.each((context) => {
  context.at = home();
});
test.after.each(({ at }) => at.cleanup());

const lines = (...events: object[]) => events.map((event) => JSON.stringify(event)).join("\n");
const request = (id: string, minute: number) => ({
  kind: "request",
  session: "s1",
  agent: "my-agent",
  id,
  at: `2026-08-01T10:0${minute}:00Z`,
  shellDigest: "X",
  uncachedTokens: 1,
  readTokens: 9,
  outputTokens: 1,
});
const compaction = {
  kind: "compaction",
  session: "s1",
  agent: "my-agent",
  id: "c1",
  at: "2026-08-01T10:05:00Z",
  recipe: "r",
  tokensBefore: 100,
  tokensAfter: 20,
  checkpointFault: "none",
};

test("a judgment recorded later turns unmeasured into pass, or into violated", ({ at }) => {
  at.sonny(["record"], { input: lines(request("r1", 0), request("r2", 1), compaction) });
  const before = at.json(["context", "validate", "s1"]);
  assert.is(before.verdict, "unmeasured");
  const evidence = before.checks.find((check: { id: string }) => check.id === "retention_floor").evidence[0];

  const judged = (score: number, id: string) =>
    at.sonny(["record"], {
      input: lines({
        kind: "judgment",
        session: "s1",
        id,
        compaction: evidence.eventId,
        score,
        judgeKind: "human",
        judge: "ann",
      }),
    });
  judged(0.9, "j1");
  assert.is(at.sonny(["context", "validate", "s1"]).code, 0);
  at.sonny(["record"], {
    input: lines({
      kind: "judgment",
      session: "s1",
      id: "j2",
      supersedes: "j1",
      compaction: evidence.eventId,
      score: 0.2,
      judgeKind: "human",
      judge: "ann",
    }),
  });
  assert.is(at.sonny(["context", "validate", "s1"]).code, 1);
});

test("a broken contract is violated until somebody waives it, and again when the waiver has expired", ({ at }) => {
  const broken = {
    kind: "contract",
    session: "s1",
    agent: "my-agent",
    id: "k1",
    at: "2026-08-01T10:00:00Z",
    contract: "answer",
    subjectKind: "tool",
    outcome: "violation",
    code: "output_schema",
  };
  at.sonny(["record"], { input: lines(request("r1", 0), request("r2", 1), broken) });
  assert.is(at.sonny(["context", "validate", "s1"]).code, 1);
  const waiver = (id: string, expiresAt: string) => ({
    kind: "waiver",
    session: "s1",
    agent: "my-agent",
    id,
    violation: "k1",
    author: "ann",
    reason: "known",
    expiresAt,
  });
  at.sonny(["record"], { input: lines(waiver("w1", "2026-08-02T00:00:00Z")) });
  assert.is(at.sonny(["context", "validate", "s1"]).code, 1);
  at.sonny(["record"], { input: lines(waiver("w2", "2999-01-01T00:00:00Z")) });
  assert.is(at.sonny(["context", "validate", "s1"]).code, 0);
});

test("a bad line is named and costs only itself", ({ at }) => {
  const input = [
    JSON.stringify(request("r1", 0)),
    "{torn",
    "42",
    JSON.stringify({ ...request("r2", 1), tokns: 3 }),
    JSON.stringify(request("r3", 2)),
  ].join("\n");
  const ran = at.sonny(["record"], { input });
  assert.is(ran.code, 2);
  assert.match(ran.stdout, "line 2 refused: not JSON");
  assert.match(ran.stdout, "line 3 refused: not an object");
  assert.match(ran.stdout, 'line 4 refused: "tokns": no such field');
  assert.is(at.json(["context", "stats"]).totals.requests, 2);
});

test("recording the same file twice changes nothing", ({ at }) => {
  const file = join(at.folder, "events.jsonl");
  writeFileSync(
    file,
    lines(request("r1", 0), { ...request("r2", 1), id: undefined }, { ...request("r2", 1), id: undefined }),
  );
  const totals = () => JSON.stringify(at.json(["context", "stats"]).totals);
  at.sonny(["record", "--file", file]);
  const once = totals();
  const again = at.json(["record", "--file", file]);
  assert.equal(again.added, {});
  assert.is(again.known, 3);
  assert.is(totals(), once);
});

test("a byte order mark and CRLF do no harm", ({ at }) => {
  const ran = at.sonny(["record"], {
    input: `\ufeff${JSON.stringify(request("r1", 0))}\r\n${JSON.stringify(request("r2", 1))}\r\n`,
  });
  assert.is(ran.code, 0);
  assert.is(at.json(["context", "stats"]).totals.requests, 2);
});

test("a file that is not there is one clear line", ({ at }) => {
  const ran = at.sonny(["record", "--file", "nowhere.jsonl"]);
  assert.is(ran.code, 2);
  assert.match(ran.stderr, /^sonny: .*nowhere\.jsonl cannot be read: ENOENT.*\n$/);
});

test("an event that names no agent joins the session that is known", ({ at }) => {
  at.sonny(["record"], { input: lines(request("r1", 0)) });
  const { agent: _, ...unnamed } = request("r2", 1);
  at.sonny(["record"], { input: lines(unnamed) });
  const { totals } = at.json(["context", "stats", "--agent", "my-agent"]);
  assert.equal([totals.sessions, totals.requests], [1, 2]);
});

test.run();
