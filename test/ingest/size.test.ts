/** Large inputs. `SONNY_LONG=1` takes the full sizes: 700 MB with 2,000 requests and one line of 60 MB. */
import { execFileSync } from "node:child_process";
import { closeSync, openSync, rmSync, writeSync } from "node:fs";
import { join } from "node:path";
import { test } from "uvu";
import * as assert from "uvu/assert";
import { call, prompt, reply, result, transcript } from "../support/claude.js";
import { temporaryFolder } from "../support/store.js";

const LONG = process.env.SONNY_LONG === "1";
const REQUESTS = LONG ? 2_000 : 200;
const LINE_BYTES = LONG ? 350_000 : 50_000;
const LONG_LINE_BYTES = (LONG ? 60 : 16) * 1024 * 1024;

/** Imports the folder in a process of its own: what it counted, and its greatest memory in bytes. */
function importedApart(folder: string): { requests: number; lines: number; peak: number } {
  const script = `
    const { importFiles } = await import("./src/ingest/import.ts");
    const { drySink } = await import("./src/ingest/dry-run.ts");
    const { requests, lines } = importFiles([${JSON.stringify(folder)}], drySink());
    console.log(JSON.stringify({ requests: requests.kept, lines: lines.read, peak: process.resourceUsage().maxRSS * 1024 }));`;
  const words = ["--import", "tsx", "--input-type=module", "-e", script];
  const { FORCE_COLOR: _, ...env } = process.env;
  return JSON.parse(execFileSync(process.execPath, words, { encoding: "utf8", env }));
}

test("a large file with one very long line is read whole, within memory", () => {
  const folder = temporaryFolder();
  const file = openSync(join(folder, "large.jsonl"), "w");
  writeSync(file, transcript(prompt("go")));
  const text = "0123456789 äöü\n".repeat(LINE_BYTES / 20);
  for (let i = 0; i < REQUESTS; i += 1) {
    const id = `toolu_${String(i).padStart(20, "0")}`;
    const content = i === REQUESTS / 2 ? "long line \n".repeat(LONG_LINE_BYTES / 12) : text;
    writeSync(file, transcript(call(id, "Read", { file_path: `/${i}` }, { id: `m-${i}` }), result(id, content)));
  }
  writeSync(file, transcript(reply({ id: "last" })));
  closeSync(file);
  const { requests, lines, peak } = importedApart(folder);
  rmSync(folder, { recursive: true });
  assert.equal([requests, lines], [REQUESTS + 1, 2 * REQUESTS + 2]);
  assert.ok(peak < 160e6 + 3.5 * LONG_LINE_BYTES, `${Math.round(peak / 1e6)} MB`);
});

test.run();
