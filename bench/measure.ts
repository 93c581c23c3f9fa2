import { spawnSync } from "node:child_process";

/** Wall seconds, CPU seconds (user and system, children included), peak memory, and what was printed. */
export interface Run {
  wallS: number;
  cpuS: number;
  peakMiB: number;
  stdout: string;
}

/** Runs a command once under GNU-time-like accounting of our own: a child that reports its child's resources. */
export function run(command: string[], env: Record<string, string> = {}, codes: number[] = [0]): Run {
  const probe = `
    const { spawnSync } = require("node:child_process");
    const started = process.hrtime.bigint();
    const { stdout, stderr, status } = spawnSync(process.argv[1], process.argv.slice(2), { maxBuffer: 1 << 30 });
    const wallS = Number(process.hrtime.bigint() - started) / 1e9;
    process.stdout.write(JSON.stringify({ wallS, status, stdout: stdout.toString(), stderr: stderr.toString().slice(-400) }));`;
  const timed = spawnSync("/usr/bin/env", ["time", "-f", "%U %S %M", process.execPath, "-e", probe, ...command], {
    env: { ...process.env, ...env },
    encoding: "utf8",
    maxBuffer: 1 << 30,
  });
  if (timed.error || timed.status !== 0) throw new Error(`cannot measure: ${timed.error?.message ?? timed.stderr}`);
  const { wallS, status, stdout, stderr } = JSON.parse(timed.stdout);
  if (!codes.includes(status))
    throw new Error(`${command.join(" ")} exited ${status}: ${stderr}${stdout.slice(0, 400)}`);
  const [user, system, kib] = timed.stderr.trim().split("\n").at(-1)!.split(" ").map(Number) as [
    number,
    number,
    number,
  ];
  return { wallS, cpuS: user + system, peakMiB: kib / 1024, stdout };
}

function median(values: number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)]!;
}

/** Each contender once per round, in turn, so that all see the same machine; medians per contender. */
export function sideBySide<K extends string>(contenders: Record<K, () => Run>, rounds: number): Record<K, Run> {
  const runs = new Map<K, Run[]>();
  for (let round = 0; round < rounds; round += 1) {
    for (const [name, once] of Object.entries(contenders) as [K, () => Run][]) {
      runs.set(name, [...(runs.get(name) ?? []), once()]);
    }
  }
  const middle = (all: Run[]): Run => ({
    wallS: median(all.map(({ wallS }) => wallS)),
    cpuS: median(all.map(({ cpuS }) => cpuS)),
    peakMiB: median(all.map(({ peakMiB }) => peakMiB)),
    stdout: all.at(-1)!.stdout,
  });
  return Object.fromEntries([...runs].map(([name, all]) => [name, middle(all)])) as Record<K, Run>;
}

/** One line per contender: seconds, and the ratio to the reference in the same rounds. */
export function table<K extends string>(results: Record<K, Run>, reference: K): string {
  const base = results[reference];
  return (Object.entries(results) as [string, Run][])
    .map(
      ([name, { wallS, cpuS, peakMiB }]) =>
        `${name.padEnd(34)} wall ${wallS.toFixed(3)} s (${(wallS / base.wallS).toFixed(3)} ×)  cpu ${cpuS.toFixed(3)} s (${(cpuS / base.cpuS).toFixed(3)} ×)  peak ${peakMiB.toFixed(0)} MiB`,
    )
    .join("\n");
}
