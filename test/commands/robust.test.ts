/** Single records, files and places that once stopped a whole command. */

import { spawnSync } from "node:child_process";
import { closeSync, mkdirSync, openSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { type Home, home } from "../support/cli.js";

const test = suite<{ at: Home }>("robust");
test.before.each((context) => {
  context.at = home();
});
test.after.each(({ at }) => at.cleanup());

const record = (uuid: string, more: object = {}, message: object = {}) => ({
  parentUuid: null,
  isSidechain: false,
  sessionId: "s1",
  version: "2.1.217",
  type: "assistant",
  uuid,
  timestamp: `2026-08-01T10:00:0${uuid.length}.000Z`,
  requestId: `req_${uuid}`,
  message: {
    id: `msg_${uuid}`,
    role: "assistant",
    model: "m",
    stop_reason: "end_turn",
    content: [{ type: "text", text: "x" }],
    usage: { input_tokens: 1, cache_read_input_tokens: 0, cache_creation_input_tokens: 90_000, output_tokens: 1 },
    ...message,
  },
  ...more,
});
const write = (at: Home, name: string, ...records: unknown[]) => {
  mkdirSync(join(at.folder, "t"), { recursive: true });
  writeFileSync(join(at.folder, "t", name), `${records.map((each) => JSON.stringify(each)).join("\n")}\n`);
};
const ODD: unknown[] = [
  null,
  0,
  [],
  { toString: null },
  { toString: null, valueOf: null },
  "__proto__",
  "constructor",
  "toString",
  "hasOwnProperty",
  "\u0000",
  true,
];

test("no odd value in any field of a record keeps the next file from being read", ({ at }) => {
  let files = 0;
  for (const field of [
    "type",
    "subtype",
    "sessionId",
    "uuid",
    "version",
    "timestamp",
    "message",
    "agentId",
    "isSidechain",
    "cwd",
    "toolUseResult",
    "compactMetadata",
    "attachment",
    "data",
  ]) {
    for (const odd of ODD) {
      write(at, `a${files}.jsonl`, record("u", { [field]: odd }), record("uu", { [field]: odd }));
      files += 1;
    }
  }
  write(at, "zz.jsonl", record("good", { sessionId: "good" }));
  const ran = at.sonny(["import", "t", "--json"]);
  assert.is(JSON.parse(ran.stdout).files.found, files + 1);
  assert.not.match(ran.stdout, "stumbled");
  assert.is(at.json(["context", "stats", "--session", "good"]).totals.requests, 1);
  for (const words of [
    ["context", "stats"],
    ["context", "stats", "--by", "model", "--csv"],
    ["context", "validate", "--all"],
    ["usage"],
  ]) {
    const asked = at.sonny(words);
    assert.is.not(asked.code, 2, `${words.join(" ")}: ${asked.stderr}`);
  }
});

for (const reason of ["constructor", "__proto__", "toString", "hasOwnProperty", "brand_new_reason"]) {
  test(`the provider's reason "${reason}" is unknown, not a crash`, ({ at }) => {
    const diagnostics = { cache_miss_reason: { type: reason, cache_missed_input_tokens: 80_000 } };
    write(at, "a.jsonl", record("u"), record("uu", {}, { diagnostics }));
    at.sonny(["import", "t"]);
    assert.is(at.json(["context", "misses", "s1"]).causes[0].cause, "unknown");
    assert.is(at.sonny(["context", "stats"]).code, 0);
  });
}

test("counts beyond all counting are unknown, and sums stay sums", ({ at }) => {
  const usage = {
    input_tokens: 9_007_199_254_740_991,
    cache_read_input_tokens: 9_007_199_254_740_991,
    cache_creation_input_tokens: 9_007_199_254_740_991,
    output_tokens: 9_007_199_254_740_991,
  };
  write(at, "a.jsonl", ...Array.from({ length: 1_100 }, (_, nth) => record(`u${nth}`, {}, { usage })), record("good"));
  at.sonny(["import", "t"]);
  const { totals } = at.json(["context", "stats"]);
  assert.is(totals.requests, 1_101);
  assert.is(totals.tokens.uncached, 1);
  const ran = at.sonny(["record"], {
    input: JSON.stringify({ kind: "request", session: "s2", readTokens: 9_007_199_254_740_991 }),
  });
  assert.match(ran.stdout, "must not be above");
});

test("a mistyped path creates no store", ({ at }) => {
  const ran = at.sonny(["import", "nothere"]);
  assert.is(ran.code, 2);
  assert.equal(
    readdirSync(at.folder).filter((name) => name === ".sonny"),
    [],
  );
});

test("a place where no folder can be made is one line, soon", ({ at }) => {
  write(at, "a.jsonl", record("u"));
  const ran = at.sonny(["import", "t", "--store", "/proc/x/y.db"]);
  assert.is(ran.code, 2);
  assert.match(ran.stderr, /^sonny: .*\/proc\/x.*\n$/);
});

test("an answer that cannot be written is exit 2, never 1", ({ at }) => {
  write(at, "a.jsonl", record("u"));
  at.sonny(["import", "t"]);
  const full = openSync("/dev/full", "w");
  const { status, stderr } = spawnSync(process.execPath, ["dist/src/main.js", "context", "stats"], {
    stdio: ["ignore", full, "pipe"],
    env: { PATH: process.env.PATH, HOME: at.folder, NODE_ENV: "production" },
    encoding: "utf8",
  });
  closeSync(full);
  assert.is(status, 2);
  assert.match(stderr, /^sonny: the answer could not be written \(ENOSPC\)\n$/);
});

test("a reader that goes away early, on either side, is no trouble", ({ at }) => {
  write(at, "a.jsonl", ...Array.from({ length: 2_000 }, (_, nth) => record(`u${nth}`, { sessionId: `s${nth}` })));
  at.sonny(["import", "t"]);
  const through = (command: string) =>
    spawnSync("bash", ["-c", `set -o pipefail; ${command}; echo "exit $?"`], {
      encoding: "utf8",
      env: { PATH: process.env.PATH, HOME: at.folder, NODE_ENV: "production", NODE: process.execPath },
    });
  const quiet = through('"$NODE" dist/src/main.js usage --by session --json | head -1');
  assert.equal([quiet.stdout, quiet.stderr], ["{\nexit 0\n", ""]);
  for (const words of ["context stats --store nothere", "context stats --bogus", "nonsense", "import nothere"]) {
    const unheard = through(`"$NODE" dist/src/main.js ${words} 2>&1 >/dev/null | true`);
    assert.is(unheard.stdout, "exit 2\n", words);
  }
  assert.is(through('"$NODE" dist/src/main.js context stats >&-').stdout, "exit 0\n", "closed, or not wanted");
});

test("a YAML bomb, a pipe and a folder are no fixtures, and no place for JUnit", ({ at }) => {
  const bomb = [
    "a: &a [x,x,x,x,x,x,x,x,x]",
    ...Array.from(
      { length: 9 },
      (_, nth) => `${"bcdefghij"[nth]}: &${"bcdefghij"[nth]} [${Array(9).fill(`*${"abcdefghi"[nth]}`)}]`,
    ),
  ].join("\n");
  writeFileSync(join(at.folder, "bomb.yaml"), bomb);
  spawnSync("mkfifo", [join(at.folder, "pipe")]);
  write(at, "a.jsonl", record("u"));
  at.sonny(["import", "t"]);
  for (const words of [
    ["fixture", "check", "bomb.yaml"],
    ["fixture", "check", "pipe"],
    ["context", "validate", "s1", "--junit", "pipe"],
    ["context", "validate", "s1", "--junit", "t"],
    ["context", "validate", "s1", "--junit", ""],
  ]) {
    const ran = at.sonny(words);
    assert.is(ran.code, 2, words.join(" "));
    assert.match(ran.stderr, /^sonny: .*\n$/, words.join(" "));
  }
});

test.run();
