import { spawn } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { type Home, home } from "../support/cli.js";

const test = suite<{ at: Home }>("sonny usage");
test.before.each((context) => {
  context.at = home();
});
test.after.each(({ at }) => {
  at.cleanup();
});

const NOON = "2026-08-01T12:00:00Z";
const request = (id: string, given: object = {}) => ({
  kind: "request",
  agent: "x",
  session: "s1",
  id,
  at: NOON,
  provider: "anthropic",
  model: "claude-opus-4-5",
  uncachedTokens: 1_000_000,
  readTokens: 0,
  outputTokens: 0,
  ...given,
});
const record = (at: Home, ...events: object[]) =>
  at.sonny(["record"], { input: events.map((event) => JSON.stringify(event)).join("\n") });

function configure(at: Home, text: string) {
  mkdirSync(join(at.folder, ".sonny"), { recursive: true });
  writeFileSync(join(at.folder, ".sonny", "config.yaml"), text);
}

test("the cost is known for a known model, and a floor beside an unknown one", ({ at }) => {
  record(at, request("r1"));
  assert.match(at.sonny(["usage"]).stdout, /cost +\$5\.00/);
  record(at, request("r2", { model: "mystery-9" }));
  const { stdout, code } = at.sonny(["usage"]);
  assert.match(stdout, /cost +≥ \$5\.00.*mystery-9 × 1/);
  assert.is(code, 0);
  assert.equal(at.json(["usage"]).total.cost.unpricedModels[0].model, "mystery-9");
});

test("a price of the user's own is used, also for what was recorded before", ({ at }) => {
  record(at, request("r1", { model: "house", provider: null }));
  assert.is(at.json(["usage"]).total.cost.state, "unknown");
  configure(at, "prices:\n  house: { input: 2, output: 4 }\n");
  assert.is(at.json(["usage"]).total.cost.usd, 2);
  configure(at, "prices:\n  house: free\n");
  const { total } = at.json(["usage"]);
  assert.equal([total.cost.usd, total.cost.basis.free], [0, 1]);
  configure(at, "prices:\n  house: { inptu: 2 }\n");
  const slip = at.sonny(["usage"]);
  assert.equal([slip.code, slip.stdout], [2, ""]);
  assert.match(slip.stderr, "house");
});

test("an evening counts on its day in the zone that was asked for", ({ at }) => {
  record(at, request("r1", { at: "2026-01-25T04:08:00Z" }));
  const day = (zone: string) => at.json(["usage", "--timezone", zone]).groups[0].key;
  assert.equal([day("America/Los_Angeles"), day("UTC")], ["2026-01-24", "2026-01-25"]);
  assert.match(at.sonny(["usage", "--timezone", "America/Los_Angeles"]).stdout, "days in America/Los_Angeles");
});

test("a window of a day leaves the older turn out of every figure, the cost too", ({ at }) => {
  const ago = (hours: number) => new Date(Date.now() - hours * 3_600_000).toISOString();
  const [old, late] = [ago(240), ago(1)];
  record(
    at,
    { kind: "turn", agent: "x", session: "s1", turn: "t1", at: old },
    request("r1", { turn: "t1", at: old, shellDigest: "a" }),
    {
      kind: "cache",
      agent: "x",
      session: "s1",
      turn: "t1",
      id: "h1",
      at: old,
      layer: "response",
      op: "hit",
      served: true,
    },
    {
      kind: "compaction",
      agent: "x",
      session: "s1",
      id: "c1",
      at: ago(216),
      recipe: "r",
      tokensBefore: 9,
      tokensAfter: 3,
    },
    { kind: "turn", agent: "x", session: "s1", turn: "t2", at: late },
    request("r2", { turn: "t2", at: late, shellDigest: "b" }),
  );
  const whole = at.json(["context", "stats"]);
  const day = at.json(["context", "stats", "--since", "24h"]);
  const figures = ({ metrics, recipes, avoidable }: Record<string, any>) => [
    metrics["cache.hit_rate"].count,
    metrics["cache.hit_rate"].of,
    metrics["prefix.churn"].count,
    recipes.length,
    avoidable.of,
  ];
  assert.equal(figures(whole), [1, 2, 1, 1, 10_000_000]);
  assert.equal(figures(day), [0, 1, 1, 0, 5_000_000]);
  assert.equal([at.json(["usage"]).total.cost.usd, at.json(["usage", "--since", "24h"]).total.cost.usd], [10, 5]);
  assert.match(at.sonny(["usage", "--since", "30m"]).stdout, "the newest record is from");
});

test("every tab draws in text, JSON and CSV", ({ at }) => {
  record(at, request("r1"), {
    kind: "tool_call",
    agent: "x",
    session: "s1",
    id: "t1",
    at: NOON,
    tool: "mcp__git__log",
  });
  for (const tab of ["activity", "models", "cost", "sessions", "tools", "cache"]) {
    const ran = at.sonny(["usage", "--tab", tab]);
    assert.equal([ran.code, ran.stderr], [0, ""], tab);
    assert.is(at.json(["usage", "--tab", tab]).tab, tab);
    assert.ok(at.sonny(["usage", "--tab", tab, "--csv"]).stdout.split("\n").length > 1);
  }
  assert.match(at.sonny(["usage", "--by", "server"]).stdout, /git +1/);
});

test("an empty scope exits 3, an impossible view 2", ({ at }) => {
  record(at, request("r1"));
  assert.is(at.sonny(["usage", "--session", "nobody"]).code, 3);
  assert.is(at.sonny(["usage", "--tab", "models", "--by", "day"]).code, 2);
  assert.is(at.sonny(["usage", "--watch", "--json"]).code, 2);
});

test("--watch draws again with what has come since, and ends cleanly on Ctrl-C", async ({ at }) => {
  record(at, request("r1"));
  const child = spawn(process.execPath, [resolve("dist/src/main.js"), "usage", "--watch"], {
    stdio: ["ignore", "pipe", "pipe"],
    env: { PATH: process.env.PATH, HOME: at.folder, TZ: "UTC", NODE_ENV: "production" },
  });
  let seen = "";
  const ended = new Promise<number | null>((done) => child.on("close", done));
  await new Promise<void>((done) => {
    let recorded = false;
    child.stdout.on("data", (chunk: Buffer) => {
      seen += chunk.toString("utf8");
      if (!recorded && seen.includes("$5.00")) {
        recorded = true;
        record(at, request("r2"));
      }
      if (seen.includes("$10.00")) done();
    });
    child.on("close", () => done());
  });
  child.kill("SIGINT");
  assert.is(await ended, 0);
  assert.match(seen, "$10.00");
});

test.run();
