/** Writes `src/store/schema.ts`, the types of the migrated store; with `--check` only says whether it is current. */
import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import Database from "better-sqlite3";
import { migrations } from "../src/store/migrations/index.js";

const target = "src/store/schema.ts";
const folder = mkdtempSync(join(tmpdir(), "sonny-schema-"));
const file = join(folder, "store.db");
const db = new Database(file);
for (const step of migrations) db.exec(step.sql);
db.close();
const generated = execFileSync(
  "npx",
  ["kysely-codegen", "--dialect", "sqlite", "--url", file, "--print", "--type-only-imports"],
  { encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] },
);
const wanted = generated.slice(generated.indexOf("/**")).replace("export interface DB {", "export interface Tables {");
rmSync(folder, { recursive: true });

if (!process.argv.includes("--check")) writeFileSync(target, wanted);
else if (readFileSync(target, "utf8") !== wanted) {
  console.error(`${target} is not current: npm run schema`);
  process.exitCode = 1;
}
