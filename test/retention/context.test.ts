import * as fc from "fast-check";
import { test } from "uvu";
import * as assert from "uvu/assert";
import { type Compacting, courseOf, type Held, isDivided, type Spoken } from "../../src/retention/context.js";

/** A passage at every tenth byte; the message is called like its text. */
const spoken = (kind: "user" | "assistant" | "checkpoint" | "reinjected", text: string, more: object = {}): Spoken => ({
  kind,
  text,
  position: 0,
  turn: null,
  message: text,
  digest: kind === "checkpoint" ? `digest of ${text}` : null,
  ...more,
});
const lane = (...passages: Spoken[]) => passages.map((passage, at) => ({ ...passage, position: at * 10 }));
const result = (call: string): Spoken => ({
  ...{ kind: "result", call, isError: false, text: call, position: 0, turn: null, message: null, digest: null },
});
const compaction = (given: Partial<Compacting>): Compacting => ({
  form: "full",
  offset: null,
  digest: null,
  items: [],
  ...given,
});
const kept = (...ids: string[]) => ids.map((messageId) => ({ messageId, fate: "kept" }));
const words = (held: Held[]) =>
  held.map(({ passage, fate }) => `${"text" in passage ? passage.text : ""}${fate === "said" ? "" : ` (${fate})`}`);

test("without a compaction everything that was said is in the context", () => {
  const { context, changes } = courseOf(lane(spoken("user", "a"), spoken("assistant", "b")), []);
  assert.equal([words(context), changes], [["a", "b"], []]);
});

test("a checkpoint replaces what came before; the kept messages stand behind it, then what was put back", () => {
  const passages = lane(
    spoken("user", "a"),
    spoken("assistant", "b"),
    spoken("checkpoint", "sum"),
    spoken("reinjected", "file"),
    spoken("user", "c"),
  );
  const { context, changes } = courseOf(passages, [compaction({ digest: "digest of sum", items: kept("b", "z") })]);
  assert.equal(words(context), ["sum", "b (kept)", "file", "c"]);
  const [change] = changes;
  assert.equal([words(change!.dropped), change!.elsewhere, change!.at], [["a"], ["z"], 2]);
  assert.equal(
    change!.added.map(({ message }) => message),
    ["sum", "file"],
  );
});

test("two checkpoints that say the same are two compactions", () => {
  const passages = lane(
    spoken("user", "a"),
    spoken("checkpoint", "sum"),
    spoken("user", "b"),
    spoken("checkpoint", "sum"),
    spoken("user", "c"),
  );
  const same = { digest: "digest of sum" };
  const { context, changes } = courseOf(passages, [
    compaction({ ...same, offset: 5 }),
    compaction({ ...same, offset: 25 }),
  ]);
  assert.equal(
    changes.map(({ dropped }) => words(dropped)),
    [["a"], ["sum", "b"]],
  );
  assert.equal(words(context), ["sum", "c"]);
});

test("a compaction whose checkpoint cannot be read stands where its record does", () => {
  const passages = lane(spoken("user", "a"), spoken("user", "b"));
  const { context, unplaced } = courseOf(passages, [compaction({ offset: 5 })]);
  assert.equal([words(context), unplaced], [["b"], []]);
});

test("one that the text does not place is named, and so is a checkpoint that nobody tells of", () => {
  const inOneRecord = [spoken("user", "a"), spoken("assistant", "b")];
  assert.is(courseOf(inOneRecord, [compaction({ offset: 0 })]).unplaced.length, 1);
  assert.is(courseOf(inOneRecord, [compaction({ offset: 0, digest: "gone" })]).unplaced.length, 1);
  assert.is(courseOf(lane(spoken("user", "a")), [compaction({ offset: 0, digest: "gone" })]).unplaced.length, 1);
  assert.is(courseOf(lane(spoken("user", "a"), spoken("checkpoint", "sum")), []).strays.length, 1);
});

test("a micro-compaction clears results in place and drops messages", () => {
  const passages = lane(spoken("user", "a"), result("r1"), result("r2"), spoken("reinjected", "list"));
  const items = [
    { messageId: "r1", fate: "stubbed" },
    { messageId: "list", fate: "dropped" },
  ];
  const { context } = courseOf(passages, [compaction({ form: "micro", offset: 35, items })]);
  assert.equal(words(context), ["a", "r1 (cleared)", "r2"]);
});

test("what a document of one record cleared is cleared, wherever that happened", () => {
  const passages = [spoken("user", "a"), result("r1")];
  const micro = compaction({ form: "micro", offset: 0, items: [{ messageId: "r1", fate: "stubbed" }] });
  const { context, unplaced } = courseOf(passages, [micro]);
  assert.equal([words(context), unplaced.length], [["a", "r1 (cleared)"], 1]);
});

test("a prompt in the place of an earlier one takes that one and its answers back", () => {
  const passages = lane(
    spoken("user", "a"),
    spoken("assistant", "b"),
    spoken("user", "c"),
    spoken("assistant", "d"),
    spoken("user", "e", { insteadOf: "c" }),
  );
  assert.equal(words(courseOf(passages, []).context), ["a", "b", "e"]);
});

test("it can be ended before any record, where places tell what came before", () => {
  const passages = lane(spoken("user", "a"), spoken("checkpoint", "sum"), spoken("user", "b"));
  const compactions = [compaction({ digest: "digest of sum", offset: 8 })];
  assert.equal(words(courseOf(passages, compactions, 8).context), ["a"]);
  assert.equal(words(courseOf(passages, compactions, 15).context), ["sum"]);
  assert.ok(isDivided(passages, 15));
  assert.not.ok(isDivided([spoken("user", "a"), spoken("assistant", "b")], 0));
});

test("whatever happens, kept and dropped are what was there, and nothing is in the context that was not said", () => {
  const kinds = fc.constantFrom("user", "assistant", "checkpoint", "reinjected") as fc.Arbitrary<"user">;
  const histories = fc.array(fc.record({ kind: kinds, keeps: fc.array(fc.nat(30)), back: fc.option(fc.nat(30)) }), {
    maxLength: 30,
  });
  fc.assert(
    fc.property(histories, (steps) => {
      const passages = lane(
        ...steps.map(({ kind, back }, at) =>
          spoken(kind, `m${at}`, kind === "user" && back !== null && back < at ? { insteadOf: `m${back}` } : {}),
        ),
      );
      const compactions = steps.flatMap(({ kind, keeps }, at) =>
        (kind as string) === "checkpoint"
          ? [compaction({ digest: `digest of m${at}`, offset: at * 10, items: kept(...keeps.map((n) => `m${n}`)) })]
          : [],
      );
      const { context, changes, unplaced, strays } = courseOf(passages, compactions);
      assert.equal([unplaced, strays], [[], []]);
      for (const { before, kept, dropped } of changes) {
        const ids = (held: Held[]) => held.map(({ passage }) => passage.message).sort();
        assert.equal([...ids(kept), ...ids(dropped)].sort(), ids(before));
      }
      for (const { passage } of context) assert.ok(passages.includes(passage));
      assert.is(new Set(context.map(({ passage }) => passage)).size, context.length);
    }),
    { numRuns: 300 },
  );
});

test.run();
