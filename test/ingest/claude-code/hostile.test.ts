import * as fc from "fast-check";
import { test } from "uvu";
import * as assert from "uvu/assert";
import {
  attachment,
  boundary,
  call,
  checkpoint,
  progress,
  prompt,
  reply,
  result,
  system,
  transcript,
  usage,
} from "../../support/claude.js";
import { imported } from "../../support/import.js";

const records = () => [
  prompt("hi"),
  reply(),
  call("toolu_000000000000000a", "Task", { prompt: "x" }),
  result(
    "toolu_000000000000000a",
    [{ type: "text", text: "ok" }],
    { toolUseResult: { agentId: "a1" } },
    { is_error: true },
  ),
  boundary({ trigger: "auto", preTokens: 5, preservedMessages: { uuids: ["a"] } }),
  checkpoint("done"),
  system("microcompact_boundary", { microcompactMetadata: { preTokens: 1, tokensSaved: 9 } }),
  system("api_error", { retryInMs: 1.5, error: { status: 500 } }),
  attachment({ type: "skill_listing", isInitial: false }),
  progress("a1", "toolu_000000000000000a", reply() as Record<string, unknown>),
  { type: "custom-title", customTitle: "t", sessionId: "s1" },
];

const odd = fc.oneof(
  fc.jsonValue(),
  fc.constantFrom(
    "",
    "\u0000",
    "\ud800",
    "__proto__",
    "REDACTED",
    "x".repeat(5000),
    -1,
    1.5,
    2 ** 60,
    1e308,
    [],
    {},
    null,
    true,
  ),
);

/** The places of a value, as paths. */
function paths(value: unknown, at: string[] = []): string[][] {
  if (typeof value !== "object" || value === null) return [at];
  return [at, ...Object.entries(value).flatMap(([key, entry]) => paths(entry, [...at, key]))].filter(
    ({ length }) => length > 0,
  );
}

function replaced(value: unknown, [key, ...rest]: string[], by: unknown): unknown {
  const copy: Record<string, unknown> = Array.isArray(value) ? ([...value] as never) : { ...(value as object) };
  copy[key!] = rest.length === 0 ? by : replaced(copy[key!], rest, by);
  return copy;
}

test("whatever stands in whichever field, the file is read and the rest is kept", () => {
  const good = transcript(prompt("good", { uuid: "good" }), reply({ id: "good" }));
  fc.assert(
    fc.property(fc.array(fc.tuple(fc.nat(), fc.nat(), odd), { minLength: 1, maxLength: 8 }), (changes) => {
      const broken: unknown[] = records();
      for (const [which, where, by] of changes) {
        const index = which % broken.length;
        const places = paths(broken[index]);
        if (places.length > 0) broken[index] = replaced(broken[index], places[where % places.length]!, by);
      }
      const held = imported({ "s1.jsonl": good + broken.map((record) => `${JSON.stringify(record)}\n`).join("") });
      assert.is(held.report.files.refused, 0);
      assert.is(held.value("SELECT count(*) FROM requests WHERE message_id = 'good'"), 1);
      held.cleanup();
    }),
    { numRuns: 150 },
  );
});

test("names of object methods are names", () => {
  const names = ["__proto__", "constructor", "toString", "hasOwnProperty"];
  const held = imported({
    "s1.jsonl": transcript(
      ...names.map((name) => reply({ id: `m-${name}`, model: name }, { sessionId: name })),
      ...names.map((name) =>
        call(`toolu_0000000000_${name}`, name, JSON.parse(`{"${name}": 1}`), {}, { sessionId: name }),
      ),
    ),
  });
  assert.equal(
    held.rows("SELECT session_id AS id FROM sessions ORDER BY 1").map(({ id }) => id),
    [...names].sort(),
  );
  assert.is(held.value("SELECT count(DISTINCT arguments_digest) FROM tool_calls"), 4);
  held.cleanup();
});

test("huge numbers of fields and deep nesting are read", () => {
  const wide = Object.fromEntries(Array.from({ length: 20_000 }, (_, i) => [`key-${i}`, i]));
  const deep = `${"[".repeat(50_000)}${"]".repeat(50_000)}`;
  const text = transcript(
    call("toolu_000000000000000a", "Write", wide),
    result("toolu_000000000000000a", "DEEP"),
    call("toolu_000000000000000b", "Write", "DEEP"),
    reply({ usage: usage({ input_tokens: "DEEP", output_tokens: -1 }) }),
  );
  const held = imported({ "s1.jsonl": text.replaceAll('"DEEP"', deep) });
  assert.is(held.value("SELECT count(*) FROM requests"), 3);
  assert.is(held.value("SELECT count(*) FROM tool_calls WHERE result_seen = 1"), 1);
  held.cleanup();
});

test.run();
