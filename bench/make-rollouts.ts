/**
 * Makes Codex rollouts of a wanted size whose true totals are known: cumulative counters with repeats, tool calls and
 * outputs, as the agent writes them.
 */
import { closeSync, mkdirSync, openSync, writeSync } from "node:fs";
import { join } from "node:path";
import { generator, type Truth, uuid, words } from "./make-transcripts.js";

const FILE_BYTES = 660_000;
const START_MS = Date.UTC(2026, 5, 1, 8);

/** Writes below `<folder>/sessions/` until `bytes` are there; the same arguments give the same files. */
export function makeRollouts(folder: string, bytes: number, seed = 2): Truth {
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
  const day = join(folder, "sessions", "2026", "06", "01");
  mkdirSync(day, { recursive: true });
  while (truth.bytes < bytes) {
    writeRollout(day, truth, random, Math.min(FILE_BYTES, bytes - truth.bytes));
    truth.files += 1;
  }
  return truth;
}

function writeRollout(folder: string, truth: Truth, random: () => number, wanted: number): void {
  const id = uuid(random);
  let atMs = START_MS + truth.files * 60_000;
  const handle = openSync(join(folder, `rollout-2026-06-01T08-00-00-${id}.jsonl`), "w", 0o600);
  let written = 0;
  let lines: string[] = [];
  const line = (type: string, payload: object) => {
    atMs += 300 + Math.floor(random() * 3_000);
    const text = JSON.stringify({ timestamp: new Date(atMs).toISOString(), type, payload });
    lines.push(text);
    written += Buffer.byteLength(text) + 1;
  };
  const total = {
    input_tokens: 0,
    cached_input_tokens: 0,
    output_tokens: 0,
    reasoning_output_tokens: 0,
    total_tokens: 0,
  };
  line("session_meta", {
    id,
    timestamp: new Date(atMs).toISOString(),
    cwd: "/home/ann/project",
    originator: "codex_cli_rs",
    cli_version: "0.141.0",
    source: "cli",
    model_provider: "openai",
  });
  while (written < wanted) {
    const turn = uuid(random);
    line("event_msg", { type: "task_started", turn_id: turn, model_context_window: 258_400 });
    line("turn_context", {
      turn_id: turn,
      cwd: "/home/ann/project",
      model: "gpt-5.5",
      effort: "medium",
      approval_policy: "never",
      sandbox_policy: { mode: "workspace-write" },
    });
    line("event_msg", { type: "user_message", message: `Please look at part ${truth.turns}.` });
    truth.turns += 1;
    const steps = 3 + Math.floor(random() * 10);
    for (let step = 0; step < steps && written < wanted; step += 1) {
      const cached = step === 0 ? 0 : 12_000 + step * 1_024;
      const last = {
        input_tokens: cached + 200 + Math.floor(random() * 3_000),
        cached_input_tokens: cached,
        output_tokens: 40 + Math.floor(random() * 900),
        reasoning_output_tokens: 10,
        total_tokens: 0,
      };
      last.total_tokens = last.input_tokens + last.output_tokens;
      for (const key of Object.keys(total) as (keyof typeof total)[]) total[key] += last[key];
      const call = `call_${truth.requests}`;
      line("response_item", {
        type: "function_call",
        name: "shell",
        arguments: JSON.stringify({ command: ["cat", `src/${Math.floor(random() * 90)}.ts`] }),
        call_id: call,
      });
      line("response_item", {
        type: "function_call_output",
        call_id: call,
        output: words(random, 200 + Math.floor(random() * 900)),
      });
      const info = { total_token_usage: { ...total }, last_token_usage: last, model_context_window: 258_400 };
      line("event_msg", { type: "token_count", info, rate_limits: null });
      if (random() < 0.1) line("event_msg", { type: "token_count", info, rate_limits: null });
      truth.requests += 1;
      truth.uncachedTokens += last.input_tokens - cached;
      truth.readTokens += cached;
      truth.outputTokens += last.output_tokens;
    }
    line("event_msg", { type: "task_complete", turn_id: turn, last_agent_message: "Done." });
    writeSync(handle, `${lines.join("\n")}\n`);
    lines = [];
  }
  closeSync(handle);
  truth.bytes += written;
}
