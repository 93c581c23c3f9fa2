import { execFileSync } from "node:child_process";
import { chmodSync, existsSync, mkdirSync } from "node:fs";
import { join, resolve } from "node:path";
import type { Truth } from "./make-transcripts.js";

export type Totals = Pick<Truth, "uncachedTokens" | "readTokens" | "writeTokens" | "outputTokens">;

const VERSION = "20.0.24";

/** The peer's native binary, installed beside the bench on first use; undefined where it cannot be had. */
export function ccusage(): string | undefined {
  const folder = resolve("bench/.peers");
  const native = `@ccusage/ccusage-${process.platform}-${process.arch}`;
  const binary = join(folder, "node_modules", native, "bin", "ccusage");
  if (!existsSync(binary)) {
    mkdirSync(folder, { recursive: true });
    try {
      execFileSync("npm", ["install", "--prefix", folder, `ccusage@${VERSION}`, `${native}@${VERSION}`], {
        stdio: "ignore",
      });
    } catch {
      console.log("ccusage could not be installed: measured without it");
      return undefined;
    }
  }
  if (!existsSync(binary)) return undefined;
  chmodSync(binary, 0o755);
  return binary;
}

export function peerTotals(stdout: string): Totals {
  const { totals } = JSON.parse(stdout);
  return {
    uncachedTokens: totals.inputTokens,
    readTokens: totals.cacheReadTokens,
    writeTokens: totals.cacheCreationTokens,
    outputTokens: totals.outputTokens,
  };
}

/** Totals as `context stats` and `usage` name them. */
export function sonnyTotals(tokens: Record<string, number | null>): Totals {
  const { uncached, read, write5m, write1h, writeUnsplit, output } = tokens;
  return {
    uncachedTokens: uncached ?? 0,
    readTokens: read ?? 0,
    writeTokens: (write5m ?? 0) + (write1h ?? 0) + (writeUnsplit ?? 0),
    outputTokens: output ?? 0,
  };
}

/** A figure that is not the truth has no speed. */
export function mustEqual(name: string, totals: Totals, truth: Totals): void {
  for (const key of ["uncachedTokens", "readTokens", "writeTokens", "outputTokens"] as const) {
    if (totals[key] !== truth[key])
      throw new Error(`${name}: ${key} is ${totals[key]}, the truth is ${truth[key]}: no speed is reported`);
  }
}
