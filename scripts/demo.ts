/**
 * The main job on real input: imports the agent transcripts found on this machine, or the bundled sample when there are
 * none, into a store of its own, and prints the statistics with a word on how to read them.
 */
import { spawnSync } from "node:child_process";
import { existsSync, mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

const home = process.env.SONNY_DEMO_HOME ?? mkdtempSync(join(tmpdir(), "sonny-demo-"));
const env = { ...process.env, SONNY_HOME: home, SONNY_STORE: "" };
const cli = "dist/src/main.js";

if (!existsSync(cli)) run("npm", ["run", "-s", "build"]);
const found = JSON.parse(
  spawnSync(process.execPath, [cli, "import", "--json"], { env, encoding: "utf8" }).stdout || "{}",
);
if (!(found.requests?.kept > 0)) {
  console.log("No agent transcripts found on this machine: showing the bundled sample.\n");
  run(process.execPath, [cli, "import", "fixtures/demo"]);
} else {
  console.log(
    `Imported the transcripts found on this machine: ${found.files.read} files, ${found.sessions} sessions.\n`,
  );
}
run(process.execPath, [cli, "context", "stats"]);
console.log(`
How to read this: the coverage block says how much of each fact was really recorded, and every figure below rests on
that many records; "–" means it was not recorded, which is not zero. Start with the provider read ratio (how much of
each prompt was reused) and then ask one session what it did: sonny context validate SESSION --store ${join(home, "trace", "cache.db")}`);

function run(command: string, words: string[]): void {
  const { status } = spawnSync(command, words, { env, stdio: "inherit" });
  if (status !== 0 && status !== 3) process.exit(status ?? 1);
}
