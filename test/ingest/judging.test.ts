import { test } from "uvu";
import * as assert from "uvu/assert";
import { checkSession } from "../../src/diagnostics/checks/session.js";
import { importFiles } from "../../src/ingest/import.js";
import { JUDGE_VERSION } from "../../src/retention/judge.js";
import { storeSink } from "../../src/store/sink.js";
import { PLAIN } from "../support/ask.js";
import { boundary, call, checkpoint, prompt, reply, result, transcript } from "../support/claude.js";
import { corpusFile, corpusFolder, expectedFiles, notRun } from "../support/corpus.js";
import { NOON } from "../support/events.js";
import { type Imported, imported, importedPaths } from "../support/import.js";
import { judgments, states, unjudged } from "../support/judgments.js";

const FILES = ["drawer", "voucher", "ledger", "barcode", "stocktake", "refund", "cashup", "pricetag", "basket"];
const id = (n: number) => `toolu_0000000000000${n.toString().padStart(3, "0")}`;
const reads = (names: string[]) =>
  names.flatMap((name, n) => [
    call(id(n), "Read", { file_path: `/shop/till/${name}Port.ts` }),
    result(id(n), `text of ${name}`),
  ]);
const saying = (names: string[]) =>
  `The till was read: ${names.map((name) => `${name}Port.ts`).join(", ")}. The work goes on.`;

/** Files that were read, and a checkpoint that names some of them. */
const session = (read: string[], named: string[], demand = "Please look at the till.") => [
  prompt(demand, { uuid: "p1" }),
  ...reads(read),
  reply({ id: "before" }),
  boundary({ trigger: "auto", preTokens: 250 }),
  checkpoint(saying(named)),
  prompt("go on", { uuid: "p2" }),
  reply({ id: "after" }),
];

async function verdictOf(held: Imported, options = {}) {
  const { checks } = await checkSession(held.store.db, { session: "s1" }, { ...PLAIN, ...options });
  return checks.find((check) => check.id === "retention_floor")!;
}

test("nine of nine facts pass the floor, eight of eight leave it open", async () => {
  for (const [n, verdict, settle] of [
    [9, "pass", null],
    [8, "unmeasured", /9 facts would settle it/],
  ] as const) {
    const names = FILES.slice(0, n);
    const held = imported({ "s1.jsonl": transcript(...session(names, names)) });
    assert.equal(judgments(held), [{ score: 1, passed: n, total: n, judge: "fact", version: JUDGE_VERSION }]);
    const check = await verdictOf(held);
    assert.is(check.verdict, verdict);
    if (settle !== null) assert.match(check.evidence[0]!.message, settle);
    held.cleanup();
  }
});

test("four of fifteen is below the floor, whatever one believes", async () => {
  const many = Array.from({ length: 15 }, (_, n) => `counter${n}x`);
  const held = imported({ "s1.jsonl": transcript(...session(many, many.slice(0, 4))) });
  assert.equal(states(held), [
    { kind: "read_file", state: "kept", n: 4 },
    { kind: "read_file", state: "lost", n: 11 },
  ]);
  assert.is((await verdictOf(held)).verdict, "violated");
  held.cleanup();
});

test("a lost demand of the user is a violation whatever the mean, unless it is accepted", async () => {
  const many = Array.from({ length: 30 }, (_, n) => `counter${n}x`);
  const lines = session(many, many, "Never touch the voucher migrations.");
  const held = imported({ "s1.jsonl": transcript(...lines) });
  assert.ok((judgments(held)[0]!.score as number) > 0.9);
  const check = await verdictOf(held);
  assert.equal([check.verdict, /1 user constraint lost/.test(check.evidence[0]!.message)], ["violated", true]);
  assert.is((await verdictOf(held, { allowLostConstraints: true })).verdict, "pass");
  held.cleanup();
});

test("what a user said while refusing a call is a demand too, and the refusal is no error", () => {
  const refused =
    "The user doesn't want to proceed with this tool use. The tool use was rejected. To tell you how to proceed, the user said:\nWe don't want a drawer cache in the till.";
  const lines = session(FILES, FILES);
  lines.splice(
    -5,
    0,
    call(id(90), "Edit", { file_path: "/shop/till/drawerPort.ts" }),
    result(id(90), refused, {}, { is_error: true }),
  );
  const held = imported({ "s1.jsonl": transcript(...lines) });
  assert.equal(
    states(held).filter(({ kind }) => kind === "user_constraint" || kind === "error"),
    [{ kind: "user_constraint", state: "lost", n: 1 }],
  );
  held.cleanup();
});

test("what stands in the kept tail only was not at risk", () => {
  const lines = session(FILES, []).map((record) =>
    (record as { subtype?: string }).subtype === "compact_boundary"
      ? boundary({ trigger: "auto", preTokens: 250, preservedMessages: { uuids: ["tail"] } })
      : record,
  );
  lines.splice(
    -5,
    0,
    reply({ id: "tail", content: [{ type: "text", text: "`drawerPort.ts` next" }] }, { uuid: "tail" }),
  );
  const held = imported({ "s1.jsonl": transcript(...lines) });
  assert.equal(states(held), [
    { kind: "read_file", state: "lost", n: 8 },
    { kind: "read_file", state: "not_at_risk", n: 1 },
  ]);
  held.cleanup();
});

