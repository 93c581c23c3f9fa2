import { test } from "uvu";
import * as assert from "uvu/assert";
import type { CoveredFact, DeclaredChange } from "../../../src/events/event.js";
import { check } from "../../support/ask.js";
import { coverage, digest, MINUTE, NOON, request } from "../../support/events.js";
import { alternatingLanes, sixRequests } from "../../support/stories.js";

const shell = (events: Parameters<typeof check>[1], options = {}) => check("shell_stability", events, options);
const at = (minute: number, given: Parameters<typeof request>[0] = {}) =>
  request({ atMs: NOON + minute * MINUTE, ...given });
const shells = (...names: (string | null)[]) =>
  names.map((name, minute) => at(minute, { shellDigest: name === null ? null : digest(name) }));
const says = (fact: CoveredFact, level: "full" | "partial" | "absent", why: string | null = null) =>
  coverage({ fact, level, why });
const declared = (minute: number, ...declaredChanges: DeclaredChange[]) => at(minute, { declaredChanges });

test("tools that are reordered without a reason are drift", async () => {
  const result = await shell(sixRequests());
  assert.equal([result.verdict, result.violations], ["violated", 1]);
  assert.match(result.evidence[0]!.message, "another order");
});

test("X, X, Y is one violation; X, Z, X, Z in two lanes is none", async () => {
  assert.equal([(await shell(shells("X", "X", "Y"))).violations, (await shell(shells("X", "X"))).verdict], [1, "pass"]);
  const steady = alternatingLanes().slice(0, 4);
  assert.is((await shell(steady)).verdict, "pass");
});

test("a declared change is listed, and a violation only when asked for", async () => {
  const events = [at(0, { shellDigest: digest("X") }), at(1, { shellDigest: digest("Y"), declaredChanges: ["tools"] })];
  const result = await shell(events);
  assert.equal([result.verdict, result.violations, result.evidence[0]!.outcome], ["pass", 0, "noted"]);
  assert.equal((await shell(events, { strictDeclared: true })).violations, 1);
});

test("digests on too few requests decide nothing, but drift they do show is drift", async () => {
  assert.is((await shell(shells("X", null, "Y", "Y"))).verdict, "unmeasured");
  assert.is((await shell(shells("X", "Y", null, null))).verdict, "violated");
});

test("without digests the provider's miss reasons decide", async () => {
  const full = says("miss_reasons", "full");
  const drift = await shell([
    full,
    at(0),
    at(1, { missReason: "system_changed" }),
    at(2, { missReason: "tools_changed" }),
  ]);
  const calm = await shell([full, at(0), at(1, { missReason: "messages_changed" })]);
  assert.equal([drift.verdict, drift.violations], ["violated", 2]);
  assert.equal([calm.verdict, calm.evidence.length], ["pass", 0]);
  assert.match(calm.summary, "miss reasons");
});

test("a miss with a declared reason is declared", async () => {
  const events = [
    says("miss_reasons", "full"),
    at(0),
    at(1, { missReason: "tools_changed", declaredChanges: ["tools"] }),
  ];
  const result = await shell(events);
  assert.equal([result.verdict, result.evidence.map(({ outcome }) => outcome)], ["pass", ["noted"]]);
});

test("without either, the changes that the client recorded are listed", async () => {
  const events = [says("shell_deltas", "full"), at(0), declared(1, "tools", "instructions"), declared(2, "compaction")];
  const result = await shell(events);
  assert.equal([result.verdict, result.evidence.length], ["pass", 1]);
  assert.match(result.evidence[0]!.message, "instructions, tools");
  assert.is((await shell(events, { strictDeclared: true })).verdict, "violated");
});

test("a client that records none of it is unmeasured and says which one would show it", async () => {
  const result = await shell([
    says("shell_digests", "absent", "transcripts hold no shell"),
    says("miss_reasons", "absent", "version 9 and later record it"),
    says("shell_deltas", "absent"),
    at(0),
    at(1),
  ]);
  assert.equal([result.verdict, result.unmeasured], ["unmeasured", 1]);
  assert.equal(result.tries, ["version 9 and later record it", "transcripts hold no shell"]);
});

test("nobody having spoken of it is no evidence of calm", async () => {
  assert.is((await shell([at(0), at(1)])).verdict, "unmeasured");
  assert.is((await shell([says("miss_reasons", "partial"), at(0), at(1)])).verdict, "unmeasured");
});

test("where layouts were recorded, a change says in which segment it begins", async () => {
  const segments = (...contents: string[]) =>
    contents.map((content) => ({
      segmentKind: content.split(" ")[0]!,
      contentDigest: digest(content),
      canonicalDigest: null,
      bytes: 10,
      tokens: null,
      cacheable: true,
      breakpoint: false,
      ttl: null,
    }));
  const sent = (minute: number, name: string, ...contents: string[]) =>
    at(minute, { shellDigest: digest(name), segments: segments(...contents) });
  const message = async (...events: ReturnType<typeof sent>[]) =>
    (await shell(events)).evidence.map((item) => item.message);
  const first = sent(0, "X", "tool_schema a", "system b", "history c");
  assert.equal(await message(first, sent(1, "Y", "tool_schema a", "system B", "history c")), [
    "shell digest changed, no reason declared, from segment 2 (system) on",
  ]);
  assert.match((await message(first, sent(1, "Y", "tool_schema a")))[0]!, "from segment 2 (system) on");
  assert.match((await message(first, at(1, { shellDigest: digest("Y") })))[0]!, "no reason declared");
});

test("with one request in every lane nothing could change", async () => {
  assert.is((await shell([at(0), at(1, { lane: "sub" })])).verdict, "not_applicable");
});

test.run();
