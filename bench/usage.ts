/**
 * `sonny usage` by day over growing histories, beside ccusage reading the same transcripts and a bare Node start, in
 * turn in the same rounds. Prints ratios and everybody's totals, and refuses when any differs from the truth of the
 * generated transcripts.
 *
 *     node --import tsx bench/usage.ts [--large] [MEGABYTES…]        (default 10 100; --large adds 1000)
 */
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { makeTranscripts } from "./make-transcripts.js";
import { type Run, run, sideBySide, table } from "./measure.js";
import { ccusage, mustEqual, peerTotals, sonnyTotals, type Totals } from "./peer.js";

const ROUNDS = 7;
const large = process.argv.includes("--large");
const asked = process.argv.slice(2).map(Number).filter(Number.isFinite);
const sizes = asked.length > 0 ? asked : [10, 100, ...(large ? [1000] : [])];
const cli = resolve("dist/src/main.js");
const peer = ccusage();
const wallOf = new Map<number, number>();
const work = mkdtempSync(join(tmpdir(), "sonny-bench-"));
try {
  for (const size of sizes) measure(size);
  const [small, big] = [Math.min(...sizes), Math.max(...sizes)];
  if (small !== big)
    console.log(
      `\nsonny usage, ${big} MB : ${small} MB = ${(wallOf.get(big)! / wallOf.get(small)!).toFixed(3)} (wall)`,
    );
} finally {
  rmSync(work, { recursive: true, force: true });
}

function measure(megabytes: number): void {
  const logs = join(work, `logs${megabytes}`);
  const home = join(work, `home${megabytes}`);
  mkdirSync(logs);
  const truth = makeTranscripts(logs, megabytes * 1e6);
  console.log(
    `\n${(truth.bytes / 1e6).toFixed(0)} MB, ${truth.files} files, ${truth.requests} requests; Node ${process.version}; ${ROUNDS} rounds`,
  );
  const sonny = (...words: string[]) => run([process.execPath, cli, ...words], { SONNY_HOME: home });
  sonny("import", join(logs, "projects"));
  const day = ["--by", "day", "--timezone", "UTC"];
  const contenders: Record<string, () => Run> = {
    ...(peer === undefined
      ? {}
      : { "ccusage daily": () => run([peer, "daily", "--json", "--offline"], { CLAUDE_CONFIG_DIR: logs }) }),
    "node -e 0": () => run([process.execPath, "-e", "0"]),
    "sonny usage by day": () => sonny("usage", ...day),
    "sonny usage by day, JSON": () => sonny("usage", ...day, "--json"),
  };
  const results = sideBySide(contenders, ROUNDS);
  const told: Record<string, Totals> = {
    truth,
    ...(peer === undefined ? {} : { ccusage: peerTotals(results["ccusage daily"]!.stdout) }),
    sonny: sonnyTotals(JSON.parse(results["sonny usage by day, JSON"]!.stdout).total.tokens),
  };
  for (const [name, totals] of Object.entries(told)) mustEqual(name, totals, truth);
  console.log(table(results, peer === undefined ? "node -e 0" : "ccusage daily"));
  for (const [name, { uncachedTokens, readTokens, writeTokens, outputTokens }] of Object.entries(told))
    console.log(
      `${name.padEnd(10)} uncached ${uncachedTokens}  read ${readTokens}  written ${writeTokens}  output ${outputTokens}`,
    );
  wallOf.set(megabytes, results["sonny usage by day"]!.wallS);
  rmSync(logs, { recursive: true });
}
