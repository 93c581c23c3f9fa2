/** The store depends on what was said, not on the order in which it was said or how it was cut into batches. */
import fc from "fast-check";
import { test } from "uvu";
import * as assert from "uvu/assert";
import type { SessionEvent } from "../../src/events/event.js";
import * as make from "../support/events.js";
import { append, dump, storeOf, type TestStore } from "../support/store.js";

const runs = process.env.SONNY_LONG ? 600 : 40;

/** One event, and the file that says it. */
interface Saying {
  file: string;
  event: SessionEvent;
}

const some = <T>(...values: T[]) => fc.constantFrom(...values);
const known = <T>(...values: T[]) => fc.constantFrom<T | null>(null, ...values);

const place = fc.record({
  session: some("s1", "s2", "s3"),
  agent: some("agent-a", "agent-a", "agent-b"),
  lane: some("main", "agent-1"),
  turn: known("p1", "p2"),
  atMs: known(1000, 2000, 3000, 4000),
  offset: known(10, 20, 30),
  id: some("1", "2", "3"),
});

const saying: fc.Arbitrary<SessionEvent> = fc.oneof(
  place.chain((at) =>
    fc
      .record({
        title: known("one", "two"),
        project: known("/p", "/q"),
        branch: known("main", "dev"),
        agentVersion: known("1.0.0", "1.1.0"),
        status: known("open", "done"),
      })
      .map((said): SessionEvent => make.session({ ...at, ...said })),
  ),
  place.chain((at) =>
    fc
      .record({
        laneKind: some("subagent", "side", "parent"),
        agentType: known("explore", "plan"),
        parentLane: known("main"),
      })
      .map((said): SessionEvent => make.lane({ ...at, ...(said as { laneKind: "side" }) })),
  ),
  place.chain((at) =>
    fc
      .record({
        endedAtMs: known(5000, 6000),
        outcome: known("answered" as const, "interrupted" as const),
        branch: known("main", "dev"),
        timeQuality: some("exact" as const, "inherited" as const),
      })
      .map((said): SessionEvent => make.turn({ ...at, turn: at.turn ?? "p3", ...said })),
  ),
  place.chain((at) =>
    fc
      .record({
        outputQuality: some("final" as const, "provisional" as const, "missing" as const),
        outputTokens: some(1, 2),
        copyRank: some(0 as const, 1 as const),
        model: some("model-a", "model-b"),
      })
      .map(
        (said): SessionEvent =>
          make.request({ ...at, ...said, outputTokens: said.outputQuality === "missing" ? null : said.outputTokens }),
      ),
  ),
  place.chain((at) =>
    fc
      .record({ part: some("use", "result", "both"), isError: some(true, false), resultBytes: some(1, 2) })
      .map(({ part, ...result }): SessionEvent => {
        const use = { useSeen: true, tool: "read", argumentsDigest: make.digest("{}") };
        const noUse = { useSeen: false, tool: null, argumentsDigest: null };
        const noResult = { resultSeen: false, resultBytes: null, resultDigest: null, isError: null };
        return make.toolCall({
          ...at,
          ...(part === "result" ? noUse : use),
          ...(part === "use" ? noResult : { resultSeen: true, ...result }),
        });
      }),
  ),
  place.chain((at) =>
    fc
      .record({
        tokensAfter: known(100, 200),
        summaryTokens: known(50),
        items: some([], [{ messageId: "m", fate: "kept" as const, tokens: 3 }]),
      })
      .map((said): SessionEvent => make.compaction({ ...at, ...said })),
  ),
  place.map((at): SessionEvent => make.cache(at)),
  place.chain((at) =>
    fc
      .record({ level: some("full" as const, "partial" as const, "absent" as const), why: known("old", "new") })
      .map((said): SessionEvent => make.coverage({ ...at, ...said })),
  ),
);

const history: fc.Arbitrary<Saying[]> = fc.array(fc.record({ file: some("/a", "/b", "/c"), event: saying }), {
  minLength: 1,
  maxLength: 24,
});

/** A history, the same in another order, and where both are cut. */
const twice = history.chain((told) =>
  fc.record({
    told: fc.constant(told),
    shuffled: fc.shuffledSubarray(told, { minLength: told.length, maxLength: told.length }),
    cut: fc.integer({ min: 1, max: 8 }),
  }),
);

function told(sayings: Saying[], perBatch: number): TestStore {
  const store = storeOf();
  for (let i = 0; i < sayings.length; i += perBatch) {
    const files = new Map<string, SessionEvent[]>();
    for (const { file, event } of sayings.slice(i, i + perBatch)) files.set(file, [...(files.get(file) ?? []), event]);
    for (const [file, events] of files) append(store, events, file);
  }
  return store;
}

test("any order and any batches give the same store", () => {
  fc.assert(
    fc.property(twice, ({ told: sayings, shuffled, cut }) => {
      const [one, other] = [told(sayings, sayings.length), told(shuffled, cut)];
      try {
        assert.equal(dump(other), dump(one));
      } finally {
        one.cleanup();
        other.cleanup();
      }
    }),
    { numRuns: runs },
  );
});

test("of all rows of one thing exactly one counts", () => {
  fc.assert(
    fc.property(twice, ({ shuffled, cut }) => {
      const store = told(shuffled, cut);
      try {
        for (const table of ["requests", "tool_calls", "compactions", "cache_events", "turns"]) {
          const wrong = store.raw
            .prepare(`SELECT hex(event_id), sum(counted) FROM ${table} GROUP BY event_id HAVING sum(counted) <> 1`)
            .all();
          assert.equal(wrong, [], table);
        }
      } finally {
        store.cleanup();
      }
    }),
    { numRuns: runs / 2 },
  );
});

test("taking a source back and saying it again gives the store that never had the first saying", () => {
  const plain = history.map((sayings) => ownTurns(saidOnce(sayings)));
  fc.assert(
    fc.property(fc.tuple(plain, plain), ([first, second]) => {
      const others = second.filter(({ file }) => file !== "/a");
      const again = second.filter(({ file }) => file === "/a").map(({ event }) => event);
      const store = told([...first.filter(({ file }) => file === "/a"), ...others], 5);
      const fresh = told(others, 5);
      try {
        append(store, again, "/a", { replace: true });
        append(fresh, again, "/a");
        assert.equal(dump(store), dump(fresh));
      } finally {
        store.cleanup();
        fresh.cleanup();
      }
    }),
    { numRuns: runs },
  );
});

/** Each file says each thing once. */
function saidOnce(sayings: Saying[]): Saying[] {
  const name = ({ file, event }: Saying) => `${file} ${event.kind} ${event.eventId.toString("hex")}`;
  return [...new Map(sayings.map((one) => [name(one), one])).values()];
}

/** No two files describe the same turn. */
function ownTurns(sayings: Saying[]): Saying[] {
  return sayings.map(({ file, event }) =>
    event.kind === "turn" ? { file, event: { ...event, turn: `${event.turn} of ${file}` } } : { file, event },
  );
}

test.run();
