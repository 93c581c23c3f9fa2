/**
 * Runs the test files whose path matches the pattern (all without one) and ends with `N passed, N failed`.
 * A run without a summary, ended by a signal, or without a single test is a failure.
 */
import { spawn } from "node:child_process";

const pattern = process.argv[2] ?? "\\.test\\.ts$";
const child = spawn(process.execPath, ["--import", "tsx", "node_modules/uvu/bin.js", "test", pattern], {
  stdio: ["ignore", "pipe", "inherit"],
  env: { ...process.env, FORCE_COLOR: "0", NO_COLOR: "1" },
});
let tail = "";
child.stdout.on("data", (chunk: Buffer) => {
  process.stdout.write(chunk);
  tail = (tail + chunk.toString("utf8")).slice(-4000);
});
child.on("close", (code, signal) => {
  const last = (word: string) =>
    Number([...tail.matchAll(new RegExp(`^\\s*${word}:\\s+(\\d+)`, "gm"))].at(-1)?.[1] ?? "0");
  const total = last("Total");
  const passed = last("Passed");
  const broken = signal !== null || total === 0 || (code !== 0 && passed === total);
  const failed = total - passed + (broken ? 1 : 0);
  process.stdout.write(`\n${passed} passed, ${failed} failed\n`);
  process.exitCode = failed === 0 && code === 0 ? 0 : 1;
});
