import { existsSync, mkdirSync, readdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { backUp, backupsOf } from "../../src/db/backup.js";
import { openForReading, openForWriting } from "../../src/db/open.js";
import { immediate } from "../../src/db/transaction.js";
import { DAY, NOON } from "../support/events.js";
import { madeUp } from "../support/steps.js";
import { temporaryFolder } from "../support/store.js";

const test = suite<{ folder: string; path: string }>("backup", { folder: "", path: "" });
test.before.each((context) => {
  context.folder = temporaryFolder();
  context.path = join(context.folder, "made-up.db");
});
test.after.each(({ folder }) => rmSync(folder, { recursive: true, force: true }));

function backUpNow(path: string, nowMs: number): string {
  const { raw, close } = openForWriting(path, madeUp);
  raw.exec("CREATE TABLE IF NOT EXISTS things (id INTEGER PRIMARY KEY); INSERT INTO things DEFAULT VALUES");
  const backup = immediate(raw, () => backUp(raw, "v1", { nowMs }));
  close();
  return backup;
}

test("a backup is a whole database of the same kind", ({ path }) => {
  const backup = backUpNow(path, NOON);
  const copy = openForReading(backup, madeUp);
  assert.is(copy.raw.prepare("SELECT count(*) FROM things").pluck().get(), 1);
  copy.close();
});

test("two backups in one millisecond have two names, and nothing half-made is left", ({ path, folder }) => {
  backUpNow(path, NOON);
  backUpNow(path, NOON);
  assert.equal(readdirSync(join(folder, "backups")).sort(), [`made-up-v1-${NOON}.db`, `made-up-v1-${NOON + 1}.db`]);
});

test("the newest five stay, and everything younger than thirty days", ({ path }) => {
  for (let day = 0; day < 8; day += 1) backUpNow(path, NOON + day);
  assert.is(backupsOf(path).length, 8, "all are young");
  backUpNow(path, NOON + 60 * DAY);
  assert.equal(
    backupsOf(path).map(({ atMs }) => atMs - NOON),
    [60 * DAY, 7, 6, 5, 4],
  );
});

test("the only backup stays, however old, and other files are never touched", ({ path, folder }) => {
  mkdirSync(join(folder, "backups"));
  for (let i = 0; i < 9; i += 1) writeFileSync(join(folder, "backups", `other-v1-${i}.db`), "");
  const backup = backUpNow(path, 1);
  backUpNow(join(folder, "other.db"), NOON);
  assert.ok(existsSync(backup));
  assert.is(backupsOf(join(folder, "other.db")).length, 5);
});

test("a link of one's own as backup folder is followed", ({ path, folder }) => {
  mkdirSync(join(folder, "elsewhere"));
  symlinkSync("elsewhere", join(folder, "backups"));
  backUpNow(path, NOON);
  assert.is(readdirSync(join(folder, "elsewhere")).length, 1);
});

test.run();
