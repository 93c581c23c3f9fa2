import { test } from "uvu";
import * as assert from "uvu/assert";
import { FACT_LIMIT, factsOf } from "../../src/retention/facts.js";
import { commandOf } from "../../src/retention/shell.js";
import { answered, called, ran, said, todo, user } from "../support/passages.js";

const facts = (...passages: Parameters<typeof factsOf>[0]) =>
  factsOf(passages).facts.map(({ kind, value }) => `${kind}: ${value}`);

test("files come from tool calls, and a file that was modified is not read as well", () => {
  assert.equal(
    facts(
      called("1", "read", "/p/src/basket.ts"),
      called("2", "read", "/p/src/till.ts"),
      called("3", "modify", "/p/src/basket.ts"),
    ),
    ["read_file: p/src/till.ts", "modified_file: p/src/basket.ts"],
  );
});

test("a command is what it does, without looking around, pipes and quoted texts", () => {
  assert.is(commandOf("cd /p && pnpm vitest run basket 2>&1 | tail -5"), "pnpm vitest run basket");
  assert.is(commandOf('git commit -m "a long message"'), "git commit -m");
  assert.is(commandOf("ls -la; git status | head; cat x"), null);
  assert.is(commandOf("CI=1 make bench"), "make bench");
  assert.is(commandOf('rg -n "voucher|ledger rows" src'), null);
  assert.is(commandOf("find docs -name '*.md'\n  -exec cat {} +"), null);
});

test("a later run of the same command replaces the earlier result, and success mends a failure", () => {
  const { facts } = factsOf([
    ...ran("1", "pnpm vitest run basket", "Error: BasketMismatch in applyVoucher\n 17 failed, 214 passed", true),
    ...ran("2", "pnpm vitest run basket", "231 passed", false),
  ]);
  const states = facts.map(({ kind, value, superseded }) => [kind, value, superseded]);
  assert.equal(
    states,
    [
      ["command", "pnpm vitest run basket", false],
      ["error", "error basketmismatch applyvoucher", true],
      ["test_result", "17 failed 214 passed", true],
      ["test_result", "231 passed", false],
    ].sort((a, b) => order(states, a) - order(states, b)),
  );
});

function order(states: unknown[][], wanted: unknown[]): number {
  return states.findIndex(([, value]) => value === wanted[1]);
}

test("a failure is the line that tells it, not what was printed before", () => {
  const printed = "> till@1.0.0 test\n> vitest\n\nAssertionError: expected the drawer to be shut\nexit code 1";
  assert.equal(facts(...ran("1", "npm test", printed, true)), [
    "command: npm test",
    "error: assertionerror expect drawer shut",
  ]);
  assert.equal(facts(...ran("1", "make till", "the drawer is stuck\nover and out", true)).slice(1), [
    "error: drawer stuck",
  ]);
});

test("flags of a command and abbreviations name nothing", () => {
  assert.equal(facts(called("1", "other", null, ["curl -sSL", "the till, e.g. its drawer"])), []);
});

test("a name in running text counts when it is mentioned twice, an argument at once", () => {
  const once = said("The rate is in `voucherRate`.");
  assert.equal(facts(once), []);
  assert.equal(facts(once, said("`voucherRate` is halved.")), ["identifier: voucherrate"]);
  assert.equal(facts(called("1", "other", null, ["voucherRate"])), ["identifier: voucherrate"]);
});

test("addresses, paths, versions, hashes and amounts are told apart", () => {
  const given = "https://shop.example/api/v2 src/till/drawer.ts v4.17.2 9fceb02d0ae 450 ms openDrawer";
  assert.equal(facts(called("1", "other", null, [given])).sort(), [
    "hash: 9fceb02d0ae",
    "identifier: opendrawer",
    "number: 450ms",
    "path: src/till/drawer.ts",
    "url: https://shop.example/api/v2",
    "version: v4.17.2",
  ]);
});

test("contents of files are no facts: they can be read again", () => {
  assert.equal(facts(called("1", "modify", "/p/a.ts", ["someName ".repeat(100)])), ["modified_file: p/a.ts"]);
});

test("demands come from the user only", () => {
  const demand = "Never touch the ledger migrations.";
  assert.equal(facts(user(demand)), ["user_constraint: touch ledger migr"]);
  assert.equal(facts(said(demand)), []);
});

for (const harmless of [
  "Should we never touch the ledger?",
  "I don't know where the ledger is.",
  "This is only the fallback path.",
  "```\nnever touch the ledger\n```",
]) {
  test(`no demand: ${JSON.stringify(harmless)}`, () => assert.equal(facts(user(harmless)), []));
}

test("only what the latest plan leaves open is an open item", () => {
  const plans = [
    todo(["write voucher guide", true], ["rename drawer port", true]),
    todo(["write voucher guide", true], ["rename drawer port", false]),
  ];
  assert.is(facts(...plans).length, 1);
  assert.match(facts(...plans)[0]!, /^open_item: .*voucher/);
});

test("a short name of a known file is that file", () => {
  const names = [called("1", "read", "/p/src/till/drawer.ts"), said("`drawer.ts`"), said("`drawer.ts`")];
  assert.equal(facts(...names), ["read_file: p/src/till/drawer.ts"]);
});

test("very many facts are cut to the weightiest, and the rest is counted", () => {
  const many = Array.from({ length: FACT_LIMIT + 5 }, (_, i) => called(`${i}`, "read", `/p/file${i}.ts`));
  const { facts, left } = factsOf([user("Never touch the ledger migrations."), ...many]);
  assert.equal([facts.length, left, facts[0]!.kind], [FACT_LIMIT, 6, "user_constraint"]);
});

test("long and hostile texts take linear time", () => {
  const hostile = [
    "`".repeat(200_000),
    "a/".repeat(100_000),
    "```".repeat(50_000),
    "never ".repeat(50_000),
    "1.".repeat(90_000),
  ];
  const started = performance.now();
  factsOf(
    hostile.flatMap((text) => [user(text), said(text), answered("1", text, true), called("1", "other", text, [text])]),
  );
  assert.ok(performance.now() - started < 5_000);
});

test.run();
