/** Importing as a person does it. */
import { spawn } from "node:child_process";
import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { digestOf, hexOf } from "../../src/events/identity.js";
import { openStore } from "../../src/store/open.js";
import { call, prompt, reply, result, transcript } from "../support/claude.js";
import { type Home, home } from "../support/cli.js";
import { NOON } from "../support/events.js";
import { dump } from "../support/store.js";

const test = suite<{ at: Home }>("sonny import");
test.before.each((context) => {
  context.at = home();
});
test.after.each(({ at }) => at.cleanup());

const SESSION = transcript(prompt("hi", { uuid: "p1" }), reply({ id: "m1", stop: null }), reply({ id: "m1" }));

function put(at: Home, name: string, text: string): string {
  const path = join(at.folder, name);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
  return path;
}

test("without a path the agent's own folder is read", ({ at }) => {
  put(at, ".claude/projects/-x/s1.jsonl", SESSION);
  const { store, comparedWith, ...report } = at.json(["import"]);
  assert.is(comparedWith, null);
  assert.match(store, join(at.folder, ".sonny", "trace", "cache.db"));
  assert.equal(report, {
    schemaVersion: 1,
    files: { found: 1, read: 1, unchanged: 0, refused: 0 },
    named: { refused: 0 },
    bytes: { read: report.bytes.read },
    sessions: 1,
    turns: 1,
    requests: { kept: 1, duplicates: 1, withoutKey: 0 },
    lines: { read: 3, skipped: 0 },
    events: { refused: 0 },
    compactions: 0,
    toolCalls: 0,
    tenantConflicts: 0,
    forgotten: 0,
    refused: [],
    skippedLines: [],
    refusedEvents: [],
  });
  const again = at.sonny(["import"]);
  assert.is(again.code, 0);
  assert.match(again.stdout, "1 file found: 0 read, 1 unchanged, 0 refused");
});

test("nothing to import is no failure", ({ at }) => {
  const ran = at.sonny(["import"]);
  assert.is(ran.code, 0);
  assert.match(ran.stdout, "no transcripts found");
});

test("--list says what is where and makes no store", ({ at }) => {
  put(at, ".claude/projects/-x/s1.jsonl", SESSION);
  const { stdout } = at.sonny(["import", "--list"]);
  assert.match(stdout, /claude-code\n.*projects: 1 file, 0\.0 MB/);
  assert.match(stdout, /deletes +a file that was not written to for 30 days/);
  const { agents, paths } = at.json(["import", "--list", "--agent", "claude-code"]);
  assert.equal([agents.length, agents[0].files, agents[0].cleanup.days, paths], [1, 1, 30, []]);
  assert.equal(at.json(["import", "--list", ".claude"]).paths[0].files, 1);
  rmSync(join(at.folder, ".claude"), { recursive: true });
  assert.match(at.sonny(["import", "--list"]).stdout, "no transcripts found");
  assert.is(at.sonny(["context", "stats"]).code, 2);
});

test("--dry-run counts like an import into an empty store and makes none", ({ at }) => {
  put(at, "t/a.jsonl", SESSION);
  put(at, "t/b.jsonl", SESSION.replaceAll('"s1"', '"s2"'));
  const dry = at.json(["import", "t", "--dry-run"]);
  assert.is(at.sonny(["context", "stats"]).code, 2);
  const { store: _, ...real } = at.json(["import", "t"]);
  assert.equal({ ...real, store: null }, dry);
});

test("--dry-run beside a store counts what an import would add to it, and leaves it as it is", ({ at }) => {
  put(at, "t/a.jsonl", SESSION);
  at.sonny(["import", "t"]);
  put(at, "t/b.jsonl", transcript(prompt("more", { uuid: "p2" }), reply({ id: "m2" })));
  const path = join(at.folder, ".sonny/trace/cache.db");
  const before = readFileSync(path);
  const { store, comparedWith, files, requests } = at.json(["import", "t", "--dry-run"]);
  assert.equal([store, comparedWith, files.unchanged, requests.kept], [null, path, 1, 1]);
  assert.match(at.sonny(["import", "t", "--dry-run"]).stdout, /would be new in .*cache\.db: 1 request/);
  assert.equal(readFileSync(path), before);
});

