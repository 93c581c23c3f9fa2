/** `context show --view` through the built program. */
import { appendFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import {
  attachment,
  boundary,
  call,
  checkpoint,
  prompt,
  reply,
  result,
  system,
  transcript,
} from "../support/claude.js";
import { type Home, home } from "../support/cli.js";

interface Arranged {
  at: Home;
  file: string;
}

const test = suite<Arranged>("sonny context show --view");
test.before((context) => void Object.assign(context, arranged()));
test.after(({ at }) => at.cleanup());

/** The same, for tests that change the file. */
const changing = suite<Arranged>("sonny context show --view of a file that changed");
changing.before.each((context) => void Object.assign(context, arranged()));
changing.after.each(({ at }) => at.cleanup());

function arranged(): Arranged {
  const at = home();
  const file = join(at.folder, "s1.jsonl");
  writeFileSync(file, lines);
  at.sonny(["import", file]);
  return { at, file };
}

const id = (n: number) => `toolu_000000000000000${n}`;
const say = (text: string, message: string) => reply({ content: [{ type: "text", text }], id: message });

/** Two compactions; the second keeps one answer. A secret, a long result, an escape sequence. */
const lines = transcript(
  prompt("Sort the till drawer. The key is in https://ann:hunter22@shop.example/till.", { uuid: "p1" }),
  call(id(1), "Read", { file_path: "/shop/till/drawer.ts" }, { id: "m1" }),
  result(id(1), `first line\n${"x".repeat(20_000)}\nlast line`, { uuid: "r1" }),
  say("The drawer is \u001b[2Jsorted.", "m2"),
  boundary({ trigger: "auto", preTokens: 300 }, { uuid: "b1" }),
  checkpoint("First checkpoint: the drawer was sorted.", { uuid: "c1" }),
  attachment({ type: "file", filename: "/shop/till/drawer.ts", content: "put back" }, { uuid: "a1" }),
  prompt("Now count the coins.", { uuid: "p2" }),
  call(id(2), "Bash", { command: "count coins --token sk-aaaaaaaaaaaaaaaaaaaaaaaa" }, { id: "m3" }, { uuid: "u3" }),
  result(id(2), "42 coins", { uuid: "r2" }),
  { ...say("There are 42.", "m4"), uuid: "u4" },
  boundary({ trigger: "manual", preTokens: 200, preservedMessages: { uuids: ["u4"] } }, { uuid: "b2" }),
  checkpoint("Second checkpoint: 42 coins.", { uuid: "c2" }),
  prompt("Write it down.", { uuid: "p3" }),
  say("Written.", "m5"),
);

type Row = Record<string, any>;
const view = (at: Home, name: string, ...more: string[]) =>
  at.json(["context", "show", "s1", "--view", name, ...more]) as Row;
/** A passage by its first words. */
const told = ({ kind, text, command, target, number }: Row) =>
  kind === "compaction" ? `compaction ${number}` : `${kind}: ${String(text ?? command ?? target).slice(0, 24)}`;

test("the user's view holds all that was said, and marks where the context was compacted", ({ at }) => {
  assert.equal(view(at, "user").entries.map(told), [
    "user: Sort the till drawer. Th",
    "call: /shop/till/drawer.ts",
    `result: first line\n${"x".repeat(13)}`,
    "assistant: The drawer is \u001b[2Jsorted",
    "compaction 1",
    "user: Now count the coins.",
    "call: count coins --token [red",
    "result: 42 coins",
    "assistant: There are 42.",
    "compaction 2",
    "user: Write it down.",
    "assistant: Written.",
  ]);
});

test("the model's view holds the last checkpoint, what was kept, and what came after", ({ at }) => {
  const { entries, promptTokens } = view(at, "model");
  assert.equal(
    entries.map((entry: Row) => `${told(entry)} (${entry.fate})`),
    [
      "checkpoint: Second checkpoint: 42 co (said)",
      "assistant: There are 42. (kept)",
      "user: Write it down. (said)",
      "assistant: Written. (said)",
    ],
  );
  assert.is(promptTokens, 1000);
});

test("the model's view can be asked for any request", ({ at }) => {
  assert.equal(view(at, "model", "--request", "3").entries.map(told), [
    "checkpoint: First checkpoint: the dr",
    "reinjected: file\n/shop/till/drawer.t",
    "user: Now count the coins.",
  ]);
  assert.is(view(at, "model", "--request", "1").entries.length, 1);
  assert.is(at.sonny(["context", "show", "s1", "--view", "model", "--request", "9"]).code, 2);
});

test("what the model has is what was said, beside checkpoints and what was put back", ({ at }) => {
  const key = ({ kind, position, text, command, target }: Row) =>
    JSON.stringify([kind, position, text, command, target]);
  const said = new Set(view(at, "user").entries.map(key));
  for (const request of ["3", "5"]) {
    const others = view(at, "model", "--request", request).entries.filter((entry: Row) => !said.has(key(entry)));
    assert.equal(
      others.filter(({ kind }: Row) => kind !== "checkpoint" && kind !== "reinjected"),
      [],
    );
  }
});

test("the summaries are the checkpoints with sizes, trigger and judgment", ({ at }) => {
  const { compactions } = view(at, "summary");
  assert.equal(
    compactions.map(({ number, trigger, tokensBefore, checkpoint, judgment, unjudged }: Row) => [
      ...[number, trigger, tokensBefore, checkpoint],
      judgment?.judge ?? unjudged,
    ]),
    [
      [1, "auto", 300, "First checkpoint: the drawer was sorted.", "fact"],
      [2, "manual", 200, "Second checkpoint: 42 coins.", "fact"],
    ],
  );
});

test("the difference names what each compaction dropped, kept and put in, and what was lost", ({ at }) => {
  const [first, second] = view(at, "diff").compactions;
  const messages = (listed: Row[]) => listed.map(({ message }) => message);
  assert.equal(messages(second.dropped), ["c1", "a1", "p2", "u3", "r2"]);
  assert.equal([messages(second.kept), messages(second.added)], [["u4"], ["c2"]]);
  assert.equal([first.messagesBefore, first.messagesAfter, second.messagesBefore, second.messagesAfter], [4, 2, 6, 2]);
  assert.ok(first.lost.some(({ words }: Row) => words === "/shop/till/drawer.ts") || first.judgment.kept > 0);
  const { stdout } = at.sonny(["context", "show", "s1", "--view", "diff"]);
  assert.match(stdout, /dropped {2}5 entries\n {4}checkpoint +c1 +First checkpoint/);
});

test("long results are shortened and say how long they are; nothing moves the cursor; no credential is shown", ({
  at,
}) => {
  const { stdout } = at.sonny(["context", "show", "s1", "--view", "user"]);
  assert.match(stdout, /… \(20,021 bytes in all\)/);
  assert.match(stdout, "The drawer is \\x1b[2Jsorted.");
  const shown = [
    stdout,
    JSON.stringify(view(at, "user")),
    at.sonny(["context", "show", "s1", "--view", "diff"]).stdout,
  ];
  for (const text of shown) assert.not.match(text, /hunter22|sk-aaaa|\u001b/);
});

changing("a text that is gone is said in one line, and no view is pretended", ({ at, file }) => {
  rmSync(file);
  for (const name of ["user", "model", "summary", "diff"]) {
    const ran = at.sonny(["context", "show", "s1", "--view", name]);
    assert.is(ran.code, 2);
    assert.is(ran.stdout, "");
    assert.match(ran.stderr, /^sonny: the text of this session is not available: .*s1\.jsonl does not exist .*\n$/);
  }
});

changing("checkpoints that were kept with --content are told although the file is gone", ({ at, file }) => {
  at.sonny(["import", "--content", file]);
  rmSync(file);
  const { compactions, source } = view(at, "summary");
  assert.match(compactions[1].checkpoint, "42 coins");
  assert.is(source, null);
  assert.is(at.sonny(["context", "show", "s1", "--view", "model"]).code, 2);
});

changing("a file that has grown is told as far as it was imported", ({ at, file }) => {
  appendFileSync(file, transcript(prompt("Not imported.", { uuid: "p4" })));
  const { stdout } = at.sonny(["context", "show", "s1", "--view", "model"]);
  assert.match(stdout, "it has changed since it was imported: sonny import");
  assert.not.match(stdout, "Not imported");
});

changing("a checkpoint that is not where it was makes the model's view unknown", ({ at, file }) => {
  writeFileSync(file, lines.replaceAll(/.*compact_boundary.*\n|.*isCompactSummary.*\n/g, ""));
  const ran = at.sonny(["context", "show", "s1", "--view", "model"]);
  assert.equal([ran.code, ran.stdout], [2, ""]);
  assert.match(ran.stderr, "does not tell where the context was compacted");
});

test("a session that came through the door has no text", ({ at }) => {
  const event = { kind: "request", agent: "x", session: "s2", id: "r", at: "2026-08-01T10:00:00Z", uncachedTokens: 1 };
  at.sonny(["record"], { input: JSON.stringify(event) });
  const ran = at.sonny(["context", "show", "s2", "--view", "user"]);
  assert.is(ran.code, 2);
  assert.match(ran.stderr, "not available: it was recorded without texts");
});

test("without a compaction there is no summary and nothing to compare: unmeasured", ({ at }) => {
  const file = join(at.folder, "s3.jsonl");
  writeFileSync(file, transcript(prompt("hello", { sessionId: "s3" }), reply({}, { sessionId: "s3" })));
  at.sonny(["import", file]);
  const codes = ["user", "model", "summary", "diff"].map(
    (name) => at.sonny(["context", "show", "s3", "--view", name]).code,
  );
  assert.equal(codes, [0, 0, 3, 3]);
});

test("a text is shown to its own tenant only, and as a whole", ({ at, file }) => {
  at.sonny(["import", "--tenant", "acme", file, "--store", "acme.db"]);
  const code = (...more: string[]) =>
    at.sonny(["context", "show", "s1", "--view", "user", "--store", "acme.db", ...more]).code;
  assert.equal([code("--tenant", "acme"), code("--tenant", "other"), code("--since", "7d")], [0, 2, 2]);
});

test("each lane has views of its own", ({ at }) => {
  const file = join(at.folder, "s4.jsonl");
  const inSide = { sessionId: "s4", isSidechain: true, agentId: "a1b2c3" };
  writeFileSync(
    file,
    transcript(
      prompt("main", { sessionId: "s4" }),
      reply({}, { sessionId: "s4" }),
      prompt("aside", inSide),
      reply({ content: [{ type: "text", text: "side answer" }] }, inSide),
    ),
  );
  at.sonny(["import", file]);
  const texts = (...more: string[]) =>
    at.json(["context", "show", "s4", "--view", "user", ...more]).entries.map(({ text }: Row) => text);
  assert.equal(
    [texts(), texts("--lane", "a1b2c3")],
    [
      ["main", "ok"],
      ["aside", "side answer"],
    ],
  );
  assert.equal(texts("--request", "2"), ["aside"]);
  const unknown = at.sonny(["context", "show", "s4", "--view", "user", "--lane", "nobody"]);
  assert.equal([unknown.code, unknown.stderr.includes("--lane a1b2c3")], [2, true]);
});

test("a cleared result is known to have been there; one that is not named is shown, and that is said", ({ at }) => {
  const file = join(at.folder, "s5.jsonl");
  const s5 = { sessionId: "s5" };
  const cleared = (ids: string[]) =>
    system("microcompact_boundary", { ...s5, microcompactMetadata: { trigger: "auto", compactedToolIds: ids } });
  writeFileSync(
    file,
    transcript(
      prompt("read", s5),
      call(id(8), "Read", { file_path: "/a" }, {}, s5),
      result(id(8), "old text", s5),
      cleared([id(8)]),
      call(id(9), "Read", { file_path: "/b" }, {}, s5),
      result(id(9), "new text", s5),
      cleared([]),
      reply({}, s5),
    ),
  );
  at.sonny(["import", file]);
  const { stdout } = at.sonny(["context", "show", "s5", "--view", "model"]);
  assert.match(stdout, "(cleared: the model sees that it was there)");
  assert.not.match(stdout, "old text");
  assert.match(stdout, "results cleared by 1 micro-compaction are not named, and shown here");
});

test("going back to an earlier prompt takes what followed it out of the context, not out of what was said", ({
  at,
}) => {
  const file = join(at.folder, "s6.jsonl");
  const s6 = { sessionId: "s6" };
  const answer = { ...say("first answer", "m61"), ...s6, uuid: "a61", parentUuid: "p60" };
  writeFileSync(
    file,
    transcript(
      prompt("begin", { ...s6, uuid: "p60" }),
      answer,
      prompt("wrong way", { ...s6, uuid: "p61", parentUuid: "a61" }),
      { ...say("wrong answer", "m62"), ...s6, uuid: "a62", parentUuid: "p61" },
      prompt("right way", { ...s6, uuid: "p62", parentUuid: "a61" }),
      { ...say("right answer", "m63"), ...s6, uuid: "a63", parentUuid: "p62" },
    ),
  );
  at.sonny(["import", file]);
  const shown = (name: string) => at.sonny(["context", "show", "s6", "--view", name]).stdout;
  assert.match(shown("user"), /wrong answer\n\n── went back: instead of an earlier prompt ──\n {2}user +right way/);
  assert.not.match(shown("model"), "wrong");
});

test.run();
changing.run();
