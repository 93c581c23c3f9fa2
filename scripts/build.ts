/**
 * Bundles the executable, every command and the library into `dist/`, with the SQLite addon left outside, then writes
 * the declarations of the library and oclif's manifest (which keeps start-up from loading every command).
 */
import { execFileSync } from "node:child_process";
import { existsSync, readdirSync, renameSync, rmSync } from "node:fs";
import { join } from "node:path";
import { build } from "esbuild";

const fresh = `dist.${process.pid}`;
await build({
  entryPoints: ["src/main.ts", "src/index.ts", ...filesIn("commands"), ...filesIn("src/cli/hooks")],
  outbase: ".",
  outdir: fresh,
  bundle: true,
  splitting: true,
  format: "esm",
  platform: "node",
  target: "node20.6",
  external: ["better-sqlite3", "ts-node", "typescript", "tsx"],
  banner: {
    js: 'import { createRequire as requireOf } from "node:module"; const require = requireOf(import.meta.url);',
  },
  chunkNames: "chunks/[name]-[hash]",
  logLevel: "warning",
});
const run = (command: string, ...rest: string[]) =>
  execFileSync(process.execPath, [command, ...rest], {
    stdio: ["ignore", "ignore", "inherit"],
    env: { ...process.env, NODE_ENV: "production" },
  });
run("node_modules/typescript/bin/tsc", "-p", "tsconfig.types.json", "--outDir", fresh);
// Put in place by renaming, so that a program that runs meanwhile meets the old files or the new ones.
const old = `${fresh}.old`;
if (existsSync("dist")) renameSync("dist", old);
renameSync(fresh, "dist");
rmSync(old, { recursive: true, force: true });
run("node_modules/oclif/bin/run.js", "manifest");

function filesIn(folder: string): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.name.endsWith(".ts"))
    .map((entry) => join(entry.parentPath, entry.name));
}
