/** Records of Codex CLI of our own making: a test names only what it is about. */

type Given = Record<string, unknown>;

const START = Date.UTC(2026, 6, 1, 9);
let serial = 0;

/** A rollout's line: every one is a second later than the one before. */
export function line(type: string, payload: Given, given: Given = {}): Given {
  serial += 1;
  return { timestamp: new Date(START + serial * 1000).toISOString(), type, payload, ...given };
}

export const meta = (id: string, given: Given = {}) =>
  line("session_meta", {
    id,
    timestamp: new Date(START).toISOString(),
    cwd: "/home/ann/project",
    originator: "codex-tui",
    cli_version: "0.142.0",
    source: "cli",
    model_provider: "openai",
    base_instructions: { text: "You are a coding agent." },
    git: { branch: "main" },
    ...given,
  });

export const turnId = (n: number) => `019f0000-0000-7000-8000-${String(n).padStart(12, "0")}`;

export const context = (given: Given = {}) =>
  line("turn_context", { cwd: "/home/ann/project", model: "gpt-5.5", effort: "high", ...given });

export const event = (type: string, given: Given = {}) => line("event_msg", { type, ...given });

export const started = (n: number) => event("task_started", { turn_id: turnId(n), model_context_window: 258400 });
export const complete = (n: number, given: Given = {}) => event("task_complete", { turn_id: turnId(n), ...given });
export const said = (message: string) => event("user_message", { message });

/** Input, cached input, output, reasoning. */
export type Counts = [number, number, number, number];

const counts = ([input, cached, output, reasoning]: Counts, total = input + output) => ({
  input_tokens: input,
  cached_input_tokens: cached,
  output_tokens: output,
  reasoning_output_tokens: reasoning,
  total_tokens: total,
});

/** The counter, and the last request as far as it is told. */
export const counter = (total: Counts, last?: Counts, lastTotal?: number) =>
  event("token_count", {
    info: {
      total_token_usage: counts(total),
      ...(last === undefined ? {} : { last_token_usage: counts(last, lastTotal) }),
      model_context_window: 258400,
    },
  });

export const item = (type: string, given: Given = {}) => line("response_item", { type, ...given });

export const call = (id: string, name: string, args: unknown) =>
  item("function_call", { name, arguments: typeof args === "string" ? args : JSON.stringify(args), call_id: id });

export const result = (id: string, output: unknown) => item("function_call_output", { call_id: id, output });

export const compacted = (message = "", history: unknown[] = []) =>
  line("compacted", { message, replacement_history: history });

/** A rollout of August 2025, when records had no envelope. */
export const bare = (id: string) => [
  { id, timestamp: new Date(START).toISOString(), instructions: null, git: { branch: "main" } },
  { record_type: "state" },
  { type: "message", id: null, role: "user", content: [{ type: "input_text", text: "<environment_context>x" }] },
  { type: "message", id: null, role: "user", content: [{ type: "input_text", text: "Count the files" }] },
  {
    type: "function_call",
    id: "fc_1",
    name: "shell",
    arguments: '{"command":["ls"]}',
    call_id: "call_00000000000000000001",
  },
  { record_type: "state" },
  {
    type: "function_call_output",
    call_id: "call_00000000000000000001",
    output: '{"output":"a","metadata":{"exit_code":0}}',
  },
  { type: "message", id: null, role: "assistant", content: [{ type: "output_text", text: "One." }] },
];
