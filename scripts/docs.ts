/**
 * Writes the generated pages of `docs/reference/` and the outputs shown on other pages; with `--check` only says what
 * is not current. Each page has one source: the command manifest, the docstrings of the metrics and checks, the words
 * of the door, the migrated schema, and the golden files.
 */
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { commandsPage } from "./docs/commands.js";
import { docstringsPage } from "./docs/docstrings.js";
import { eventsPage } from "./docs/events.js";
import { withGolden } from "./docs/golden.js";
import { otelNamesPage } from "./docs/otel-names.js";
import { storePage } from "./docs/store.js";

const pages = new Map<string, string>([
  ["docs/reference/commands.md", commandsPage()],
  [
    "docs/reference/metrics.md",
    docstringsPage(
      ["src/diagnostics", "src/diagnostics/misses", "src/gate/avoidable.ts"],
      "Metrics",
      "What `context stats` prints. Every value travels with its count, its total, its coverage and its state; see [JSON output](json-output.md).",
    ),
  ],
  [
    "docs/reference/checks.md",
    docstringsPage(
      ["src/diagnostics/checks"],
      "Checks",
      "What `context validate` decides. A session is violated if any check is, else unmeasured if any is, else it passes, provided that at least one check passed. A check whose subject could have been seen and did not occur is `not_applicable`; `--require` turns that into unmeasured.",
    ),
  ],
  [
    "docs/reference/ledger.md",
    docstringsPage(
      ["src/ledger"],
      "Ledger",
      "What `sonny usage` prints; see [see what it cost](../how-to/see-what-it-cost.md) and [JSON output](json-output.md).",
    ),
  ],
  ["docs/reference/events.md", eventsPage()],
  ["docs/reference/store.md", storePage()],
  ["docs/reference/otel-names.md", otelNamesPage()],
]);
for (const file of ["README.md", ...markdownIn("docs")]) {
  if (!pages.has(file)) pages.set(file, withGolden(readFileSync(file, "utf8")));
}

const stale = [...pages].filter(([file, text]) => currentText(file) !== text);
if (process.argv.includes("--check")) {
  for (const [file] of stale) console.error(`${file} is not current: npm run docs`);
  process.exitCode = stale.length === 0 ? 0 : 1;
} else {
  for (const [file, text] of stale) writeFileSync(file, text);
  console.log(`${stale.length} of ${pages.size} pages rewritten`);
}

function currentText(file: string): string | undefined {
  try {
    return readFileSync(file, "utf8");
  } catch {
    return undefined;
  }
}

function markdownIn(folder: string): string[] {
  return readdirSync(folder, { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(".md"))
    .map((name) => join(folder, name))
    .sort();
}
