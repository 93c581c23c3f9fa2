/** Text from outside on every page: it may be shown, it may not act. And pipes, colours and exit codes. */
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { type Home, home, throughSlowPipe } from "../support/cli.js";

const test = suite<{ at: Home }>("hostile text");
test.before.each((context) => {
  context.at = home();
});
test.after.each(({ at }) => at.cleanup());

const record = (at: Home, ...events: object[]) => {
  const ran = at.sonny(["record"], { input: events.map((event) => JSON.stringify(event)).join("\n") });
  assert.is(ran.code, 0, ran.stdout + ran.stderr);
};
const request = (session: string, id: string, more: object = {}) => ({
  kind: "request",
  agent: "x",
  session,
  id,
  at: "2026-08-01T10:00:00Z",
  uncachedTokens: 1,
  readTokens: 1,
  outputTokens: 1,
  ...more,
});

const ACTS = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff]/u;
const sequences = [
  "\u001b[2J",
  "\u001b[?1049h",
  "\u001b[6n",
  "\u001b[31m",
  "\u001b]0;t\u0007",
  "\u001b]8;;http://e\u001b\\x",
  "\u001b]52;c;eA==\u0007",
  "\u001bPq\u001b\\",
  "\u001bc",
  "\u009b2J",
  "\u009d0;t\u009c",
  "\r",
  "\b\b\b",
  "\u0007",
  "\u0000",
  "\u007f",
  "\u202e",
  "\u2066",
  "\u200f",
  "\u2028",
];
const hostile = sequences.flatMap((sequence) => [sequence, `a${sequence}b`, `${sequence.repeat(3)}pass`]);

test("sixty hostile strings as session, title, model, tool, recipe and reason put nothing that acts on any page", ({
  at,
}) => {
  assert.is(hostile.length, 60);
  record(
    at,
    ...hostile.flatMap((text, nth) => [
      {
        kind: "session",
        agent: text || "x",
        session: `s${text}${nth}`,
        title: text,
        project: text,
        branch: text,
        at: "2026-08-01T09:00:00Z",
      },
      request(`s${text}${nth}`, "r1", { agent: text || "x", model: text, provider: text, shellDigest: "X" }),
      request(`s${text}${nth}`, "r2", {
        agent: text || "x",
        model: text,
        lane: `l${text}`,
        shellDigest: "Y",
        missReason: text,
      }),
      {
        kind: "tool_call",
        agent: text || "x",
        session: `s${text}${nth}`,
        id: "t",
        tool: text,
        callId: text,
        resultSeen: false,
        at: "2026-08-01T10:00:01Z",
      },
      {
        kind: "compaction",
        agent: text || "x",
        session: `s${text}${nth}`,
        id: "c",
        recipe: text,
        recipeVersion: text,
        tokensBefore: 2,
        tokensAfter: 1,
        at: "2026-08-01T10:00:02Z",
      },
      {
        kind: "contract",
        agent: text || "x",
        session: `s${text}${nth}`,
        id: "k",
        contract: text,
        subjectKind: "tool",
        subjectRef: text,
        outcome: "violation",
        code: text,
        detail: text,
        at: "2026-08-01T10:00:03Z",
      },
      {
        kind: "cache",
        agent: text || "x",
        session: `s${text}${nth}`,
        id: "h",
        layer: "tool",
        op: "hit",
        tenant: text,
        entryTenant: `${text}2`,
        reason: text,
        at: "2026-08-01T10:00:04Z",
      },
    ]),
  );
  const pages: string[][] = [
    ["context", "stats"],
    ["context", "stats", "--json"],
    ["context", "stats", "--csv", "--by", "model"],
    ["context", "stats", "--by", "agent"],
    ["context", "stats", "--session", `s${hostile[4]}4`],
    ["context", "validate", "--all"],
    ["context", "validate", "--all", "--json"],
    ["context", "validate", `s${hostile[1]}1`],
    ["context", "validate", "\u001b[2Junknown"],
    ["fixture", "new", `s${hostile[7]}7`],
    ["store", "status"],
    ["import", "\u001b[2Jnowhere"],
    ["\u001b[2Jcommand"],
    ["context", "stats", "--since", "\u001b[2J"],
    ["context", "stats", "--\u001b[2J"],
    ["context", "stats", "--store", "\u001b[2J.db"],
  ];
  for (const words of pages) {
    const { stdout, stderr } = at.sonny(words);
    assert.not.match(stdout.replaceAll("\r\n", "\n"), ACTS, `stdout of ${JSON.stringify(words)}`);
    assert.not.match(stderr, ACTS, `stderr of ${JSON.stringify(words)}`);
    assert.not.match(stderr, /\n\s+at /, `a stack of ${JSON.stringify(words)}`);
  }
});