test("a reply in place of a checkpoint is degenerate and keeps nothing", async () => {
  const lines = session(FILES, []).map((record) =>
    (record as { isCompactSummary?: boolean }).isCompactSummary
      ? checkpoint("Sure! I am happy to help you with whatever you would like to do next.")
      : record,
  );
  const held = imported({ "s1.jsonl": transcript(...lines) });
  assert.is(judgments(held)[0]!.score, 0);
  const check = await verdictOf(held);
  assert.ok(check.evidence.some(({ message }) => message.includes("degenerate checkpoint: reply")));
  held.cleanup();
});

test("the second compaction is judged by what came after the first", () => {
  const [first, second] = [FILES.slice(0, 4), FILES.slice(4)];
  const more = second.flatMap((name, n) => [
    call(id(n + 50), "Read", { file_path: `/shop/till/${name}Port.ts` }),
    result(id(n + 50), "text"),
  ]);
  const held = imported({
    "s1.jsonl": transcript(
      ...session(first, first),
      ...more,
      boundary({ trigger: "manual", preTokens: 250 }),
      checkpoint(saying(second)),
      reply({ id: "end" }),
    ),
  });
  assert.equal(
    judgments(held).map(({ passed, total }) => [passed, total]),
    [
      [4, 4],
      [5, 5],
    ],
  );
  held.cleanup();
});

test("a compaction whose past lies in another file is not judged, and that is said", () => {
  const held = imported({
    "s1.jsonl": transcript(
      reply({ id: "before" }),
      boundary({ trigger: "auto", preTokens: 160_000 }),
      checkpoint(saying(FILES)),
      reply({ id: "after" }),
    ),
  });
  assert.equal([judgments(held), unjudged(held)], [[], [{ why: "replaced_text_elsewhere" }]]);
  held.cleanup();
});

test("facts that would be found in any checkpoint leave nothing to judge", () => {
  const held = imported({
    "s1.jsonl": transcript(
      prompt("`3` or `yes`?"),
      reply({ content: [{ type: "text", text: "`3` and `yes`, in so many words ".repeat(30) }] }),
      boundary({ trigger: "auto", preTokens: 250 }),
      checkpoint("The user chose 3, then yes."),
      reply({ id: "after" }),
    ),
  });
  assert.equal([judgments(held), unjudged(held)], [[], [{ why: "no_facts" }]]);
  held.cleanup();
});

test("words are kept only with --content", () => {
  const lines = transcript(...session(FILES, []));
  const held = imported({ "s1.jsonl": lines });
  assert.is(held.value("SELECT count(*) FROM facts WHERE text IS NOT NULL"), 0);
  assert.is(held.value("SELECT count(*) FROM facts WHERE byte_position IS NULL"), 0);
  held.again({ content: true });
  assert.is(held.value("SELECT text FROM facts ORDER BY byte_position"), "/shop/till/drawerPort.ts");
  held.cleanup();
});

test("a file that is imported line by line gives the same judgment as one read at once", () => {
  const lines = session(FILES, FILES.slice(3), "Never touch the voucher migrations.").map((record) =>
    transcript(record),
  );
  const whole = imported({ "s1.jsonl": lines.join("") });
  const pieces = imported({ "s1.jsonl": "" });
  for (const line of lines) {
    pieces.append("s1.jsonl", line);
    pieces.again();
  }
  const facts = "SELECT hex(digest) AS digest, state, byte_position FROM facts ORDER BY 3, 1";
  assert.equal([judgments(pieces), pieces.rows(facts)], [judgments(whole), whole.rows(facts)]);
  importFiles([whole.folder], storeSink(whole.store, { nowMs: () => NOON, machine: null }));
  assert.is(judgments(whole).length, 1);
  whole.cleanup();
  pieces.cleanup();
});

if (corpusFolder === null) notRun("compactions of real Claude Code transcripts");
else {
  test("every real compaction whose checkpoint was seen is judged, or it is said why not", () => {
    const paths = expectedFiles("claude-jsonl").map(({ file }) => corpusFile(file!));
    const held = importedPaths(paths);
    const open = held.value(`SELECT count(*) FROM compactions c WHERE c.counted = 1 AND c.form = 'full'
      AND NOT EXISTS (SELECT 1 FROM judgments j WHERE j.compaction = c.event_id)
      AND NOT EXISTS (SELECT 1 FROM notes n WHERE n.detail = lower(hex(c.event_id)))`);
    assert.is(open, 0);
    assert.ok((held.value("SELECT count(*) FROM judgments WHERE counted = 1") as number) >= 3);
    assert.is(held.value("SELECT count(*) FROM judgments WHERE score < 0 OR score > 1"), 0);
    held.cleanup();
  });
}

test.run();