test("a path that is missing or no transcript is exit 2, and the others are imported", ({ at }) => {
  put(at, "good.jsonl", SESSION);
  put(at, "other.jsonl", '{"hello":1}\n');
  for (const wrong of ["missing", "other.jsonl"]) {
    const ran = at.sonny(["import", wrong, "good.jsonl"]);
    assert.is(ran.code, 2);
    assert.match(ran.stdout, "refused: ");
  }
  assert.is(at.sonny(["context", "stats"]).code, 0);
  assert.is(at.sonny(["import", "."]).code, 0);
});

test("--strict is exit 2 when a line was skipped, after everything good was stored", ({ at }) => {
  put(at, "t/a.jsonl", `${SESSION}half a li\n`);
  const strict = at.sonny(["import", "t", "--strict"]);
  assert.is(strict.code, 2);
  assert.match(strict.stdout, /skipped: .*a\.jsonl:4: not JSON/);
  assert.is(at.json(["context", "stats"]).totals.requests, 1);
  assert.is(at.sonny(["import", "t"]).code, 0);
});

test("--tenant and --content are kept; a later import may add them", ({ at }) => {
  const calls = transcript(
    call("toolu_000000000000000a", "Bash", { command: "ls" }),
    result("toolu_000000000000000a", "out"),
  );
  put(at, "t/a.jsonl", SESSION + calls);
  at.sonny(["import", "t"]);
  assert.is(at.json(["import", "t", "--tenant", "acme", "--content"]).files.read, 1);
  assert.is(at.json(["context", "stats", "--tenant", "acme"]).totals.requests, 2);
  const other = at.json(["import", "t", "--tenant", "globex"]);
  assert.ok(other.tenantConflicts > 0);
  assert.is(at.json(["context", "stats", "--tenant", "globex"]).totals.requests, 0);
});

test("hostile names in a transcript and of a file reach no terminal as they are", ({ at }) => {
  put(at, "t/\u001b[31mred.jsonl", `${SESSION}\u001b]0;owned\u0007\n`);
  const { stdout } = at.sonny(["import", "t"]);
  assert.not.match(stdout, /[\u001b\u0007]/);
});

test("an unknown agent is told with the known ones", ({ at }) => {
  const ran = at.sonny(["import", "--agent", "emacs"]);
  assert.is(ran.code, 2);
  assert.match(ran.stderr, "claude-code");
});

test("an import killed at any moment and run again leaves the store of one import", async ({ at }) => {
  for (let file = 0; file < 6; file += 1) {
    const records = Array.from({ length: 1000 }, (_, i) => reply({ id: `m-${file}-${i}` }, { sessionId: `s${file}` }));
    put(at, `t/${file}.jsonl`, transcript(prompt("go", { sessionId: `s${file}` }), ...records));
  }
  at.sonny(["import", "t", "--store", "whole.db"]);
  const contents = (name: string) => {
    const store = openStore(join(at.folder, name), { mode: "read", nowMs: NOON });
    const { sources: _, ...rest } = dump(store);
    store.close();
    return hexOf(digestOf(JSON.stringify(rest)));
  };
  const expected = contents("whole.db");
  for (const delayMs of [300, 500, 700]) {
    const name = `killed-${delayMs}.db`;
    await killed([process.execPath, resolve("dist/src/main.js"), "import", "t", "--store", name], at.folder, delayMs);
    assert.is(at.sonny(["import", "t", "--store", name]).code, 0);
    assert.is(contents(name), expected, `after ${delayMs} ms`);
  }
  for (const file of [0, 1, 2]) rmSync(join(at.folder, `t/${file}.jsonl`));
  at.sonny(["import", "t", "--store", "whole.db"]);
  assert.is(contents("whole.db"), expected);
});

/** Runs a command and kills it after a while. */
function killed([command, ...words]: string[], cwd: string, delayMs: number): Promise<void> {
  return new Promise((done) => {
    const child = spawn(command!, words, {
      cwd,
      stdio: "ignore",
      env: { PATH: process.env.PATH, HOME: cwd, TZ: "UTC" },
    });
    const timer = setTimeout(() => child.kill("SIGKILL"), delayMs);
    child.on("close", () => {
      clearTimeout(timer);
      done();
    });
  });
}

test.run();
