/** Records of Kimi CLI of our own making: a test names only what it is about. */

type Given = Record<string, unknown>;

const START = Date.UTC(2026, 7, 2, 9);
let serial = 0;

const record = (type: string, given: Given = {}) => {
  serial += 1;
  return { type, ...given, time: START + serial * 1000 };
};

export const metadata = () => ({ type: "metadata", protocol_version: "1.4", created_at: START });
export const config = (given: Given = {}) => record("config.update", { cwd: "/home/ann/project", ...given });
export const tools = (...names: string[]) => record("tools.set_active_tools", { names });
export const other = record;

export const prompt = (text: string, origin: Given = { kind: "user" }) =>
  record("turn.prompt", { input: [{ type: "text", text }], origin });

export const sent = (given: Given = {}) =>
  record("llm.request", {
    kind: "loop",
    provider: "kimi",
    model: "kimi-k2.7-code",
    thinkingEffort: "on",
    systemPromptHash: "aa",
    toolsHash: "bb",
    messageCount: 1,
    ...given,
  });

const event = (type: string, given: Given) => record("context.append_loop_event", { event: { type, ...given } });

export const stepEnd = (messageId: string, finishReason = "end_turn") =>
  event("step.end", { messageId, finishReason, llmFirstTokenLatencyMs: 300, llmStreamDurationMs: 700 });

export const call = (toolCallId: string, name: string, args: unknown, stepUuid = "step-1") =>
  event("tool.call", { toolCallId, name, args, stepUuid });

export const result = (toolCallId: string, output: string, given: Given = {}) =>
  event("tool.result", { toolCallId, result: { output, ...given } });

/** Input 10, read 900, written 90, output 50. */
export const usage = (given: Given = {}, usageScope = "turn") =>
  record("usage.record", {
    model: "moonshot-ai/kimi-k2.7-code",
    usage: { inputOther: 10, output: 50, inputCacheRead: 900, inputCacheCreation: 90, ...given },
    usageScope,
  });

/** A request and its answer. */
export const answered = (messageId: string, given: Given = {}) => [sent(given), stepEnd(messageId), usage()];

export const compaction = (summary: string, given: Given = {}) => [
  record("full_compaction.begin", { source: "manual" }),
  sent({ kind: "compaction" }),
  usage({ output: 40 }, "session"),
  record("context.apply_compaction", { summary, compactedCount: 7, tokensBefore: 300, tokensAfter: 20, ...given }),
  record("full_compaction.complete"),
];
