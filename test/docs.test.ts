/** What the pages and the help say is true: links lead somewhere, JSON lines are understood, examples run. */
import { copyFileSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { type Home, home } from "./support/cli.js";

const test = suite<{ at: Home }>("docs");
test.before.each((context) => {
  context.at = home();
});
test.after.each(({ at }) => at.cleanup());

const pages = [
  "README.md",
  ...readdirSync("docs", { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(".md"))
    .map((name) => join("docs", name)),
];

test("every link of every page leads to a file that is there", () => {
  const broken = pages.flatMap((page) =>
    [...readFileSync(page, "utf8").matchAll(/\]\((?!https?:)([^)#\s]+)(?:#[^)]*)?\)/g)]
      .map(([, target]) => target!)
      .filter((target) => !existsSync(join(dirname(page), target)))
      .map((target) => `${page}: ${target}`),
  );
  assert.equal(broken, []);
});

test("every command, metric and check has its entry on the generated pages", () => {
  const commands = readdirSync("commands", { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(".ts"))
    .map((name) => `## sonny ${name.replace(/\.ts$/, "").replaceAll("/", " ")}\n`);
  const page = readFileSync("docs/reference/commands.md", "utf8");
  assert.equal(
    commands.filter((heading) => !page.includes(heading)),
    [],
  );
});

test("every code of a broken contract that is computed is explained", () => {
  const page = readFileSync("docs/reference/checks.md", "utf8");
  const sources = ["src/ingest", "src/diagnostics/checks"].flatMap((folder) =>
    readdirSync(folder, { recursive: true, encoding: "utf8" })
      .filter((name) => name.endsWith(".ts"))
      .map((name) => readFileSync(join(folder, name), "utf8")),
  );
  const codes = new Set(
    sources.flatMap(
      (text) =>
        text.match(/\b(args|tool|truncated|result|output)_(not_json|schema|unknown|json|missing|orphan)\b/g) ?? [],
    ),
  );
  assert.ok(codes.size >= 6, [...codes].join(" "));
  assert.equal(
    [...codes].filter((code) => !page.includes(`\`${code}\``)),
    [],
  );
});

test("the agent of one's own on the page about events gives a session that can be judged", ({ at }) => {
  const blocks = [
    ...readFileSync("docs/how-to/record-your-own-events.md", "utf8").matchAll(/```json\n([\s\S]*?)```/g),
  ].map(([, block]) => block!);
  const whole = blocks.filter((block) => !block.includes("…"));
  assert.ok(whole.length >= 2);
  for (const block of whole) {
    const ran = at.sonny(["record"], { input: block });
    assert.is(ran.code, 0, block + ran.stdout + ran.stderr);
  }
  assert.is(at.json(["context", "stats", "--session", "s-42"]).totals.requests, 1);
});

test("the fixture on the page about releases is green", ({ at }) => {
  const page = readFileSync("docs/how-to/gate-a-release.md", "utf8");
  const [, assertions] = /```yaml\n(assertions:[\s\S]*?)```/.exec(page)!;
  mkdirSync(join(at.folder, "f"));
  writeFileSync(
    join(at.folder, "f", "page.yaml"),
    `transcripts: [${join(process.cwd(), "fixtures/demo/projects")}]\n${assertions}`,
  );
  const ran = at.sonny(["fixture", "check", "f"]);
  assert.is(ran.code, 0, ran.stdout + ran.stderr);
});

test("every example in every help text runs", ({ at }) => {
  const manifest = JSON.parse(readFileSync("oclif.manifest.json", "utf8")) as {
    commands: Record<string, { id: string; examples?: string[] }>;
  };
  prepare(at);
  const failed: string[] = [];
  for (const { id, examples = [] } of Object.values(manifest.commands)) {
    for (const example of examples.filter(
      (text) => typeof text === "string" && !text.includes("autocomplete") && !text.includes("--watch"),
    )) {
      const line = example
        .replaceAll("<%= config.bin %>", "sonny")
        .replaceAll("<%= command.id %>", id.replaceAll(":", " "))
        .replace(/(trace export .*--endpoint .*)/, "$1 --dry-run");
      if (/^sonny (watch|trace receive)/.test(line)) continue;
      const [command = "", input] = line.replace(/ > .*$/, "").split(" < ");
      const words = command
        .split(" ")
        .slice(1)
        .map((word) => word.replace(/^~/, at.folder));
      if (line.startsWith("sonny fixture check fixtures/checkout.yaml"))
        copyFileSync("fixtures/03-clean-pass.yaml", join(at.folder, "fixtures/checkout.yaml"));
      if (line.startsWith("sonny fixture new")) rmSync(join(at.folder, "fixtures/checkout.yaml"), { force: true });
      const ran = at.sonny(words, { input: input === undefined ? "" : readFileSync(join(at.folder, input), "utf8") });
      if (ran.code === 2) failed.push(`${line}: ${ran.stderr}`);
    }
  }
  assert.equal(failed, []);
});

test("every command line of the how-to pages runs", ({ at }) => {
  prepare(at);
  at.sonny(["import", join(process.cwd(), "fixtures/demo")]);
  const lines = new Set(
    pages
      .filter((page) => page.startsWith(join("docs", "how-to")))
      .flatMap((page) => [...readFileSync(page, "utf8").matchAll(/(<!-- golden.*\n)?```\n([\s\S]*?)```/g)])
      .flatMap(([, golden, block]) => (golden === undefined ? block!.split("\n") : []))
      .filter((line) => line.startsWith("sonny ") && !ENDLESS.test(line))
      .map((line) => line.replace(/ {2,}.*$/, "")),
  );
  assert.ok(lines.size > 20);
  const failed: string[] = [];
  for (const line of lines) {
    const words = line
      .replace(/ > .*$/, "")
      .replaceAll("SESSION", "5a3f0c11-7d1e-4f6a-9b0a-2f1c8e6d4b01")
      .replace(/\/srv\/\w+\/projects/, ".claude/projects")
      .split(/ +/)
      .slice(1)
      .map((word) => word.replace(/^~/, at.folder));
    const ran = at.sonny(words);
    if (ran.code === 2) failed.push(`${line}: ${ran.stderr}${ran.stdout}`);
  }
  assert.equal(failed, []);
});

/** Commands that run until they are stopped, or speak to somebody. */
const ENDLESS = /--watch|^sonny (watch|trace)/;

/** The files and sessions that examples speak of. */
function prepare(at: Home): void {
  const events = [
    { kind: "turn", session: "s-42", agent: "x", turn: "p1", at: "2026-08-01T10:00:00Z", tenant: "acme" },
    ...Array.from({ length: 9 }, (_, nth) => ({
      kind: "request",
      session: "s-42",
      agent: "x",
      turn: "p1",
      id: `r${nth}`,
      at: `2026-08-01T10:00:0${nth}Z`,
      tenant: "acme",
      model: "m",
      uncachedTokens: 1,
      readTokens: 9,
      outputTokens: 1,
      shellDigest: "x",
    })),
    ...["c1", "c2"].map((id, nth) => ({
      kind: "compaction",
      session: "s-42",
      agent: "x",
      id,
      at: `2026-08-01T10:01:0${nth}Z`,
      tenant: "acme",
      recipe: "r",
      tokensBefore: 9,
      tokensAfter: 3,
    })),
  ].map((event) => JSON.stringify(event));
  at.sonny(["record"], { input: events.join("\n") });
  writeFileSync(
    join(at.folder, "judgments.jsonl"),
    JSON.stringify({
      kind: "judgment",
      session: "s-42",
      agent: "x",
      compaction: "c1",
      judgeKind: "human",
      judge: "ann",
      score: 1,
    }),
  );
  const compacted = readFileSync(
    "fixtures/demo/projects/-home-ann-shop/5a3f0c11-7d1e-4f6a-9b0a-2f1c8e6d4b01.jsonl",
    "utf8",
  );
  writeFileSync(join(at.folder, "s-7.jsonl"), compacted.replaceAll("5a3f0c11-7d1e-4f6a-9b0a-2f1c8e6d4b01", "s-7"));
  at.sonny(["import", "s-7.jsonl"]);
  const transcript = "fixtures/demo/projects/-home-ann-shop/c2d94b7e-1a52-4c0d-8f3e-6b7a90d1e502.jsonl";
  mkdirSync(join(at.folder, ".claude/projects/p"), { recursive: true });
  copyFileSync(transcript, join(at.folder, ".claude/projects/p/a.jsonl"));
  copyFileSync(transcript, join(at.folder, "session.jsonl"));
  mkdirSync(join(at.folder, "fixtures"));
  for (const name of ["fixtures/other.yaml"]) copyFileSync("fixtures/03-clean-pass.yaml", join(at.folder, name));
  at.sonny(["record", "--store", "other.db"], { input: events.join("\n") });
}

test.run();
