import { test } from "uvu";
import * as assert from "uvu/assert";
import { prompt, reply, transcript } from "../../support/claude.js";
import { imported } from "../../support/import.js";

/** Levels that are not full, by kind of fact. */
function lacking(records: unknown[], options = {}): Record<string, unknown> {
  const held = imported({ "s1.jsonl": transcript(...records) }, options);
  const rows = held.rows("SELECT fact, level FROM coverage WHERE level <> 'full' ORDER BY fact");
  held.cleanup();
  return Object.fromEntries(rows.map(({ fact, level }) => [fact, level]));
}

const ALWAYS = {
  contracts: "partial",
  divergences: "absent",
  local_cache: "absent",
  shell_digests: "absent",
  start_time: "absent",
  tenant: "absent",
};

/** A response of a version that has no room for diagnostics. */
function oldReply(version: string): unknown {
  const record = reply({}, { version }) as { message: Record<string, unknown> };
  const { diagnostics: _, ...message } = record.message;
  return { ...record, message };
}

test("a new client lacks only what no transcript holds", () => {
  assert.equal(lacking([prompt("x"), reply()]), ALWAYS);
});

test("an older client records neither changes of the shell nor reasons of the provider, and says since when", () => {
  assert.equal(lacking([oldReply("2.1.60")]), { ...ALWAYS, shell_deltas: "absent", miss_reasons: "absent" });
  const held = imported({ "s1.jsonl": transcript(oldReply("2.1.60")) });
  assert.match(String(held.value("SELECT why FROM coverage WHERE fact = 'shell_deltas'")), "2.1.92");
  assert.match(String(held.value("SELECT why FROM coverage WHERE fact = 'miss_reasons'")), "2.1.205");
  held.cleanup();
});

test("a session that went through an upgrade is partial", () => {
  const records = [prompt("x", { version: "2.1.60" }), oldReply("2.1.60"), reply()];
  assert.equal(lacking(records), { ...ALWAYS, shell_deltas: "partial", miss_reasons: "partial" });
  assert.equal(lacking([prompt("x", { version: "2.1.100" }), oldReply("2.1.100")]), {
    ...ALWAYS,
    miss_reasons: "absent",
  });
});

test("a tenant that was given is covered", () => {
  const { tenant: _, ...rest } = ALWAYS;
  assert.equal(lacking([reply()], { tenant: "acme" }), rest);
});

test("missing usage, missing counters and unfinished output are told", () => {
  const records = [
    reply({ usage: null }),
    reply({ stop: null }),
    reply({ usage: { input_tokens: 1, output_tokens: 1 } }),
  ];
  assert.equal(lacking(records), { ...ALWAYS, usage: "partial", cache_counters: "partial", final_output: "partial" });
  assert.equal(lacking([reply({ usage: { input_tokens: 1, output_tokens: 1 } })]), {
    ...ALWAYS,
    cache_counters: "absent",
  });
});

test("what the next line completes is full again", () => {
  const held = imported({ "s1.jsonl": transcript(reply({ id: "m1", stop: null })) });
  const level = () => held.value("SELECT level FROM coverage WHERE fact = 'final_output'");
  assert.is(level(), "partial");
  held.append("s1.jsonl", transcript(reply({ id: "m1" })));
  held.again();
  assert.is(level(), "full");
  held.cleanup();
});

test.run();
