/**
 * Makes Claude Code transcripts of a wanted size whose true totals are known, for measuring and for tests of size.
 *
 * Each message is written as one line per content block with the same id and usage, as the agent does; in some of them
 * only the last line has the final output count. Tool results make most of the bytes, some of it outside ASCII.
 */
import { closeSync, mkdirSync, openSync, writeSync } from "node:fs";
import { join } from "node:path";

export interface Truth {
  bytes: number;
  files: number;
  requests: number;
  turns: number;
  uncachedTokens: number;
  readTokens: number;
  writeTokens: number;
  outputTokens: number;
}

const FILE_BYTES = 660_000;
const START_MS = Date.UTC(2026, 5, 1, 8);

/** Writes below `<folder>/projects/` until `bytes` are there; the same arguments give the same files. */
export function makeTranscripts(folder: string, bytes: number, seed = 1): Truth {
  const truth: Truth = {
    bytes: 0,
    files: 0,
    requests: 0,
    turns: 0,
    uncachedTokens: 0,
    readTokens: 0,
    writeTokens: 0,
    outputTokens: 0,
  };
  const random = generator(seed);
  while (truth.bytes < bytes) {
    const project = join(folder, "projects", `-home-ann-project-${truth.files % 20}`);
    mkdirSync(project, { recursive: true });
    writeSession(project, truth, random, Math.min(FILE_BYTES, bytes - truth.bytes));
    truth.files += 1;
  }
  return truth;
}

function writeSession(project: string, truth: Truth, random: () => number, wanted: number): void {
  const sessionId = uuid(random);
  const handle = openSync(join(project, `${sessionId}.jsonl`), "w", 0o600);
  let atMs = START_MS + truth.files * 3_600_000;
  let context = 16_000;
  let parent: string | null = null;
  let written = 0;
  let lines: string[] = [];
  const line = (type: string, fields: object) => {
    const id = uuid(random);
    atMs += 500 + Math.floor(random() * 4_000);
    const text = JSON.stringify({
      parentUuid: parent,
      isSidechain: false,
      userType: "external",
      cwd: "/home/ann/project",
      sessionId,
      version: "2.1.215",
      gitBranch: "main",
      type,
      ...fields,
      uuid: id,
      timestamp: new Date(atMs).toISOString(),
    });
    parent = id;
    lines.push(text);
    written += Buffer.byteLength(text) + 1;
  };
  const flush = () => {
    writeSync(handle, lines.length === 0 ? "" : `${lines.join("\n")}\n`);
    lines = [];
  };

  while (written < wanted) {
    line("user", { promptId: uuid(random), message: { role: "user", content: `Please look at part ${truth.turns}.` } });
    truth.turns += 1;
    const steps = 3 + Math.floor(random() * 12);
    for (let step = 0; step < steps && written < wanted; step += 1) {
      const grown = 200 + Math.floor(random() * 3_000);
      const usage = {
        input_tokens: 1 + Math.floor(random() * 8),
        cache_read_input_tokens: step === 0 && random() < 0.05 ? 0 : context,
        output: 40 + Math.floor(random() * 900),
      };
      const write = usage.cache_read_input_tokens === 0 ? context + grown : grown;
      const messageId = `msg_bench_${String(truth.requests).padStart(9, "0")}`;
      const call = `toolu_bench_${String(truth.requests).padStart(9, "0")}`;
      const last = step === steps - 1;
      const blocks: object[] = [{ type: "text", text: words(random, 20 + Math.floor(random() * 60)) }];
      if (!last)
        blocks.push({
          type: "tool_use",
          id: call,
          name: random() < 0.5 ? "Read" : "Bash",
          input: { file_path: `/home/ann/project/src/${Math.floor(random() * 90)}.ts` },
        });
      blocks.forEach((block, at) => {
        const final = at === blocks.length - 1;
        line("assistant", {
          requestId: `req_bench_${truth.requests}`,
          message: {
            id: messageId,
            type: "message",
            role: "assistant",
            model: "claude-sonnet-5",
            content: [block],
            stop_reason: final ? (last ? "end_turn" : "tool_use") : null,
            stop_sequence: null,
            usage: {
              input_tokens: usage.input_tokens,
              cache_creation_input_tokens: write,
              cache_read_input_tokens: usage.cache_read_input_tokens,
              cache_creation: { ephemeral_5m_input_tokens: write, ephemeral_1h_input_tokens: 0 },
              output_tokens: final ? usage.output : Math.min(usage.output, 8),
              service_tier: "standard",
            },
          },
        });
      });
      truth.requests += 1;
      truth.uncachedTokens += usage.input_tokens;
      truth.readTokens += usage.cache_read_input_tokens;
      truth.writeTokens += write;
      truth.outputTokens += usage.output;
      context = usage.cache_read_input_tokens + write;
      if (context > 160_000) context = 30_000;
      if (!last) {
        const text = words(random, 200 + Math.floor(random() * 900));
        line("user", {
          message: { role: "user", content: [{ type: "tool_result", tool_use_id: call, content: text }] },
          toolUseResult: { stdout: text },
        });
      }
    }
    if (lines.length > 200) flush();
  }
  flush();
  closeSync(handle);
  truth.bytes += written;
}

const WORDS =
  "total round invoice cart naïve größe 合計 return const await import 測試 line price error ok of the and with file".split(
    " ",
  );

export function words(random: () => number, count: number): string {
  let text = "";
  for (let at = 0; at < count; at += 1)
    text += `${WORDS[Math.floor(random() * WORDS.length)]}${at % 12 === 11 ? "\n" : " "}`;
  return text;
}

export function uuid(random: () => number): string {
  const hex = () =>
    Math.floor(random() * 0x1_0000_0000)
      .toString(16)
      .padStart(8, "0");
  const text = hex() + hex() + hex() + hex();
  return `${text.slice(0, 8)}-${text.slice(8, 12)}-4${text.slice(13, 16)}-8${text.slice(17, 20)}-${text.slice(20)}`;
}

/** A small generator of repeatable numbers in [0, 1). */
export function generator(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}
