import * as fc from "fast-check";
import { test } from "uvu";
import * as assert from "uvu/assert";
import { CONTROL_TEXTS, FOREIGN_CHECKPOINT } from "../../src/retention/control-texts.js";
import { survival } from "../../src/retention/judge.js";
import type { Passage } from "../../src/retention/passages.js";
import { called, ran, said, todo, user } from "../support/passages.js";

/** One planted fact of each kind, and some that anybody could have said. */
const session: Passage[] = [
  user("Round vouchers to the cent. Never touch the ledger migrations."),
  called("1", "read", "/shop/src/vouchers/rates.ts"),
  called("2", "modify", "/shop/src/vouchers/rounding.ts"),
  ...ran("3", "pnpm vitest run vouchers", "Error: VoucherMismatch in applyVoucher\n17 failed, 214 passed", true),
  called("4", "other", null, [
    "halfEvenCents",
    "https://shop.example/rounding",
    "v4.17.2",
    "9fceb02d0ae",
    "450 ms",
    "docs/cents.md",
  ]),
  said("I decided on banker's rounding instead of truncation. `3` `yes`"),
  said("`3` and `yes` once more."),
  todo(["write the voucher guide", true]),
];

const states = (replacement: string, tail: Passage[] = []) =>
  Object.fromEntries(
    survival(session, [replacement], tail).facts.map(({ kind, value, state }) => [`${kind} ${value}`, state]),
  );
const stateOf = (kind: string, replacement: string, tail: Passage[] = []) =>
  Object.entries(states(replacement, tail)).find(([key]) => key.startsWith(kind))?.[1];

const KEPT: Record<string, string> = {
  user_constraint: "The user said that ledger migrations must not be touched.",
  read_file: "Looked at vouchers/rates.ts for the rates.",
  modified_file: "Changed /shop/src/vouchers/rounding.ts.",
  command: "Verified with `pnpm vitest run vouchers`.",
  error: "It failed with VoucherMismatch in applyVoucher.",
  test_result: "17 failed and 214 passed.",
  identifier: "Uses halfEvenCents().",
  url: "See https://shop.example/rounding.",
  version: "On v4.17.2 now.",
  hash: "The commit is 9fceb02d0ae.",
  number: "It takes 450ms.",
  path: "Described in docs/cents.md.",
  decision: "Banker's rounding was preferred to truncation.",
  open_item: "Still to write: a guide for vouchers.",
};

for (const [kind, text] of Object.entries(KEPT)) {
  test(`a planted ${kind} is kept when the checkpoint says it, and lost when it does not`, () => {
    assert.is(stateOf(kind, text), "kept");
    assert.is(stateOf(kind, "Everything went well."), "lost");
  });
}

test("a folder is known by a file in it; one name alone is no folder", () => {
  const looked = (path: string) =>
    survival([called("1", "other", path)], ["Changed /shop/src/vouchers/rounding.ts."]).kept;
  assert.equal(
    ["/shop/src/vouchers", "src/vouchers", "shop/src", "/shop/lib", "vouchers/rounding"].map(looked),
    [1, 1, 1, 0, 0],
  );
});

test("only whole tokens count", () => {
  assert.is(stateOf("identifier", "Uses halfEvenCentsTable and myhalfEvenCents."), "lost");
  assert.is(stateOf("number", "It takes 1450ms."), "lost");
  assert.is(stateOf("hash", "The commit is 9fceb02d0aef."), "lost");
});

test("what anybody could have said is ambiguous: counted, not scored", () => {
  const { facts, total } = survival(session, ["3, yes"]);
  const ambiguous = facts.filter(({ state }) => state === "ambiguous").map(({ value }) => value);
  assert.equal(ambiguous, ["3", "yes"]);
  assert.is(total, facts.length - 2);
});

test("a fact that stands only in the kept tail was never at risk", () => {
  const tail = [said("Uses halfEvenCents.")];
  assert.is(stateOf("identifier", "Everything went well.", tail), "not_at_risk");
  assert.is(stateOf("identifier", "Uses halfEvenCents.", tail), "not_at_risk");
});

