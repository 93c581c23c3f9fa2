/** What the ledger says of transcripts, from the file to the figure. */
import { rmSync } from "node:fs";
import { test } from "uvu";
import * as assert from "uvu/assert";
import { cacheHitRate } from "../../src/diagnostics/cache-hit-rate.js";
import { totals } from "../../src/diagnostics/totals.js";
import { type UsageOptions, usage as usageOf } from "../../src/ledger/usage.js";
import { usageText } from "../../src/report/usage-text.js";
import { type Scope, select } from "../../src/store/scope.js";
import { call, prompt, reply, result, second, transcript, usage } from "../support/claude.js";
import { context, counter, meta, started } from "../support/codex.js";
import { NOON } from "../support/events.js";
import { type Imported, imported } from "../support/import.js";
import { PLAIN_USAGE } from "../support/usage.js";

const PAGE = { width: 120, colour: false, timezone: "UTC" };
const used = ({ store }: Imported, options: Partial<UsageOptions> = {}, scope: Scope = {}) =>
  usageOf(store.db, scope, { ...PLAIN_USAGE, ...options });

test("of a counter that went on before a window, the window has what was added in it", async () => {
  const records = [
    meta("s1"),
    context(),
    started(1),
    counter([400, 300, 20, 0]),
    counter([700, 550, 30, 0]),
    counter([900, 750, 50, 0]),
  ];
  const [first, second_] = records.slice(3).map(({ timestamp }) => Date.parse(String(timestamp)));
  const held = imported({ "rollout.jsonl": transcript(...records) });
  const { total } = await used(held, {}, { sinceMs: (first! + second_!) / 2 });
  assert.equal([total.tokens.uncached, total.tokens.read, total.tokens.output, total.requests], [50, 450, 30, 2]);
  held.cleanup();
});

test("what one provider counts into its input and another does not is one prompt in the ledger", async () => {
  const codex = transcript(meta("s1"), context(), started(1), counter([1000, 900, 10, 0]));
  const claude = transcript(
    prompt("hi"),
    reply({
      usage: {
        input_tokens: 100,
        cache_read_input_tokens: 900,
        cache_creation_input_tokens: 50,
        output_tokens: 10,
      },
    }),
  );
  const held = imported({ "rollout.jsonl": codex, "s1.jsonl": claude });
  const { groups } = await used(held, { by: "agent" });
  const told = groups!.map(({ key, account: { tokens, caching } }) => [
    key,
    tokens.uncached,
    tokens.read,
    caching.promptTokens,
  ]);
  assert.equal(told.sort(), [
    ["claude-code", 100, 900, 1050],
    ["codex", 100, 900, 1000],
  ]);
  held.cleanup();
});

test("a reply that the client wrote itself is no model, no request and no turn that was served", async () => {
  const apart = { model: "<synthetic>", usage: usage({ input_tokens: 0, output_tokens: 0 }) };
  const held = imported({
    "s1.jsonl": transcript(
      prompt("one", { uuid: "p1" }),
      reply({ id: "m1" }),
      prompt("two", { uuid: "p2" }),
      reply(apart, { isApiErrorMessage: true, error: "rate_limit" }),
    ),
  });
  const { groups, total } = await used(held, { by: "model" });
  assert.equal([groups!.map(({ key }) => key), total.requests], [["claude-opus-5"], 1]);
  const selection = await select(held.store.db, {});
  const { originalFormula } = await cacheHitRate(held.store.db, selection);
  assert.is((await totals(held.store.db, selection)).turns, 2);
  assert.ok(originalFormula.requests <= 1);
  assert.is(held.value("SELECT count(*) FROM attempts WHERE outcome = 'failed'"), 1);
  held.cleanup();
});

test("output that was only begun is at least so much, in the sum and in its group", async () => {
  const held = imported({
    "s1.jsonl": transcript(
      prompt("hi"),
      reply({ stop: null, usage: usage({ output_tokens: 1 }), content: [{ type: "text", text: "x".repeat(2_000) }] }),
    ),
  });
  const text = usageText(await used(held, { by: "model" }), "/s.db", PAGE);
  assert.match(text, /output tokens +≥ 1\b/);
  assert.match(text, /claude-opus-5 +1 +10 +900 +90 +≥ 1/);
  assert.match(text, /requests with final output +0 of 1/);
  held.cleanup();
});

test("a result that came before its call has no duration, and the others' spread is theirs alone", async () => {
  const id = (n: number) => `toolu_00000000000000000${n}`;
  const at = (seconds: number) => ({ timestamp: second(seconds) });
  const held = imported({
    "s1.jsonl": transcript(
      prompt("go", at(0)),
      call(id(1), "Bash", { command: "a" }, { id: "m1" }, at(100)),
      result(id(1), "ok", at(98)),
      call(id(2), "Bash", { command: "b" }, { id: "m2" }, at(110)),
      result(id(2), "ok", at(112)),
    ),
  });
  assert.equal(held.rows("SELECT call_id, duration_ms, at_ms FROM tool_calls ORDER BY call_id"), [
    { call_id: id(1), duration_ms: null, at_ms: NOON + 100_000 },
    { call_id: id(2), duration_ms: 2_000, at_ms: NOON + 110_000 },
  ]);
  const { tools } = await used(held, { tab: "tools" });
  assert.equal([tools![0]!.calls, tools![0]!.durationMs], [2, { p50: 2_000, p95: 2_000, max: 2_000, calls: 1 }]);
  held.cleanup();
});

test("half the sources deleted and imported again: the totals stay", async () => {
  const files = Object.fromEntries(
    ["a", "b", "c", "d"].map((name) => [
      `${name}.jsonl`,
      transcript(prompt("x", { sessionId: name }), reply({ id: `m-${name}` }, { sessionId: name })),
    ]),
  );
  const held = imported(files);
  const before = (await used(held)).total;
  for (const name of ["a", "b"]) rmSync(held.path(`${name}.jsonl`));
  assert.is(held.again().files.unchanged, 2);
  assert.equal((await used(held)).total, before);
  held.cleanup();
});

test.run();
