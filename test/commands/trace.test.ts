/** The commands that speak OpenTelemetry, as processes of their own. */
import { type ChildProcess, spawn } from "node:child_process";
import { appendFileSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { type AddressInfo, connect } from "node:net";
import { join, resolve } from "node:path";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { openStore } from "../../src/store/open.js";
import { type Home, home } from "../support/cli.js";
import { collector } from "../support/collector.js";
import { oneSpan } from "../support/receiver.js";

const MAIN = resolve("dist/src/main.js");

const test = suite<{ at: Home }>("trace");
test.before.each((context) => {
  context.at = home();
});
test.after.each(({ at }) => at.cleanup());

interface Running {
  child: ChildProcess;
  /** What it wrote so far. */
  out: () => string;
  err: () => string;
  /** Waits until one of the streams shows this. */
  shows(pattern: RegExp): Promise<RegExpExecArray>;
  /** Asks it to stop, and waits for its exit code. */
  stop(signal?: NodeJS.Signals): Promise<number | null>;
}

function start(at: Home, words: string[], env: Record<string, string> = {}): Running {
  const child = spawn(process.execPath, [MAIN, ...words], {
    cwd: at.folder,
    stdio: ["ignore", "pipe", "pipe"],
    env: { PATH: process.env.PATH, HOME: at.folder, TZ: "UTC", NODE_ENV: "production", ...env },
  });
  let [out, err] = ["", ""];
  child.stdout.on("data", (chunk: Buffer) => (out += chunk.toString()));
  child.stderr.on("data", (chunk: Buffer) => (err += chunk.toString()));
  const closed = new Promise<number | null>((done) => child.on("close", done));
  return {
    child,
    out: () => out,
    err: () => err,
    async shows(pattern) {
      for (let waited = 0; waited < 20_000; waited += 25) {
        const found = pattern.exec(out) ?? pattern.exec(err);
        if (found !== null) return found;
        await new Promise((resolve) => setTimeout(resolve, 25));
      }
      throw new Error(`never shown: ${pattern}\n${out}\n${err}`);
    },
    stop(signal = "SIGINT") {
      child.kill(signal);
      return closed;
    },
  };
}

async function receiving(at: Home, store: string): Promise<Running & { url: string }> {
  const running = start(at, ["trace", "receive", "--port", "0", "--store", store]);
  const [, url] = await running.shows(/at (http:\S+) /);
  return { ...running, url: url! };
}

async function post(url: string, body: unknown): Promise<number> {
  const headers = { "content-type": "application/json" };
  const answer = await fetch(`${url}/v1/traces`, { method: "POST", body: JSON.stringify(body), headers });
  await answer.arrayBuffer();
  return answer.status;
}

test("what is exported to a receiver is there, is sent once, and gives the same verdicts", async ({ at }) => {
  at.sonny(["import", resolve("fixtures/demo")]);
  const peer = await receiving(at, "other.db");
  const export_ = (...words: string[]) => at.sonny(["trace", "export", "--endpoint", peer.url, ...words]);
  const first = export_();
  assert.is(first.code, 0, first.stderr);
  assert.match(first.stdout, /sent 31 spans = 31 accepted \+ 0 rejected \+ 0 pending/);
  assert.match(first.stdout, new RegExp(`to ${peer.url}/v1/traces`));
  assert.match(export_().stdout, /new: 0 spans/);
  assert.match(
    export_("--again", "--protocol", "http/json", "--metrics").stdout,
    /sent 31 spans = 31 accepted[\s\S]*sent 9 metrics = 9/,
  );
  assert.is(await peer.stop(), 0);
  assert.match(peer.out(), /taken: 2 bodies of traces, 0 of logs, 1 of metrics; new: 14 requests/);
  const totals = (...words: string[]) => at.json(["context", "stats", ...words]).totals;
  assert.equal(totals("--store", "other.db"), totals());
});

test("what is new in a session goes out with the next export, and nothing else", async ({ at }) => {
  const line = (nth: number, turn: string) =>
    `${JSON.stringify({ kind: "request", session: "s", agent: "mine", turn, at: `2026-08-01T10:0${nth}:00Z`, model: "m", uncachedTokens: 5, outputTokens: 1 })}\n`;
  at.sonny(["record"], { input: line(1, "a") });
  const peer = await receiving(at, "other.db");
  const sent = () => /sent (\d+) spans/.exec(at.sonny(["trace", "export", "--endpoint", peer.url]).stdout)?.[1];
  assert.is(sent(), "3");
  at.sonny(["record"], { input: line(2, "b") });
  assert.is(sent(), "2");
  await peer.stop();
  assert.is(at.json(["context", "stats", "--store", "other.db"]).totals.requests, 2);
});

test("a receiver that is not there: exit 2, the count, and everything with the next export", async ({ at }) => {
  at.sonny(["import", resolve("fixtures/demo")]);
  const closed = at.sonny(["trace", "export", "--endpoint", "http://127.0.0.1:59998", "--timeout", "1"]);
  assert.is(closed.code, 2);
  assert.match(closed.stdout, /31 pending/);
  const peer = await receiving(at, "other.db");
  // Another place is another matter: what waits is for the first one.
  assert.match(at.sonny(["trace", "export", "--endpoint", peer.url]).stdout, /sent 31 spans = 31 accepted/);
  await peer.stop();
});

test("an export that is killed goes on: everything arrives, each span under one id", async ({ at }) => {
  at.sonny(["import", resolve("fixtures/transcripts")]);
  const { produced } = at.json(["trace", "export", "--dry-run"]).spans;
  let busy = 0;
  const peer = await collector(() => {
    busy += 1;
    return busy % 3 === 0 ? undefined : { status: 503, headers: { "retry-after": "0" } };
  });
  const words = ["trace", "export", "--endpoint", peer.url];
  for (const waitMs of [450, 600, 750, 900]) {
    const running = start(at, words);
    await new Promise((done) => setTimeout(done, waitMs));
    await running.stop("SIGKILL");
  }
  const last = start(at, words);
  assert.is(await new Promise((done) => last.child.on("close", done)), 0);
  assert.is(peer.accepted.size, produced);
  await peer.close();
});

test("what cannot be meant is refused before anything is sent", ({ at }) => {
  at.sonny(["import", resolve("fixtures/demo")]);
  const refused = at.sonny(["trace", "export"], {
    env: { OTEL_EXPORTER_OTLP_HEADERS: "authorization: Bearer secret" },
  });
  assert.is(refused.code, 2);
  assert.match(refused.stderr, /authorization/);
  assert.not.match(refused.stderr, /secret/);
  assert.is(at.sonny(["trace", "export", "--endpoint", "nowhere"]).code, 2);
  assert.is(at.sonny(["trace", "export", "--session", "unknown", "--dry-run"]).code, 2);
});

test("a proxy of the surroundings is gone through", async ({ at }) => {
  at.sonny(["import", resolve("fixtures/demo")]);
  const peer = await collector();
  const asked: string[] = [];
  const proxy = createServer();
  proxy.on("connect", (request, client, head) => {
    asked.push(request.url ?? "");
    const server = connect(Number(new URL(peer.url).port), "127.0.0.1", () => {
      client.write("HTTP/1.1 200 Connection Established\r\n\r\n");
      server.write(head);
      server.pipe(client).pipe(server);
    });
  });
  await new Promise<void>((done) => proxy.listen(0, "127.0.0.1", done));
  const { port } = proxy.address() as AddressInfo;
  const running = start(at, ["trace", "export", "--endpoint", "http://collector.test:4318"], {
    HTTP_PROXY: `http://127.0.0.1:${port}`,
  });
  await running.shows(/sent 31 spans = 31 accepted/);
  assert.equal([...new Set(asked)], ["collector.test:4318"]);
  await peer.close();
  proxy.closeAllConnections();
  proxy.close();
});

test("a file holds one request per line, and no text of anybody", ({ at }) => {
  at.sonny(["import", resolve("fixtures/demo"), "--content"]);
  assert.is(at.sonny(["trace", "export", "--file", "spans.jsonl"]).code, 0);
  const lines = readFileSync(join(at.folder, "spans.jsonl"), "utf8").trim().split("\n");
  for (const line of lines) assert.ok(JSON.parse(line).resourceSpans.length > 0);
  assert.not.match(lines.join(), /gen_ai\.tool\.call\.(arguments|result)/);
  at.sonny(["trace", "export", "--file", "texts.jsonl", "--content"]);
  assert.match(readFileSync(join(at.folder, "texts.jsonl"), "utf8"), /gen_ai\.tool\.call\.arguments/);
});

test("a port that is taken is said in one line", async ({ at }) => {
  const peer = await receiving(at, "other.db");
  const second = at.sonny(["trace", "receive", "--port", new URL(peer.url).port, "--store", "third.db"]);
  assert.is(second.code, 2);
  assert.match(second.stderr, /another program listens there/);
  await peer.stop();
});

const KILLS = process.env.SONNY_LONG === "1" ? 20 : 4;

test(`a receiver that is killed ${KILLS} times has lost nothing that it acknowledged`, async ({ at }) => {
  let acknowledged = 0;
  for (let round = 0; round < KILLS; round += 1) {
    const peer = await receiving(at, "killed.db");
    let stopped = false;
    const senders = Array.from({ length: 4 }, async () => {
      while (!stopped) {
        const status = await post(peer.url, oneSpan()).catch(() => null);
        if (status === 200) acknowledged += 1;
        else if (status === null) return;
      }
    });
    await new Promise((resolve) => setTimeout(resolve, 60 + Math.random() * 250));
    await peer.stop("SIGKILL");
    stopped = true;
    await Promise.all(senders);
  }
  const store = openStore(join(at.folder, "killed.db"), { mode: "read", nowMs: 0 });
  const kept = store.raw.prepare("SELECT count(*) FROM requests").pluck().get() as number;
  assert.is(store.raw.pragma("integrity_check", { simple: true }), "ok");
  store.close();
  assert.ok(acknowledged > KILLS);
  assert.ok(kept >= acknowledged, `${kept} of ${acknowledged}`);
});

test("watch shows each request that a transcript grows by, and ends with exit code 0", async ({ at }) => {
  const lines = readFileSync(resolve("fixtures/transcripts/claude-code/compacted.jsonl"), "utf8").split("\n");
  const half = Math.floor(lines.length / 2);
  const file = join(at.folder, "logs", "a.jsonl");
  mkdirSync(join(at.folder, "logs"));
  writeFileSync(
    file,
    lines
      .slice(0, half)
      .map((line) => `${line}\n`)
      .join(""),
  );
  const running = start(at, ["watch", "logs", "--json"]);
  const read = () => at.sonny(["context", "stats", "--json"]).code === 0;
  for (let waited = 0; waited < 40 && !read(); waited += 1) await new Promise((resolve) => setTimeout(resolve, 100));
  assert.is(running.out(), "");
  appendFileSync(file, lines.slice(half).join("\n"));
  await running.shows(/"promptTokens"/);
  assert.is(await running.stop("SIGTERM"), 0);
  const shown = running
    .out()
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line));
  const { requests } = at.json(["context", "stats"]).totals;
  assert.ok(shown.length > 0 && shown.length < requests);
  assert.ok(shown.every(({ agent }) => agent === "claude-code"));
});

test.run();
