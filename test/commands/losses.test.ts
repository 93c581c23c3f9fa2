/** `context losses` through the built program. */
import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { boundary, call, checkpoint, prompt, reply, result, transcript } from "../support/claude.js";
import { type Home, home } from "../support/cli.js";

const test = suite<{ at: Home; file: string }>("sonny context losses");
test.before.each((context) => {
  context.at = home();
  context.file = join(context.at.folder, "s1.jsonl");
  writeFileSync(context.file, lines);
  context.at.sonny(["import", context.file]);
});
test.after.each(({ at }) => at.cleanup());

const lines = transcript(
  prompt("Never touch the voucher migrations. The key is in https://ann:hunter22@shop.example/till.", { uuid: "p1" }),
  call("toolu_0000000000000001", "Read", { file_path: "/shop/till/drawerPort.ts" }),
  result("toolu_0000000000000001", "text of the drawer"),
  call("toolu_0000000000000002", "Edit", { file_path: "/shop/till/voucherRate.ts", old_string: "a", new_string: "b" }),
  result("toolu_0000000000000002", "done"),
  call("toolu_0000000000000003", "Bash", { command: "curl https://ann:hunter22@shop.example/till" }),
  result("toolu_0000000000000003", "200"),
  boundary({ trigger: "auto", preTokens: 300 }),
  checkpoint("The file till/voucherRate.ts was changed, as the user had asked for."),
  prompt("go on", { uuid: "p2" }),
  reply({ id: "after" }),
);

test("says what was lost, in the words of the transcript, without credentials", ({ at }) => {
  const { stdout, code } = at.sonny(["context", "losses", "s1"]);
  assert.is(code, 0);
  assert.match(stdout, /user constraint +×3 +Never touch the voucher migrations/);
  assert.match(stdout, /read file +×1 +\/shop\/till\/drawerPort.ts +s1.jsonl at byte \d+/);
  assert.match(stdout, "[redacted]@shop.example");
  assert.not.match(stdout, "hunter22");
});

test("the JSON has the counts by kind, the score with its bounds, and each lost fact", ({ at }) => {
  const { compactions } = at.json(["context", "losses", "s1"]);
  assert.is(compactions.length, 1);
  const { judgment, unjudged, number } = compactions[0];
  assert.equal([number, unjudged, judgment.judge, judgment.kept], [1, null, "fact", 1]);
  assert.ok(judgment.bounds[0] < judgment.kept / judgment.total && judgment.kept / judgment.total < judgment.bounds[1]);
  assert.is(judgment.lost.length, judgment.total - judgment.kept);
  assert.ok(judgment.kinds.some(({ kind, kept }: Record<string, unknown>) => kind === "modified_file" && kept === 1));
});

test("one kind, one compaction", ({ at }) => {
  const { compactions } = at.json(["context", "losses", "s1", "--kind", "user_constraint", "--compaction", "1"]);
  assert.equal(
    compactions[0].judgment.lost.map(({ words }: Record<string, unknown>) => words),
    ["Never touch the voucher migrations."],
  );
  assert.is(at.sonny(["context", "losses", "s1", "--compaction", "2"]).code, 2);
  assert.is(at.sonny(["context", "losses", "s1", "--kind", "mood"]).code, 2);
});

test("when the transcript is gone the places are left, and that is said", ({ at, file }) => {
  rmSync(file);
  const { stdout, code } = at.sonny(["context", "losses", "s1"]);
  assert.is(code, 0);
  assert.match(stdout, "the file is gone: only places are known");
  assert.match(stdout, /words unknown, [0-9a-f]{8}/);
});

test("a record that was overwritten tells nothing wrong", ({ at, file }) => {
  writeFileSync(file, lines.replace("drawerPort", "drawerBort"));
  assert.match(at.sonny(["context", "losses", "s1"]).stdout, /read file +×1 +\(words unknown/);
});

test("a session without a judged compaction is unmeasured", ({ at }) => {
  writeFileSync(
    join(at.folder, "s2.jsonl"),
    transcript(prompt("hello", { sessionId: "s2" }), reply({}, { sessionId: "s2" })),
  );
  at.sonny(["import", join(at.folder, "s2.jsonl")]);
  assert.is(at.sonny(["context", "losses", "s2"]).code, 3);
  assert.is(at.sonny(["context", "losses", "nobody"]).code, 2);
});

test.run();
