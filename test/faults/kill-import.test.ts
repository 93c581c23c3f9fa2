/**
 * Imports killed with -9 at random moments, then finished: the store equals that of an import nobody disturbed, and
 * nothing that was once in it is lost on the way. 24 kills every day, 300 with SONNY_LONG=1.
 */
import { spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { test } from "uvu";
import * as assert from "uvu/assert";
import { makeTranscripts } from "../../bench/make-transcripts.js";
import { openStore } from "../../src/store/open.js";
import { dump } from "../support/store.js";

const KILLS = process.env.SONNY_LONG === "1" ? 300 : 24;
const MAIN = resolve("dist/src/main.js");

test(`after ${KILLS} kills the finished import equals an undisturbed one, and no acknowledged row is lost`, async () => {
  const folder = mkdtempSync(join(tmpdir(), "sonny-kill-"));
  try {
    const logs = join(folder, "logs");
    mkdirSync(logs);
    makeTranscripts(logs, 12_000_000);
    const undisturbed = join(folder, "undisturbed.db");
    const started = Date.now();
    assert.is(await importing(logs, undisturbed, null), 0);
    const takesMs = Date.now() - started;
    const wanted = dumpOf(undisturbed);

    let kills = 0;
    for (let round = 0; kills < KILLS; round += 1) {
      const store = join(folder, `store${round}.db`);
      let rows = 0;
      for (let tries = 0; tries < 12 && kills < KILLS; tries += 1) {
        const code = await importing(logs, store, Math.random() * takesMs * 1.1);
        if (code === null) kills += 1;
        const now = rowsOf(store);
        assert.ok(now >= rows, `rows fell from ${rows} to ${now}`);
        rows = now;
        if (code === 0) break;
      }
      assert.is(await importing(logs, store, null), 0);
      assert.equal(dumpOf(store), wanted);
      rmSync(store);
    }
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});

/** Exit code of the import, or null when it was killed. */
function importing(logs: string, store: string, killAfterMs: number | null): Promise<number | null> {
  return new Promise((done) => {
    const child = spawn(process.execPath, [MAIN, "import", join(logs, "projects"), "--store", store], {
      stdio: "ignore",
      env: { PATH: process.env.PATH, HOME: logs, NODE_ENV: "production" },
    });
    const timer = killAfterMs === null ? null : setTimeout(() => child.kill("SIGKILL"), killAfterMs);
    child.on("close", (code) => {
      if (timer !== null) clearTimeout(timer);
      done(code);
    });
  });
}

function dumpOf(path: string): Record<string, string[]> {
  const store = openStore(path, { mode: "read", nowMs: 0 });
  assert.is(store.lostBatches, 0);
  assert.is(store.raw.pragma("integrity_check", { simple: true }), "ok");
  const dumped = dump(store);
  store.close();
  return dumped;
}

/** Rows that a reader sees; none while there is no store, or not yet a whole one. */
function rowsOf(path: string): number {
  try {
    const store = openStore(path, { mode: "read", nowMs: 0 });
    const rows = store.raw
      .prepare("SELECT (SELECT count(*) FROM requests) + (SELECT count(*) FROM tool_calls)")
      .pluck()
      .get();
    store.close();
    return rows as number;
  } catch (error) {
    assert.match((error as { code?: string }).code ?? String(error), /^store\.(missing|empty|outdated|old)/);
    return 0;
  }
}

test.run();
