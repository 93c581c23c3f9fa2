import {
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { openForWriting } from "../../src/db/open.js";
import { Failure } from "../../src/failure.js";
import { backUpStore, migrateStore } from "../../src/store/care.js";
import { openStore, STORE_KIND, type Store } from "../../src/store/open.js";
import { statusOf } from "../../src/store/status.js";
import { NOON, request } from "../support/events.js";
import { append, temporaryFolder } from "../support/store.js";

const test = suite<{ folder: string; path: string }>("open", { folder: "", path: "" });
test.before.each((context) => {
  context.folder = temporaryFolder();
  context.path = join(context.folder, "cache.db");
});
test.after.each(({ folder }) => rmSync(folder, { recursive: true, force: true }));

const open = (path: string, mode: "read" | "write" = "write") => openStore(path, { mode, nowMs: NOON });
const failureOf = (work: () => unknown): Failure => {
  try {
    work();
  } catch (error) {
    if (error instanceof Failure) return error;
    throw error;
  }
  throw new Error("nothing failed");
};

/** Ends a connection as kill -9 would: nothing is written any more. */
function abandon(store: Store, path: string): void {
  const files = ["", "-wal", ".mark"].map((suffix) => [path + suffix, readFileSync(path + suffix)] as const);
  store.close();
  for (const [file, bytes] of files) writeFileSync(file, bytes);
  rmSync(`${path}-shm`, { force: true });
}

test("a new store is there with its tables or not at all", ({ path }) => {
  const fill = () => {
    throw new Error("no space left");
  };
  assert.throws(() => openForWriting(path, { ...STORE_KIND, fill }), "no space left");
  assert.equal(readdirSync(dirname(path)), []);
});

test("a store with an older schema is migrated by writing, and reading names the command", ({ path }) => {
  open(path).close();
  const store = open(path);
  store.raw.exec("DELETE FROM migrations; PRAGMA user_version = 0");
  store.close();
  const failure = failureOf(() => open(path, "read"));
  assert.is(failure.code, "store.older");
  assert.equal(failure.tries, [`sonny store migrate --store ${path}`]);
});

test("a store of a newer sonny is refused, read or written, and keeps its bytes", ({ path }) => {
  const store = open(path);
  store.raw.exec("INSERT INTO migrations VALUES ('0999-future', 'x', 1); PRAGMA user_version = 999");
  store.close();
  const before = readFileSync(path);
  assert.is(failureOf(() => open(path, "read")).code, "store.newer");
  assert.is(failureOf(() => open(path)).code, "store.newer");
  assert.is(failureOf(() => migrateStore(path, NOON)).code, "store.newer");
  assert.equal(readFileSync(path), before);
});

test("a writer notices that the store was migrated meanwhile", ({ path }) => {
  const [one, other] = [open(path), open(path)];
  other.raw.pragma("user_version = 2");
  assert.is(failureOf(() => append(one, [request()])).code, "store.migrated");
  other.raw.pragma("user_version = 1");
  assert.is(append(one, [request()]).added.request, 1);
  one.close();
  other.close();
});

test("damaged pages are a failure, not a crash, when they are read", async ({ path }) => {
  const store = open(path);
  append(
    store,
    Array.from({ length: 2000 }, (_, i) => request({ id: String(i) })),
  );
  store.close();
  const bytes = readFileSync(path);
  bytes.fill(0xa5, 4096 * 3, bytes.length - 4096);
  writeFileSync(path, bytes);
  let code = "none";
  try {
    const damaged = open(path, "read");
    try {
      await damaged.db.selectFrom("requests").selectAll().execute();
    } finally {
      damaged.close();
    }
  } catch (error) {
    assert.instance(error, Failure);
    code = (error as Failure).code;
  }
  assert.is(code, "store.damaged");
});

test("half a file is a failure", ({ path }) => {
  const store = open(path);
  append(
    store,
    Array.from({ length: 2000 }, (_, i) => request({ id: String(i) })),
  );
  store.close();
  truncateSync(path, 5000);
  assert.is(failureOf(() => open(path, "read")).code, "store.damaged");
  assert.is(failureOf(() => open(path)).code, "store.damaged");
});

test("a log that lost its end is noticed and stays known", ({ path }) => {
  const store = open(path);
  append(store, [request({ id: "first" })]);
  store.raw.pragma("wal_checkpoint(TRUNCATE)");
  for (let i = 0; i < 5; i += 1) append(store, [request({ id: String(i) })]);
  abandon(store, path);
  truncateSync(`${path}-wal`, 0);

  const reader = open(path, "read");
  assert.is(reader.lostBatches, 4, "the mark lags one batch behind");
  reader.close();
  const writer = open(path);
  assert.is(writer.lostBatches, 4);
  append(writer, [request({ id: "later" })]);
  writer.close();
  const later = open(path, "read");
  assert.is(later.lostBatches, 4);
  later.close();
});

test("a log that is gone after a clean close lost nothing", ({ path }) => {
  const store = open(path);
  for (let i = 0; i < 5; i += 1) append(store, [request({ id: String(i) })]);
  store.close();
  assert.not.ok(existsSync(`${path}-wal`));
  const reader = open(path, "read");
  assert.is(reader.lostBatches, 0);
  reader.close();
});

test("a mark of another store, or one that cannot be read, says nothing", ({ path }) => {
  open(path).close();
  for (const mark of ['{"storeId":"other","committed":99,"lost":0}', "torn", ""]) {
    writeFileSync(`${path}.mark`, mark);
    const reader = open(path, "read");
    assert.is(reader.lostBatches, 0, mark);
    reader.close();
  }
});

test("a backup that is put back has lost nothing", ({ path }) => {
  const store = open(path);
  append(store, [request()]);
  const { backup } = backUpStore(path, NOON);
  for (let i = 0; i < 5; i += 1) append(store, [request()]);
  store.close();
  copyFileSync(backup, path);
  const restored = open(path, "read");
  assert.is(restored.lostBatches, 0);
  assert.is(restored.raw.prepare("SELECT count(*) FROM requests").pluck().get(), 1);
  restored.close();
});

test("a full folder for the mark does not fail what is durable already", ({ path }) => {
  const store = open(path);
  append(store, [request()]);
  mkdirSync(`${path}.mark.new`);
  assert.is(failureOf(() => append(store, [request()])).code, "store.unreachable");
  store.close();
  assert.not.ok(store.raw.open);
});

test("status tells what is there", ({ path }) => {
  const store = open(path);
  append(store, [request({ atMs: 5 }), request({ atMs: 9, turn: "p" })]);
  backUpStore(path, NOON);
  const status = statusOf(store);
  assert.equal([status.sources, status.sessions, status.batches, status.lostBatches], [1, 1, 1, 0]);
  assert.equal([status.rows.requests, status.rows.turns], [2, 1]);
  assert.equal([status.firstAtMs, status.lastAtMs], [5, 9]);
  assert.equal(status.schema, { version: 1, steps: ["0001-store"] });
  assert.is(status.journalMode, "wal");
  assert.ok(status.permissions.every(({ loose }) => !loose));
  assert.equal(
    status.backups.map(({ atMs }) => atMs),
    [NOON],
  );
  store.close();
});

test("care of a store never makes one", ({ path }) => {
  assert.is(failureOf(() => migrateStore(path, NOON)).code, "store.missing");
  assert.is(failureOf(() => backUpStore(path, NOON)).code, "store.missing");
  assert.not.ok(existsSync(path));
});

test("migrating what is current does nothing", ({ path }) => {
  open(path).close();
  const { from, to, applied, backup } = migrateStore(path, NOON);
  assert.equal({ from, to, applied, backup }, { from: 1, to: 1, applied: [], backup: null });
});

test.run();
