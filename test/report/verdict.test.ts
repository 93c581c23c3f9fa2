import { test } from "uvu";
import * as assert from "uvu/assert";
import type { CheckOptions } from "../../src/diagnostics/checks/check.js";
import type { SessionEvent } from "../../src/events/event.js";
import type { Page } from "../../src/report/page.js";
import { verdictJson, verdictsJson } from "../../src/report/verdict-json.js";
import { verdictJunit } from "../../src/report/verdict-junit.js";
import { verdictsText, verdictText } from "../../src/report/verdict-text.js";
import { verdict } from "../support/ask.js";
import { compaction, contract, digest, idOf, judgment, MINUTE, NOON, request, toolCall } from "../support/events.js";

const PAGE: Page = { width: 120, colour: false, timezone: "UTC" };
const steady = [0, 1].map((at) => request({ atMs: NOON + at * MINUTE, shellDigest: digest("X") }));
const text = async (events: SessionEvent[], options: Partial<CheckOptions> = {}) =>
  verdictText(await verdict(events, options), "/x.db", PAGE);

test("a verdict says what it rests on, then each check, then the sum", async () => {
  const lines = (await text([...steady, toolCall()])).split("\n");
  assert.equal(lines.slice(0, 4), [
    "store     /x.db",
    "session   s1 (test-agent)",
    "rests on  0 turns, 2 requests, 1 tool call, 0 compactions",
    "          2026-08-01 12:00:00 to 2026-08-01 12:01:00 (UTC)",
  ]);
  assert.equal(
    lines.slice(5, 9).map((line) => line.slice(0, 31).trim()),
    [
      "pass            shell stability",
      "not applicable  tenant scope",
      "not applicable  retention floor",
      "pass            return contract",
    ],
  );
  assert.is(lines.at(-1), "pass: 0 of 4 checks violated; 2 passed, 2 did not apply");
});

test("evidence names event, time, lane, source and line", async () => {
  const page = await text([contract({ id: "k", outcome: "violation", code: "output_schema", lane: "sub", line: 12 })]);
  assert.match(
    page,
    `2026-08-01 12:00:00  sub  answer: output_schema  (/s1.jsonl:12, event ${idOf("contract", "k").toString("hex")})`,
  );
  assert.match(page, "VIOLATED: 1 of 4 checks violated");
});

test("0.69999 is violated and not printed as 0.70", async () => {
  const page = await text([compaction({ id: "c1" }), judgment("c1", { score: 0.69999 })]);
  assert.match(page, "retention 0.69999 is below 0.7");
  assert.not.match(page, /\b0\.70+\b/);
});

test("of many violations the first are shown and the rest counted", async () => {
  const page = await text(Array.from({ length: 5000 }, (_, line) => contract({ outcome: "violation", line })));
  assert.match(page, "and 4,990 more (--json lists them)");
  assert.ok(page.split("\n").length < 30);
});

test("an unknown session is never a pass", async () => {
  const page = verdictText(await verdict(steady, {}, { session: "nope" }), "/x.db", PAGE);
  assert.match(page, "UNMEASURED: 0 of 4 checks violated");
  assert.match(page, "no records of session nope");
  assert.not.match(page, "pass");
});

test("hostile names stay text", async () => {
  const session = "\u001b]0;owned\u0007\nsession s2";
  const result = await verdict([contract({ session, contract: "\u001b[2J", outcome: "violation" })], {}, { session });
  for (const page of [
    verdictText(result, "/x.db", PAGE),
    verdictsText([result], "/x.db", PAGE),
    verdictJunit([result]),
  ]) {
    assert.not.match(page, /[\u0000-\u0009\u000b-\u001f\u007f-\u009f]/);
    assert.not.match(page, /^session s2/m);
  }
});

test("the JSON is the contract's: ids, verdicts, counts and evidence", async () => {
  const json = verdictJson(await verdict([contract({ outcome: "violation", line: 3 })]), "/x.db") as any;
  assert.equal(Object.keys(json).slice(0, 6), ["schemaVersion", "store", "session", "agent", "tenant", "verdict"]);
  assert.equal(
    json.checks.map(({ id }: { id: string }) => id),
    ["shell_stability", "tenant_scope", "retention_floor", "return_contract"],
  );
  const [item] = json.checks[3].evidence;
  assert.equal(
    [item.at, item.lane, item.source, item.line, item.outcome],
    ["2026-08-01T12:00:00.000Z", "main", "/s1.jsonl", 3, "violation"],
  );
  assert.equal([json.verdict, json.violated], ["violated", 1]);
});

test("5,000 violations are whole in the JSON", async () => {
  const events = Array.from({ length: 5000 }, () => contract({ outcome: "violation", detail: "x".repeat(200) }));
  const whole = JSON.stringify(verdictJson(await verdict(events), "/x.db"));
  assert.ok(whole.length > 1_000_000);
  assert.is(JSON.parse(whole).checks[3].evidence.length, 5000);
});

test("many sessions: those that do not pass say why, and nobody to check is unmeasured", async () => {
  const results = [await verdict(steady), await verdict([compaction()]), await verdict([toolCall({ useSeen: false })])];
  const page = verdictsText(results, "/x.db", PAGE);
  assert.match(page, "3 sessions: 1 pass, 1 violated, 1 unmeasured");
  assert.match(page, /UNMEASURED +retention floor: 1 compaction/);
  const json = verdictsJson(results, { sinceMs: NOON }, "/x.db") as any;
  assert.equal([json.verdict, json.pass, json.violated, json.unmeasured], ["violated", 1, 1, 1]);
  assert.is((verdictsJson([], {}, "/x.db") as any).verdict, "unmeasured");
});

test("JUnit: a violation fails, the unmeasured is skipped with its reason", async () => {
  const xml = verdictJunit([
    await verdict([...steady, compaction(), contract({ outcome: "violation", detail: '<"&>' })]),
  ]);
  assert.match(xml, '<testsuite name="s1" tests="4" failures="1" errors="0" skipped="2">');
  assert.match(xml, '<testcase classname="s1" name="shell_stability"/>');
  assert.match(xml, /name="retention_floor"><skipped message="unmeasured: 1 compaction/);
  assert.match(xml, /name="return_contract"><failure message="violated: [^"]*">answer: &lt;&quot;&amp;&gt;/);
});

test.run();
