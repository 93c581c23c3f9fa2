/** Entries of pi of our own making: a test names only what it is about. */

type Given = Record<string, unknown>;

const START = Date.UTC(2026, 4, 1, 9);
let serial = 0;

const now = () => {
  serial += 1;
  return START + serial * 1000;
};
const iso = (atMs: number) => new Date(atMs).toISOString();

export const header = (id: string, given: Given = {}) => ({
  type: "session",
  version: 3,
  id,
  timestamp: iso(now()),
  cwd: "/home/ann/project",
  ...given,
});

export const entry = (type: string, given: Given = {}) => ({ type, timestamp: iso(now()), ...given });

/** A message that was begun half a second before its entry was written. */
export function message(role: string, said: Given, given: Given = {}) {
  const atMs = now();
  return { type: "message", timestamp: iso(atMs), ...given, message: { role, ...said, timestamp: atMs - 500 } };
}

export const prompt = (text: string, given: Given = {}) =>
  message("user", { content: [{ type: "text", text }] }, given);

/** Input 10, read 900, written 90, output 50. */
export const usage = (given: Given = {}) => ({
  input: 10,
  output: 50,
  cacheRead: 900,
  cacheWrite: 90,
  totalTokens: 1050,
  cost: { total: 0.0125 },
  ...given,
});

export const nothing = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, cost: { total: 0 } };

export const answer = (said: Given = {}, given: Given = {}) =>
  message(
    "assistant",
    {
      content: [{ type: "text", text: "ok" }],
      api: "anthropic-messages",
      provider: "anthropic",
      model: "claude-opus-4-5",
      usage: usage(),
      stopReason: "stop",
      ...said,
    },
    given,
  );

export const call = (id: string, name: string, args: unknown, said: Given = {}) =>
  answer({ stopReason: "toolUse", content: [{ type: "toolCall", id, name, arguments: args }], ...said });

export const result = (toolCallId: string, text: string, said: Given = {}) =>
  message("toolResult", { toolCallId, toolName: "x", content: [{ type: "text", text }], isError: false, ...said });

export const compaction = (summary: string, tokensBefore: number, given: Given = {}) =>
  entry("compaction", { summary, tokensBefore, firstKeptEntryId: "e1", ...given });