test("a session id matches only itself, however odd it is", ({ at }) => {
  const ids = [
    "100%",
    "a_b",
    "aXb",
    "🙂",
    "../x",
    "-h",
    "it's",
    "two\nlines",
    "\u001b[31mred",
    "x".repeat(300),
    "%",
    "s",
    "S1",
    "' OR 1=1 --",
  ];
  record(at, ...ids.flatMap((id, nth) => Array.from({ length: nth + 1 }, (_, each) => request(id, `r${each}`))));
  for (const [nth, id] of ids.entries()) {
    const stats = at.sonny(["context", "stats", "--json", `--session=${id}`]);
    assert.is(JSON.parse(stats.stdout).totals.requests, nth + 1, JSON.stringify(id));
    if (nth > 5) continue;
    const verdict = at.sonny(["context", "validate", "--json", "--", id]);
    assert.is(JSON.parse(verdict.stdout).observed.requests, nth + 1, JSON.stringify(id));
  }
});

test("an answer of more than a megabyte with exit 1 arrives whole through a slow pipe", async ({ at }) => {
  const violations = Array.from({ length: 5_000 }, (_, nth) => ({
    kind: "contract",
    agent: "x",
    session: "s1",
    id: `k${nth}`,
    at: "2026-08-01T10:00:00Z",
    contract: "answer",
    subjectKind: "tool",
    outcome: "violation",
    code: "output_schema",
    detail: "x".repeat(60),
  }));
  record(at, ...violations);
  const ran = await throughSlowPipe(["context", "validate", "s1", "--json"], at.folder);
  assert.is(ran.code, 1);
  assert.ok(ran.stdout.length > 1_000_000, `${ran.stdout.length} bytes`);
  assert.is(JSON.parse(ran.stdout).checks.find(({ id }: { id: string }) => id === "return_contract").violations, 5_000);
});

test("piped output has no colour, even when the terminal type promises it", ({ at }) => {
  record(at, request("s1", "r1"));
  for (const env of [{ TERM: "xterm-256color" }, { NO_COLOR: "1", FORCE_COLOR: "1", TERM: "xterm" }]) {
    assert.not.match(at.sonny(["context", "stats"], { env }).stdout, "\u001b");
  }
});

for (const words of [
  ["context", "stats"],
  ["context", "validate", "s1"],
  ["context", "misses", "s1"],
  ["context", "losses", "s1"],
  ["context", "show", "s1"],
  ["usage"],
  ["fixture", "new", "s1"],
  ["store", "status"],
  ["store", "backup"],
]) {
  test(`sonny ${words.join(" ")} on a store that is not there: one line, exit 2, nothing created`, ({ at }) => {
    const ran = at.sonny([...words, "--store", "typo.db"]);
    assert.is(ran.code, 2);
    assert.is(ran.stdout, "");
    assert.match(ran.stderr, /^sonny: .*typo\.db.*\n$/);
    const told = JSON.parse(at.sonny([...words, "--store", "typo.db", "--json"]).stdout);
    assert.is(told.error.code, "store.missing");
    assert.throws(() => mkdirSync(join(at.folder, "typo.db", "x")), "ENOENT");
  });
}

test("what cannot be understood is one line with what to try, exit 2", ({ at }) => {
  writeFileSync(join(at.folder, "text.db"), "no database");
  record(at, request("s1", "r1"));
  const cases: [string[], RegExp][] = [
    [["contxt", "stats"], /sonny context stats/],
    [["context", "stats", "--sesion", "x"], /--session/],
    [["context", "stats", "--since", "7"], /--since 7d/],
    [["context", "stats", "--since", "2026-08-02", "--until", "2026-08-01"], /not before/],
    [["context", "stats", "--session", ""], /--session needs a value/],
    [["context", "stats", "--timezone", "Mars"], /not a time zone/],
    [["context", "stats", "--store", "text.db"], /text\.db/],
    [["context", "stats", "--store", "."], /directory|folder/],
    [["context", "validate"], /SESSION/],
    [["context", "validate", "s1", "--floor", "2"], /from 0 to 1/],
    [["context", "validate", "s1", "--require", "speed"], /not a check/],
    [["context", "validate", "s1", "--junit", "no/such/folder.xml"], /cannot be written/],
  ];
  for (const [words, reason] of cases) {
    const ran = at.sonny(words);
    assert.is(ran.code, 2, words.join(" "));
    assert.match(ran.stderr, reason, words.join(" "));
    assert.is(ran.stderr.trim().split("\n").length, 1, ran.stderr);
    assert.type(JSON.parse(at.sonny([...words, "--json"]).stdout).error.message, "string");
  }
});

test("the aliases print the same bytes as the commands", ({ at }) => {
  record(at, request("s1", "r1"), request("s1", "r2"));
  for (const [alias, command, rest] of [
    ["context-stats", ["context", "stats"], ["--session", "s1"]],
    ["context-validate", ["context", "validate"], ["s1"]],
  ] as const) {
    assert.equal(at.sonny([alias, ...rest]), at.sonny([...command, ...rest]));
    assert.equal(at.sonny([alias, ...rest, "--json"]), at.sonny([...command, ...rest, "--json"]));
  }
});

test.run();
