/** Runs the built executable as a person would: a process of its own, with a home of its own. */
import { spawn, spawnSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";

const MAIN = resolve("dist/src/main.js");

export interface Ran {
  stdout: string;
  stderr: string;
  code: number | null;
}

export interface Home {
  folder: string;
  /** Runs `sonny …` with this home; nothing of the real environment but PATH gets in. */
  sonny(words: string[], options?: { input?: string; env?: Record<string, string>; cwd?: string }): Ran;
  /** The parsed answer of `sonny … --json`. */
  json(words: string[]): Record<string, any>;
  cleanup(): void;
}

export function home(): Home {
  const folder = mkdtempSync(join(tmpdir(), "sonny-home-"));
  const sonny: Home["sonny"] = (words, { input = "", env = {}, cwd = folder } = {}) => {
    const { stdout, stderr, status } = spawnSync(process.execPath, [MAIN, ...words], {
      input,
      cwd,
      encoding: "utf8",
      maxBuffer: 1 << 28,
      env: { PATH: process.env.PATH, HOME: folder, TZ: "UTC", NODE_ENV: "production", ...env },
    });
    return { stdout, stderr, code: status };
  };
  return {
    folder,
    sonny,
    json: (words) => JSON.parse(sonny([...words, "--json"]).stdout),
    cleanup: () => rmSync(folder, { recursive: true, force: true }),
  };
}

/** The same, through a pipe that is read slowly: what arrives, and how the process ended. */
export function throughSlowPipe(words: string[], folder: string): Promise<Ran> {
  return new Promise((done) => {
    const child = spawn(process.execPath, [MAIN, ...words], {
      cwd: folder,
      stdio: ["ignore", "pipe", "pipe"],
      env: { PATH: process.env.PATH, HOME: folder, TZ: "UTC", NODE_ENV: "production" },
    });
    let stdout = "";
    let stderr = "";
    child.stderr.on("data", (chunk: Buffer) => {
      stderr += chunk.toString("utf8");
    });
    child.stdout.on("readable", function read() {
      const chunk = child.stdout.read() as Buffer | null;
      if (chunk === null) return;
      stdout += chunk.toString("latin1");
      child.stdout.removeListener("readable", read);
      setTimeout(() => {
        child.stdout.on("readable", read);
        read();
      }, 5);
    });
    child.on("close", (code) => done({ stdout: Buffer.from(stdout, "latin1").toString("utf8"), stderr, code }));
  });
}
