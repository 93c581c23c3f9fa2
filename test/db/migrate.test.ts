import { copyFileSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { backupsOf } from "../../src/db/backup.js";
import { appliedSteps, migrate, type Step } from "../../src/db/migrate.js";
import { type DatabaseFile, openForReading, openForWriting, type Raw } from "../../src/db/open.js";
import { Failure } from "../../src/failure.js";
import { ended, start } from "../support/process.js";
import { bigSteps, first, madeUp } from "../support/steps.js";
import { temporaryFolder } from "../support/store.js";

const test = suite<{ folder: string; path: string }>("migrate", { folder: "", path: "" });
test.before.each((context) => {
  context.folder = temporaryFolder();
  context.path = join(context.folder, "made-up.db");
});
test.after.each(({ folder }) => rmSync(folder, { recursive: true, force: true }));

function withDatabase<T>(path: string, work: (raw: Raw, file: DatabaseFile) => T): T {
  const file = openForWriting(path, madeUp);
  try {
    return work(file.raw, file);
  } finally {
    file.close();
  }
}

function fill(raw: Raw, rows: number): void {
  raw
    .prepare(
      "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ?) INSERT INTO things (name) SELECT 'thing ' || i FROM n",
    )
    .run(rows);
}

/** `old` or `new`; anything else is a mixture. */
function stateOf(raw: Raw): string {
  const state = [
    raw.pragma("user_version", { simple: true }),
    appliedSteps(raw).length,
    (raw.pragma("table_info(things)") as unknown[]).length - 1,
    (raw
      .prepare("SELECT count(*) FROM sqlite_schema WHERE name IN ('things_by_size', 'sizes')")
      .pluck()
      .get() as number) /
      2 +
      1,
  ];
  if (state.every((part) => part === 1)) return "old";
  const unsized = raw.prepare("SELECT count(*) FROM things WHERE size IS NULL").pluck();
  return state.every((part) => part === 2) && unsized.get() === 0 ? "new" : `mixed: ${state}`;
}

function failureOf(work: () => unknown): Failure {
  try {
    work();
  } catch (error) {
    if (error instanceof Failure) return error;
    throw error;
  }
  throw new Error("nothing failed");
}

test("a new database gets all steps and no backup; a second run does nothing", ({ path }) => {
  withDatabase(path, (raw) => {
    const all = { from: 0, to: 2, applied: ["0001-things", "0002-sizes"], backup: null };
    assert.equal(migrate(raw, bigSteps, { nowMs: 1 }), all);
    assert.equal(migrate(raw, bigSteps, { nowMs: 2 }), { from: 2, to: 2, applied: [], backup: null });
    assert.is(raw.pragma("user_version", { simple: true }), 2);
  });
});

test("a database that holds something is copied first, with the rows that are still in the log", ({ path }) => {
  const { backup } = withDatabase(path, (raw) => {
    migrate(raw, [first], { nowMs: 1 });
    fill(raw, 100);
    assert.ok(statSync(`${path}-wal`).size > 0);
    return migrate(raw, bigSteps, { nowMs: 1234 });
  });
  assert.match(backup!, /\/backups\/made-up-v1-before-v2-1234\.db$/);
  assert.is((statSync(backup!).mode & 0o777).toString(8), "600");
  const copy = openForReading(backup!, madeUp);
  assert.is(copy.raw.prepare("SELECT count(*) FROM things").pluck().get(), 100);
  assert.is(stateOf(copy.raw), "old");
  copy.close();
});

test("a step that fails leaves the old database, and names its backup", ({ path }) => {
  const broken: Step[] = [
    first,
    { name: "0002-broken", sql: "CREATE TABLE more (id INTEGER); DROP TABLE things; SELECT nonsense" },
  ];
  withDatabase(path, (raw) => {
    migrate(raw, [first], { nowMs: 1 });
    fill(raw, 10);
    const failure = failureOf(() => migrate(raw, broken, { nowMs: 5 }));
    assert.is(failure.code, "store.migration");
    assert.match(failure.message, /0002-broken.*no such column/);
    assert.match(failure.tries[0]!, /made-up-v1-before-v2-5\.db/);
    assert.is(stateOf(raw), "old");
    assert.is(raw.prepare("SELECT count(*) FROM things").pluck().get(), 10);
    assert.is(migrate(raw, bigSteps, { nowMs: 6 }).applied.length, 1, "a repaired step works");
  });
});

test("an edited step is refused and nothing is changed", ({ path }) => {
  withDatabase(path, (raw) => migrate(raw, [first], { nowMs: 1 }));
  const before = readFileSync(path);
  const edited = [{ ...first, sql: `${first.sql} ` }, bigSteps[1]!];
  withDatabase(path, (raw) => assert.is(failureOf(() => migrate(raw, edited, { nowMs: 2 })).code, "store.edited_step"));
  assert.equal(readFileSync(path), before);
});

test("a newer database is refused by name of both versions and nothing is changed", ({ path }) => {
  withDatabase(path, (raw) => migrate(raw, bigSteps, { nowMs: 1 }));
  const before = readFileSync(path);
  withDatabase(path, (raw) => {
    const failure = failureOf(() => migrate(raw, [first], { nowMs: 2 }));
    assert.is(failure.code, "store.newer");
    assert.match(failure.message, /schema is 2 \(0002-sizes\), this sonny knows 1 \(0001-things\)/);
  });
  assert.equal(readFileSync(path), before);
});

test("a database with tables and no record of steps is copied as unversioned, and left alone", ({ path }) => {
  withDatabase(path, (raw) => {
    raw.exec("CREATE TABLE things (id INTEGER)");
    const failure = failureOf(() => migrate(raw, [first], { nowMs: 7 }));
    assert.match(failure.tries[0]!, /made-up-vunversioned-before-v1-7\.db/);
    assert.equal(raw.prepare("SELECT name FROM sqlite_schema").pluck().all(), ["things"]);
  });
});

test("a backup that cannot be made stops the migration before it begins", ({ path, folder }) => {
  withDatabase(path, (raw) => {
    migrate(raw, [first], { nowMs: 1 });
    writeFileSync(join(folder, "backups"), "not a folder");
    assert.is(failureOf(() => migrate(raw, bigSteps, { nowMs: 2 })).code, "store.unreachable");
    assert.is(stateOf(raw), "old");
  });
});

test("eight processes that open one new database at once all succeed", async ({ path }) => {
  const children = Array.from({ length: 8 }, () => ended(start("migrate-child.ts", [path])));
  for (const { code, out } of await Promise.all(children)) assert.equal([code, out], [0, "begin\ndone\n"]);
  withDatabase(path, (raw) => assert.is(stateOf(raw), "new"));
});

const kills = process.env.SONNY_LONG ? 60 : 6;

test(`a migration killed at ${kills} moments leaves the old or the new database, never a mixture`, async ({
  path,
  folder,
}) => {
  const original = join(folder, "original.db");
  withDatabase(original, (raw) => {
    migrate(raw, [first], { nowMs: 1 });
    fill(raw, 60_000);
  });
  const seen = { old: 0, new: 0 };
  const lastsMs = await timeOf(original, path);
  for (let i = 0; i < kills; i += 1) {
    reset(original, path);
    const child = start("migrate-child.ts", [path]);
    const finished = ended(child);
    child.stdout!.once("data", () => setTimeout(() => child.kill("SIGKILL"), (lastsMs * 1.1 * i) / kills));
    const { out } = await finished;
    withDatabase(path, (raw) => {
      const state = stateOf(raw);
      assert.ok(state === "old" || state === "new", state);
      if (out.includes("done")) assert.is(state, "new", "what was said to be done is done");
      assert.is(raw.pragma("integrity_check(1)", { simple: true }), "ok");
      if (state === "new") assert.is(backupsOf(path).length, 1, "the copy came first");
      seen[state as "old" | "new"] += 1;
    });
  }
  assert.ok(seen.old > 0, "no kill came before the end");
});

test.run();

function reset(original: string, path: string): void {
  for (const suffix of ["", "-wal", "-shm"]) rmSync(path + suffix, { force: true });
  rmSync(join(path, "..", "backups"), { recursive: true, force: true });
  copyFileSync(original, path);
}

/** How long the migration takes here when nobody interrupts it. */
async function timeOf(original: string, path: string): Promise<number> {
  reset(original, path);
  const child = start("migrate-child.ts", [path]);
  let begun = 0;
  child.stdout!.once("data", () => {
    begun = Date.now();
  });
  await ended(child);
  return Date.now() - begun;
}
