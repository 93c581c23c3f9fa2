/** Keeps the order of the house: which room may enter which, which package lives where, and which doors lead outside. */
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join, relative, resolve } from "node:path";
import ts from "typescript";
import { test } from "uvu";
import * as assert from "uvu/assert";

/** A room may enter only the rooms listed for it; every room may enter `failure`. */
const rooms: Record<string, string[]> = {
  failure: [],
  events: [],
  retention: ["events"],
  pricing: ["events"],
  db: [],
  store: ["db", "events"],
  runtime: ["events", "retention", "pricing"],
  sessions: ["runtime", "db", "events"],
  memory: ["runtime", "db", "events"],
  ingest: ["events", "retention", "db"],
  otel: ["events"],
  diagnostics: ["store", "pricing", "events"],
  ledger: ["store", "pricing", "events"],
  gate: ["ingest", "diagnostics", "ledger", "store", "events"],
  report: ["gate", "ledger", "diagnostics", "retention", "events"],
  cli: ["sessions", "store", "gate", "diagnostics", "report"],
  main: [],
};
const below = Object.keys(rooms).filter((room) => room !== "main");
rooms.index = below.filter((room) => room !== "cli");
rooms.commands = below;

/** Packages by room; a package that is not listed lives nowhere. */
const packages: Record<string, string[]> = {
  "better-sqlite3": ["db"],
  kysely: ["db", "store", "sessions", "memory", "diagnostics", "ledger"],
  chalk: ["report"],
  "cli-table3": ["report"],
  "date-fns": ["cli", "report", "ledger"],
  "@date-fns/tz": ["cli", "report", "ledger"],
  "@oclif/core": ["cli", "main", "commands"],
  "fastest-levenshtein": ["cli"],
  fzstd: ["ingest"],
  "@opentelemetry/api": ["otel"],
  "@opentelemetry/exporter-trace-otlp-http": ["otel"],
  "@opentelemetry/exporter-trace-otlp-proto": ["otel"],
  "@opentelemetry/otlp-transformer": ["otel"],
  "@opentelemetry/resources": ["otel"],
  "@opentelemetry/sdk-metrics": ["otel"],
  "@opentelemetry/sdk-trace": ["otel"],
  protobufjs: ["otel"],
  undici: ["otel"],
  valibot: ["ingest", "otel", "gate"],
  yaml: ["gate", "memory", "cli"],
};

interface Import {
  file: string;
  room: string;
  to: string;
  /** Only types are taken: erased before anything runs. */
  typeOnly: boolean;
}

const files = [...filesIn("src"), ...filesIn("commands")];
const imports = files.flatMap(importsOf);

test("every file lives in a listed room", () => {
  assert.equal(
    files.filter((file) => !(roomOf(file) in rooms)),
    [],
  );
});

test("a room enters only the rooms it may enter", () => {
  const wrong = imports
    .filter(({ to }) => to.startsWith("."))
    .map(({ file, room, to }) => ({ file, room, target: roomOf(relative(".", resolve(dirname(file), to))) }))
    .filter(({ room, target }) => target !== room && target !== "failure" && !rooms[room]!.includes(target))
    .map(({ file, target }) => `${file} enters ${target}`);
  assert.equal(wrong, []);
});

test("a package is imported only in its room", () => {
  const wrong = imports
    .filter(
      ({ to, typeOnly }) =>
        !to.startsWith(".") && !to.startsWith("node:") && !(typeOnly && packageOf(to) === "better-sqlite3"),
    )
    .filter(({ room, to }) => !(packages[packageOf(to)] ?? []).includes(room))
    .map(({ file, to }) => `${file} imports ${to}`);
  assert.equal(wrong, []);
});

test("date-fns is imported leaf by leaf", () => {
  assert.equal(
    imports.filter(({ to }) => to === "date-fns").map(({ file }) => file),
    [],
  );
});

test("every relative import names an existing file", () => {
  const missing = imports
    .filter(({ to }) => to.startsWith("."))
    .filter(({ file, to }) => !existsSync(resolve(dirname(file), to.replace(/\.js$/, ".ts"))));
  assert.equal(missing, []);
});

test("environment, home and console have one door each", () => {
  const doors: [RegExp, (room: string) => boolean][] = [
    [/\bprocess\.env\b|\bhomedir\(/, (room) => room === "cli"],
    [/\bDate\.now\(|\bnew Date\(\)/, (room) => room === "cli" || room === "commands"],
    [/\bconsole\./, () => false],
    [/\bprocess\.(stdout|stderr)\b/, (room) => room === "cli"],
    [/\bprocess\.exit\(|\bthis\.exit\(/, () => false],
  ];
  const wrong = files.flatMap((file) => {
    const code = withoutComments(readFileSync(file, "utf8"));
    return doors
      .filter(([pattern, allowed]) => pattern.test(code) && !allowed(roomOf(file)))
      .map(([pattern]) => `${file}: ${pattern}`);
  });
  assert.equal(wrong, []);
});

test("no room is a drawer for leftovers, and no file is a barrel inside a room", () => {
  const drawers = files.filter((file) => /(^|\/)(utils?|shared|common|helpers?|misc)(\/|\.)/.test(file));
  const barrels = files.filter((file) => /^src\/\w+\/index\.ts$/.test(file));
  assert.equal([...drawers, ...barrels], []);
});

/** A generated file, and migrations: one list of statements that is frozen once released. */
const EXEMPT = /^src\/store\/(schema\.ts|migrations\/)/;

test("files stay short enough to read", () => {
  const long = files.filter((file) => !EXEMPT.test(file) && readFileSync(file, "utf8").split("\n").length > 401);
  assert.equal(long, []);
});

function filesIn(folder: string): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.name.endsWith(".ts"))
    .map((entry) => join(entry.parentPath, entry.name))
    .sort();
}

/** `src/store/open.ts` is in `store`, `src/failure.ts` in `failure`, `commands/context/stats.ts` in `commands`. */
function roomOf(file: string): string {
  const [top, second = ""] = file.split("/");
  return top === "src" ? second.replace(/\.(ts|js)$/, "") : (top ?? "");
}

function packageOf(name: string): string {
  return name
    .split("/")
    .slice(0, name.startsWith("@") ? 2 : 1)
    .join("/");
}

/** Static, type, re-exporting and dynamic imports, as the compiler sees them. */
function importsOf(file: string): Import[] {
  const source = ts.createSourceFile(file, readFileSync(file, "utf8"), ts.ScriptTarget.Latest, true);
  const found: Import[] = [];
  const add = (to: ts.Node | undefined, typeOnly: boolean) => {
    if (to !== undefined && ts.isStringLiteralLike(to)) found.push({ file, room: roomOf(file), to: to.text, typeOnly });
  };
  const visit = (node: ts.Node): void => {
    if (ts.isImportDeclaration(node))
      add(node.moduleSpecifier, node.importClause?.phaseModifier === ts.SyntaxKind.TypeKeyword);
    else if (ts.isExportDeclaration(node)) add(node.moduleSpecifier, node.isTypeOnly);
    else if (ts.isImportTypeNode(node) && ts.isLiteralTypeNode(node.argument)) add(node.argument.literal, true);
    else if (ts.isCallExpression(node) && node.expression.kind === ts.SyntaxKind.ImportKeyword)
      add(node.arguments[0], false);
    ts.forEachChild(node, visit);
  };
  visit(source);
  return found;
}

function withoutComments(code: string): string {
  return code.replace(/\/\*[\s\S]*?\*\//g, "").replace(/(^|\s)\/\/.*$/gm, "$1");
}

test.run();
