/** Stores in every state, through the built program: what may be read is read, nothing is changed, and it is said. */
import { createHash } from "node:crypto";
import {
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import Database from "better-sqlite3";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { type Home, home } from "../support/cli.js";

const test = suite<{ at: Home; store: string }>("stores");
test.before.each((context) => {
  context.at = home();
  context.store = join(context.at.folder, ".sonny/trace/cache.db");
  context.at.sonny(["import", join(process.cwd(), "fixtures/demo")]);
});
test.after.each(({ at }) => at.cleanup());

const hash = (file: string) => createHash("sha256").update(readFileSync(file)).digest("hex");
const READING = [
  ["context", "stats"],
  ["context", "validate", "--all"],
  ["store", "status"],
];

test("reading commands leave every byte of the store as it was", ({ at, store }) => {
  const before = hash(store);
  for (const words of READING) assert.is.not(at.sonny(words).code, 2);
  assert.is(hash(store), before);
});

test("status tells what is in the store, and backup makes a copy that answers the same", ({ at }) => {
  const status = at.json(["store", "status"]);
  assert.equal([status.sessions, status.sources, status.lostBatches, status.schema.version], [2, 3, 0, 1]);
  const { backup } = at.json(["store", "backup"]);
  const stats = (store: string) => JSON.stringify(at.json(["context", "stats", "--store", store]).metrics);
  assert.is(stats(backup), stats(status.path));
  assert.is(at.json(["store", "status"]).backups.length, 1);
});

test("migrating a store that is current changes nothing and makes no backup", ({ at, store }) => {
  const before = hash(store);
  assert.equal(at.json(["store", "migrate"]).applied, []);
  assert.is(hash(store), before);
  assert.is(existsSync(join(at.folder, ".sonny/trace/backups")), false);
});

test("a store of a newer sonny is refused by reading and writing, with both versions named, and stays as it is", ({
  at,
  store,
}) => {
  const db = new Database(store);
  db.exec(
    "INSERT INTO migrations (name, checksum, applied_at_ms) VALUES ('0999-later', 'x', 0); PRAGMA user_version = 999",
  );
  db.pragma("wal_checkpoint(TRUNCATE)");
  db.close();
  const before = hash(store);
  for (const words of [...READING, ["import"], ["record"], ["store", "migrate"]]) {
    const ran = at.sonny(words);
    assert.is(ran.code, 2, words.join(" "));
    assert.match(ran.stderr, /^sonny: .*(0999-later|newer).*\n$/);
  }
  assert.is(hash(store), before);
});

test("a damaged page is one line, never a figure", ({ at, store }) => {
  const bytes = readFileSync(store);
  for (let page = 1; page < bytes.length / 4096; page += 1) bytes.fill(0xa5, page * 4096, page * 4096 + 4096);
  writeFileSync(store, bytes);
  for (const words of READING) {
    const ran = at.sonny(words);
    assert.is(ran.code, 2, words.join(" "));
    assert.is(ran.stdout, "");
    assert.match(ran.stderr, /^sonny: .*cache\.db.*\n$/);
  }
});

test("what is no store is refused in one line and left alone", ({ at }) => {
  const folder = join(at.folder, "odd");
  mkdirSync(folder);
  const foreign = new Database(join(folder, "foreign.db"));
  foreign.exec("CREATE TABLE theirs (x)");
  foreign.close();
  writeFileSync(join(folder, "text.db"), "hello");
  writeFileSync(join(folder, "empty.db"), "");
  symlinkSync("nowhere.db", join(folder, "dangling.db"));
  mkdirSync(join(folder, "folder.db"));
  const before = readdirSync(folder).sort();
  const hashes = () => ["foreign.db", "text.db", "empty.db"].map((name) => hash(join(folder, name)));
  const then = hashes();
  for (const name of before) {
    for (const words of [["context", "stats"], ["record"]]) {
      const ran = at.sonny([...words, "--store", join(folder, name)]);
      assert.is(ran.code, 2, `${words.join(" ")} on ${name}: ${ran.stdout}`);
      assert.match(ran.stderr, /^sonny: .*\n$/);
    }
  }
  assert.equal(readdirSync(folder).sort(), before);
  assert.equal(hashes(), then);
});

test("a store in a folder without write permission can be read, or says so, and nothing is created", ({
  at,
  store,
}) => {
  const folder = join(at.folder, "locked");
  mkdirSync(folder);
  copyFileSync(store, join(folder, "cache.db"));
  chmodSync(folder, 0o555);
  const ran = at.sonny(["context", "stats", "--store", join(folder, "cache.db")]);
  chmodSync(folder, 0o755);
  if (ran.code === 0) assert.match(ran.stdout, "requests");
  else assert.match(ran.stderr, /^sonny: .*\n$/);
  assert.equal(
    readdirSync(folder).filter((name) => !/-(wal|shm)$/.test(name)),
    ["cache.db"],
  );
});

test("two tenants: each sees only its own, and theirs and nobody's add up to the whole", ({ at }) => {
  const line = (tenant: string | null, id: string, tokens: number) =>
    JSON.stringify({
      kind: "request",
      agent: "x",
      session: `of-${tenant}`,
      id,
      tenant,
      at: "2026-08-01T10:00:00Z",
      model: `model-of-${tenant}`,
      uncachedTokens: tokens,
      readTokens: 1,
      outputTokens: 1,
    });
  const silent = (tenant: string) =>
    JSON.stringify({
      kind: "coverage",
      agent: "x",
      session: `of-${tenant}`,
      tenant,
      fact: "local_cache",
      level: "absent",
      why: `model-of-${tenant} cannot tell`,
    });
  at.sonny(["record", "--store", "t.db"], {
    input: [
      silent("a"),
      silent("b"),
      line("a", "r1", 5),
      line("b", "r2", 7),
      line("b", "r3", 7),
      line(null, "r4", 100),
    ].join("\n"),
  });
  const stats = (...more: string[]) => at.json(["context", "stats", "--store", "t.db", ...more]);
  const uncached = (answer: Record<string, any>) => answer.totals.tokens.uncached;
  assert.is(uncached(stats("--tenant", "a")) + uncached(stats("--tenant", "b")) + 100, uncached(stats()));
  assert.equal(stats("--tenant", "a").totals.excluded, {
    ...stats("--tenant", "a").totals.excluded,
    otherTenant: 2,
    noTenant: 1,
  });
  for (const words of [
    ["context", "stats"],
    ["context", "stats", "--by", "model"],
    ["context", "validate", "--all"],
    ["context", "validate", "of-b"],
  ]) {
    const { stdout } = at.sonny([...words, "--store", "t.db", "--tenant", "a", "--json"]);
    assert.not.match(stdout, "model-of-b");
    if (!words.includes("of-b")) assert.not.match(stdout, "of-b");
  }
});

test.run();
