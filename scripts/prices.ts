/**
 * Writes `src/pricing/prices.json` from the price data of an npm package: the newest version named below, and an older
 * one for models that have been retired since. Our own corrections and dates stand in `src/pricing/overrides.json`.
 *
 *     npm run prices        (needs the npm registry)
 */
import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";

const PACKAGE = "@earendil-works/pi-ai";
/** Newest first: a model is taken from the first version that has it. */
const VERSIONS = [
  { version: "1.6.0", released: "2026-11-20" },
  { version: "0.74.2", released: "2026-07-12" },
];
const TARGET = "src/pricing/prices.json";

/** US dollars per million tokens. */
interface Cost {
  input: number;
  output: number;
  cacheRead: number;
  cacheWrite: number;
  tiers?: (Cost & { inputTokensAbove: number })[];
}
interface Model {
  id: string;
  provider: string;
  type?: string;
  cost?: Cost;
}
type Row = (number | null | (number | null)[])[];

const folder = mkdtempSync(join(tmpdir(), "sonny-prices-"));
try {
  const providers: Record<string, Record<string, Row>> = {};
  const sources = [];
  for (const { version, released } of VERSIONS) {
    let taken = 0;
    for (const { id, provider, type = "chat", cost } of await modelsOf(unpacked(version))) {
      const row = type === "chat" && cost !== undefined ? rowOf(id, cost) : null;
      providers[provider] ??= {};
      const models = providers[provider];
      // A name that moves with time would price old requests as the newest model.
      if (row === null || id in models || id.startsWith("~")) continue;
      models[id] = row;
      taken += 1;
    }
    sources.push({ package: PACKAGE, version, released, license: "MIT", models: taken });
  }
  writeFileSync(TARGET, textOf(sources, providers));
  console.log(`${sources.map(({ version, models }) => `${models} models from ${version}`).join(", ")}`);
} finally {
  rmSync(folder, { recursive: true, force: true });
}

function unpacked(version: string): string {
  const target = join(folder, version);
  mkdirSync(target);
  const packed = execFileSync("npm", ["pack", "--silent", `${PACKAGE}@${version}`], { cwd: target, encoding: "utf8" });
  execFileSync("tar", ["xzf", packed.trim(), "--strip-components", "1"], { cwd: target });
  return target;
}

/** The newer versions ship one JSON file per provider, the older one a module of plain objects. */
async function modelsOf(root: string): Promise<Model[]> {
  const data = join(root, "dist/providers/data");
  const files = exists(data).filter((name) => name.endsWith(".json") && !name.startsWith("."));
  if (files.length > 0) {
    return files.flatMap((name) => {
      const apis = JSON.parse(readFileSync(join(data, name), "utf8")) as Record<string, Record<string, Model>>;
      return Object.values(apis).flatMap((models) => Object.values(models));
    });
  }
  const { MODELS } = await import(pathToFileURL(join(root, "dist/models.generated.js")).href);
  return Object.values(MODELS as Record<string, Record<string, Model>>).flatMap((models) => Object.values(models));
}

function exists(path: string): string[] {
  try {
    return readdirSync(path);
  } catch {
    return [];
  }
}

/**
 * A zero is free only where the name says so; elsewhere it stands for "not known" (a flat plan, no cache price), and a
 * model without a price for input and output is left out.
 */
function rowOf(id: string, cost: Cost): Row | null {
  // Below zero: a router, whose price is that of the model it picks.
  if (cost.input < 0 || cost.output < 0) return null;
  if (cost.input === 0 && cost.output === 0) return /[:-]free$/.test(id) ? [0, 0, 0, 0] : null;
  const tiers = [...(cost.tiers ?? [])].sort((a, b) => a.inputTokensAbove - b.inputTokensAbove);
  return [...ratesOf(cost), ...tiers.map((tier) => [tier.inputTokensAbove, ...ratesOf(tier)])];
}

function ratesOf({ input, output, cacheRead, cacheWrite }: Cost): (number | null)[] {
  const known = (price: number) => (price > 0 ? Number(price.toFixed(6)) : null);
  return [known(input) ?? 0, known(output) ?? 0, known(cacheRead), known(cacheWrite)];
}

/** One line per model, so that a renewal reads like a list of changed prices. */
function textOf(sources: unknown[], providers: Record<string, Record<string, Row>>): string {
  const sorted = Object.entries(providers)
    .filter(([, models]) => Object.keys(models).length > 0)
    .sort(([a], [b]) => (a < b ? -1 : 1));
  const blocks = sorted.map(([provider, models]) => {
    const lines = Object.keys(models)
      .sort()
      .map((id) => `${JSON.stringify(id)}:${JSON.stringify(models[id])}`);
    return `${JSON.stringify(provider)}:{\n${lines.join(",\n")}\n}`;
  });
  return `{\n"sources":${JSON.stringify(sources)},\n"providers":{\n${blocks.join(",\n")}\n}\n}\n`;
}
