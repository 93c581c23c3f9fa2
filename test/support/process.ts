/** Runs TypeScript in a process of its own. */
import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { chmodSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { buildSync } from "esbuild";

const built = new Map<string, string>();

/** The script as one JavaScript file: starting it takes a tenth of the time. */
function programOf(script: string): string {
  let file = built.get(script);
  if (file === undefined) {
    file = join("node_modules", ".cache", "sonny-test", `${script}-${process.pid}.mjs`);
    buildSync({
      entryPoints: [join("test/support", script)],
      outfile: file,
      bundle: true,
      platform: "node",
      format: "esm",
      packages: "external",
    });
    built.set(script, file);
    process.once("exit", () => rmSync(file!, { force: true }));
  }
  return file;
}

/** A child that runs `script` (a path below `test/support`); its stdout is a pipe. */
export function start(script: string, args: string[], stderr: "inherit" | "ignore" = "inherit"): ChildProcess {
  return spawn(process.execPath, [programOf(script), ...args], {
    stdio: ["ignore", "pipe", stderr],
  });
}

/** All that the child printed, and how it ended. */
export function ended(child: ChildProcess): Promise<{ code: number | null; out: string }> {
  let out = "";
  child.stdout!.on("data", (chunk: Buffer) => {
    out += chunk.toString("utf8");
  });
  return new Promise((resolve) => child.on("close", (code) => resolve({ code, out })));
}

/** True when another, unprivileged user can be played: root ignores permissions. */
export const canBeNobody =
  process.getuid?.() === 0 && spawnSync("setpriv", ["--version"], { stdio: "ignore" }).status === 0;

/** Runs `script` as nobody, with a temporary folder of its own; the script prints JSON. */
export function asNobody(script: string, args: string[]): unknown {
  const folder = mkdtempSync(join(tmpdir(), "sonny-nobody-"));
  chmodSync(folder, 0o777);
  try {
    const { stdout, stderr, status } = spawnSync("setpriv", [...nobody, process.execPath, programOf(script), ...args], {
      encoding: "utf8",
      env: { ...process.env, TMPDIR: folder, HOME: folder },
    });
    if (status !== 0) throw new Error(stderr);
    return JSON.parse(stdout);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

const nobody = ["--reuid=65534", "--regid=65534", "--clear-groups"];
