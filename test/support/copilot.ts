/** Events of Copilot CLI of our own making: a test names only what it is about. */

type Given = Record<string, unknown>;

let serial = 0;
export function event(type: string, data: Given = {}) {
  serial += 1;
  const timestamp = new Date(Date.UTC(2026, 4, 1, 9) + serial * 1000).toISOString();
  return { type, data, id: `019f0000-0000-7000-8000-${String(serial).padStart(12, "0")}`, timestamp, parentId: null };
}

export const start = () =>
  event("session.start", {
    sessionId: "c1",
    copilotVersion: "1.0.68",
    context: { cwd: "/home/ann/project", branch: "main" },
  });
export const user = (content = "hi") => event("user.message", { content, interactionId: "i1" });
export const message = (id: string, given: Given = {}) =>
  event("assistant.message", {
    messageId: id,
    apiCallId: `resp_00000000000000${id}`,
    model: "gpt-5.4-mini",
    content: "ok",
    toolRequests: [],
    outputTokens: 50,
    ...given,
  });

/** Input 1000 of which 900 cached, output 50 of which 5 reasoning. */
export const shutdown = (count: number) =>
  event("session.shutdown", {
    modelMetrics: {
      "gpt-5.4-mini": {
        requests: { count },
        usage: { inputTokens: 1000, outputTokens: 50, cacheReadTokens: 900, cacheWriteTokens: 0, reasoningTokens: 5 },
      },
    },
  });
