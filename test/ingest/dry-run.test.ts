import { test } from "uvu";
import * as assert from "uvu/assert";
import { drySink } from "../../src/ingest/dry-run.js";
import { type ImportOptions, importFiles } from "../../src/ingest/import.js";
import type { ImportReport } from "../../src/ingest/report.js";
import { createKnown } from "../../src/store/known.js";
import { boundary, call, prompt, reply, result, transcript } from "../support/claude.js";
import { type Imported, imported } from "../support/import.js";

const TEXT = transcript(
  prompt("hi", { uuid: "p1" }),
  call("toolu_0000000000000001", "Read", { file_path: "/a.ts" }, { id: "m1" }),
  result("toolu_0000000000000001", "text of a"),
  boundary({ trigger: "auto", preTokens: 160_000 }),
  reply({ id: "m2" }),
);
const MORE = transcript(prompt("more", { uuid: "p2" }), reply({ id: "m3" }));
const ofSession = (text: string, session: string) => text.replaceAll('"s1"', `"${session}"`);

/** What a dry run says, and then what the import says. Copies that are read again may be known or counted again. */
function both(held: Imported, options: ImportOptions = {}): [dry: unknown, real: unknown] {
  const dry = importFiles([held.folder], drySink(createKnown(held.store)), options);
  const told = ({ requests, ...rest }: ImportReport) => ({ ...rest, requests: { ...requests, duplicates: null } });
  return [told(dry), told(held.again(options))];
}

test("a dry run counts what an import adds to the store that is there", () => {
  const held = imported({ "a.jsonl": TEXT, "b.jsonl": ofSession(TEXT, "s2") });
  const stages: [about: string, change: () => void, options?: ImportOptions][] = [
    ["nothing changed", () => {}],
    ["a file grew", () => held.append("a.jsonl", MORE)],
    ["a copy appeared", () => held.write("c.jsonl", ofSession(TEXT + MORE, "s3"))],
    ["a file was rewritten", () => held.write("a.jsonl", transcript(prompt("new", { uuid: "p0" })) + TEXT + MORE)],
    ["a file was cut", () => held.write("c.jsonl", ofSession(TEXT, "s3"))],
    ["a tenant is named", () => {}, { tenant: "acme" }],
    ["another tenant is named", () => {}, { tenant: "globex" }],
    ["content is asked for", () => {}, { content: true }],
  ];
  for (const [about, change, options] of stages) {
    change();
    const [dry, real] = both(held, options);
    assert.equal(dry, real, about);
  }
  held.cleanup();
});

test("a file that is read again adds nothing new, and its conflicts are counted", () => {
  const held = imported({ "a.jsonl": TEXT }, { tenant: "acme" });
  const found = ({ files, requests, turns, toolCalls, compactions }: ImportReport) => [
    files.read,
    requests.kept,
    turns,
    toolCalls,
    compactions,
  ];
  assert.equal(found(held.report), [1, 2, 1, 1, 1]);
  assert.equal(found(held.again({ tenant: "acme", content: true })), [1, 0, 0, 0, 0]);
  const other = held.again({ tenant: "globex" });
  assert.equal([found(other), other.tenantConflicts > 0], [[1, 0, 0, 0, 0], true]);
  held.cleanup();
});

test.run();
