/**
 * Importing transcripts beside ccusage, in turn in the same rounds: fresh, again with nothing changed, and after one
 * appended line. Prints ratios, and refuses when any total differs from the truth of the generated transcripts.
 *
 *     node --import tsx bench/import.ts [claude-code|codex] [MEGABYTES] [ROUNDS]
 */
import { execFileSync } from "node:child_process";
import { appendFileSync, mkdirSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { makeRollouts } from "./make-rollouts.js";
import { makeTranscripts } from "./make-transcripts.js";
import { type Run, run, sideBySide, table } from "./measure.js";
import { ccusage, mustEqual, peerTotals, sonnyTotals, type Totals } from "./peer.js";

const agent = process.argv[2] === "codex" ? "codex" : "claude-code";
const megabytes = Number(process.argv[3] ?? 100);
const rounds = Number(process.argv[4] ?? 5);
/** How each agent's files are made, where they lie, and how the peer is asked about them. */
const { make, below, question, variable, appendix } = {
  "claude-code": {
    make: makeTranscripts,
    below: "projects",
    question: ["daily", "--json", "--offline"],
    variable: "CLAUDE_CONFIG_DIR",
    appendix: (nth: number) => ({ type: "summary", summary: `line ${nth}`, leafUuid: "x" }),
  },
  codex: {
    make: makeRollouts,
    below: "sessions",
    question: ["codex", "daily", "--json", "--offline"],
    variable: "CODEX_HOME",
    appendix: (nth: number) => ({
      timestamp: "2026-06-01T20:00:00Z",
      type: "event_msg",
      payload: { type: "agent_message", message: `line ${nth}` },
    }),
  },
}[agent];
const cli = resolve("dist/src/main.js");
const peer = ccusage();
const work = mkdtempSync(join(tmpdir(), "sonny-bench-"));
try {
  const logs = join(work, "logs");
  mkdirSync(logs);
  const truth = make(logs, megabytes * 1e6);
  console.log(
    `${agent}: ${(truth.bytes / 1e6).toFixed(0)} MB, ${truth.files} files, ${truth.requests} requests; Node ${process.version}; ${rounds} rounds`,
  );
  execFileSync("cat", [...transcripts(logs)], { stdio: ["ignore", "ignore", "inherit"], maxBuffer: 1 });
  let fresh = 0;
  let appended = 0;
  const sonny = (home: string) =>
    run([process.execPath, cli, "import", join(logs, below), "--json"], { SONNY_HOME: home });
  const warm = join(work, "warm");
  sonny(warm);
  const contenders: Record<string, () => Run> = {
    ...(peer === undefined ? {} : { ccusage: () => run([peer, ...question], { [variable]: logs }) }),
    "node -e 0": () => run([process.execPath, "-e", "0"]),
    "sonny import, fresh": () => {
      fresh += 1;
      const home = join(work, `fresh${fresh}`);
      const result = sonny(home);
      if (fresh < rounds) rmSync(home, { recursive: true });
      return result;
    },
    "sonny import, nothing changed": () => sonny(warm),
    "sonny import, one line appended": () => {
      appended += 1;
      appendFileSync(transcripts(logs)[0]!, `${JSON.stringify(appendix(appended))}\n`);
      return sonny(warm);
    },
  };
  const results = sideBySide(contenders, rounds);
  if (peer !== undefined) mustEqual("ccusage", peerTotals(results.ccusage!.stdout), truth);
  mustEqual("sonny", totalsIn(join(work, `fresh${fresh}`)), truth);
  mustEqual("sonny after appending", totalsIn(warm), truth);
  console.log(table(results, peer === undefined ? "node -e 0" : "ccusage"));
  console.log(
    `bytes read after one appended line: ${JSON.parse(results["sonny import, one line appended"]!.stdout).bytes.read}`,
  );
  console.log("totals of all contenders equal the truth");
} finally {
  rmSync(work, { recursive: true, force: true });
}

function totalsIn(home: string): Totals {
  const { stdout } = run([process.execPath, cli, "context", "stats", "--json"], { SONNY_HOME: home });
  return sonnyTotals(JSON.parse(stdout).totals.tokens);
}

function transcripts(folder: string): string[] {
  return readdirSync(folder, { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(".jsonl"))
    .sort()
    .map((name) => join(folder, name));
}
