import { test } from "uvu";
import * as assert from "uvu/assert";
import { guarded, troubleWith } from "../../src/db/trouble.js";
import { Failure } from "../../src/failure.js";

const error = (code: string, message = "said so") => Object.assign(new Error(message), { code });

/** What SQLite or the system says, and the failure that a person sees. */
const troubles: [string, string][] = [
  ["SQLITE_FULL", "store.full"],
  ["ENOSPC", "store.full"],
  ["SQLITE_CORRUPT", "store.damaged"],
  ["SQLITE_CORRUPT_VTAB", "store.damaged"],
  ["SQLITE_NOTADB", "store.damaged"],
  ["SQLITE_READONLY_DIRECTORY", "store.forbidden"],
  ["EACCES", "store.forbidden"],
  ["SQLITE_CANTOPEN", "store.unreachable"],
  ["SQLITE_BUSY_SNAPSHOT", "store.busy"],
  ["SQLITE_IOERR_FSYNC", "store.io"],
  ["ENOTDIR", "store.unreachable"],
];
for (const [said, code] of troubles) {
  test(`${said} is told as ${code}, with the path and something to try`, () => {
    const failure = troubleWith("/some/cache.db", error(said)) as Failure;
    assert.instance(failure, Failure);
    assert.is(failure.code, code);
    assert.match(failure.message, "/some/cache.db");
    assert.ok(failure.tries.length > 0);
    assert.is((failure.cause as Error).message, "said so");
  });
}

test("a missing binding names the commands that bring it", () => {
  const failure = troubleWith("/x", new Error("Could not locate the bindings file. Tried: …")) as Failure;
  assert.is(failure.code, "store.binding");
  assert.equal(failure.tries, ["npm rebuild better-sqlite3", "npm install --allow-scripts=better-sqlite3"]);
});

test("a bug stays what it is", () => {
  const bug = new TypeError("undefined is not a function");
  assert.is(troubleWith("/x", bug), bug);
  assert.throws(
    () =>
      guarded("/x", () => {
        throw bug;
      }),
    (thrown: unknown) => thrown === bug,
  );
});

test.run();
