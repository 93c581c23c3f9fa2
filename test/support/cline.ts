/** Sessions of Cline of our own making: a test names only what it is about. */

type Given = Record<string, unknown>;

let serial = 0;
export function message(role: string, content: unknown[], given: Given = {}) {
  serial += 1;
  return { id: `msg_${serial}`, role, ts: Date.UTC(2026, 4, 1, 9) + serial * 1000, content, ...given };
}

export const user = (text: string) => message("user", [{ type: "text", text }]);

/** Input 1000 of which 850 cached and 50 written, output 50. */
export const assistant = (content: unknown[] = [{ type: "text", text: "ok" }], metrics: Given = {}) =>
  message("assistant", content, {
    modelInfo: { id: "anthropic/claude-opus-4.8", provider: "cline" },
    metrics: { inputTokens: 1000, outputTokens: 50, cacheReadTokens: 850, cacheWriteTokens: 50, cost: 0.5, ...metrics },
  });
export const use = (id: string) => ({ type: "tool_use", id, name: "editor", input: { path: "a" } });
export const result = (id: string, given: Given = {}) =>
  message("user", [{ type: "tool_result", tool_use_id: id, content: "done", ...given }]);

export const session = (sessionId: string, messages: unknown[], given: Given = {}) =>
  JSON.stringify({ version: 1, agent: "lead", sessionId, messages, ...given }, null, 2);