test("a value whose file is named can be restored", () => {
  const edited = [called("1", "modify", "/shop/src/till.ts", ["drawerPort"])];
  const [file, name] = survival(edited, ["Changed /shop/src/till.ts."]).facts;
  assert.equal([file!.state, name!.state], ["kept", "restorable"]);
});

test("the score weighs facts, the counts do not", () => {
  const two = [user("Never touch the ledger migrations."), called("1", "read", "/shop/src/till.ts")];
  const { score, scoreOrRestorable, kept, total } = survival(two, ["Read src/till.ts."]);
  assert.equal([score, scoreOrRestorable, kept, total], [0.25, 0.25, 1, 2]);
});

test("a short name stands for a file only when no other file has it", () => {
  const files = ["/shop/till/index.ts", "/shop/stock/index.ts"].map((path, i) => called(`${i}`, "read", path));
  const judged = (text: string) => survival(files, [text]).facts.map(({ state }) => state);
  assert.equal(judged("Read index.ts."), ["lost", "lost"]);
  assert.equal(judged("Read till/index.ts."), ["kept", "lost"]);
});

test("the three controls are run with every judgment", () => {
  const { controls } = survival(session, [Object.values(KEPT).join("\n")]);
  assert.equal(controls, { identity: 1, empty: 0, foreign: 0, valid: true });
});

test("facts that another checkpoint holds make the judgment invalid", () => {
  const foreign = [called("1", "other", null, ["packet_is_repeat", "shelf_label"])];
  const { controls } = survival(foreign, ["packet_is_repeat"]);
  assert.equal([controls.foreign, controls.valid], [1 / 2, false]);
});

test("a foreign checkpoint keeps nothing, an empty one too", () => {
  assert.is(survival(session, [FOREIGN_CHECKPOINT]).score, 0);
  assert.is(survival(session, [""]).score, 0);
  assert.is(survival(session, []).score, 0);
});

test("our control texts say nothing of each other's subject", () => {
  const facts = survival([said(FOREIGN_CHECKPOINT), said(FOREIGN_CHECKPOINT)], CONTROL_TEXTS).facts;
  assert.ok(facts.length > 3);
  assert.equal(
    facts.filter(({ state }) => state === "kept"),
    [],
  );
});

test("nothing to judge has no score", () => {
  assert.equal([survival([], ["x"]).score, survival([said("hello")], ["x"]).total], [null, 0]);
});

const texts = fc.array(
  fc.oneof(
    fc.string({ maxLength: 300 }),
    fc.constantFrom(
      ...CONTROL_TEXTS,
      FOREIGN_CHECKPOINT,
      ...Object.values(KEPT),
      "Nie `größeÄndern` in `src/日本/設定.ts` 必ず",
    ),
  ),
  { maxLength: 6 },
);
const anyPassage = (text: string): Passage[] => [
  user(text),
  said(text),
  said(text),
  called("1", "modify", text, [text], null),
  ...ran("2", text, text, true),
  todo([text, true]),
];

test("any text against itself keeps everything, and against nothing keeps nothing", () => {
  fc.assert(
    fc.property(texts, (given) => {
      const passages = given.flatMap(anyPassage);
      const same = survival(passages, given);
      assert.ok(
        same.score === null || same.score === 1,
        JSON.stringify(same.facts.filter(({ state }) => state === "lost")),
      );
      assert.ok((survival(passages, []).score ?? 0) === 0);
    }),
    { numRuns: 60 },
  );
});

test("more text never loses a fact", () => {
  fc.assert(
    fc.property(fc.subarray(Object.values(KEPT)), fc.string(), (some, more) => {
      const few = survival(session, [some.join("\n")]);
      const many = survival(session, [some.join("\n"), more]);
      assert.ok(many.kept >= few.kept);
    }),
    { numRuns: 40 },
  );
});

test.run();
