/** Records of Claude Code of our own making: a test names only what it is about. */

type Given = Record<string, unknown>;

const START = Date.UTC(2026, 7, 1, 12);
let serial = 0;

/** A moment so many seconds after noon. */
export const second = (seconds: number) => new Date(START + seconds * 1000).toISOString();

/** Records as the text of a transcript. */
export const transcript = (...records: unknown[]) => records.map((record) => `${JSON.stringify(record)}\n`).join("");

function frame(type: string, given: Given): Given {
  serial += 1;
  return {
    parentUuid: null,
    isSidechain: false,
    cwd: "/home/ann/project",
    sessionId: "s1",
    version: "2.1.219",
    gitBranch: "main",
    type,
    uuid: `uuid-${serial}`,
    timestamp: second(serial),
    ...given,
  };
}

export const prompt = (text: string, given: Given = {}) =>
  frame("user", { message: { role: "user", content: text }, ...given });

export interface Reply {
  id?: string | null;
  model?: string;
  stop?: string | null;
  usage?: unknown;
  content?: unknown[];
  diagnostics?: unknown;
}

/** Input 10, read 900, written for an hour 90, output 50. */
export const usage = (given: Given = {}) => ({
  input_tokens: 10,
  cache_read_input_tokens: 900,
  cache_creation_input_tokens: 90,
  cache_creation: { ephemeral_5m_input_tokens: 0, ephemeral_1h_input_tokens: 90 },
  output_tokens: 50,
  service_tier: "standard",
  ...given,
});

/** One line of a response. `id: null` leaves the id out. */
export function reply(told: Reply = {}, given: Given = {}): Given {
  const record = frame("assistant", { requestId: `req-${serial}`, ...given });
  const { id, model = "claude-opus-5", stop = "end_turn", content = [{ type: "text", text: "ok" }] } = told;
  const message: Given = { type: "message", role: "assistant", model, content, stop_reason: stop, stop_sequence: null };
  if (id !== null) message.id = id ?? `msg-${serial}`;
  if ("usage" in told ? told.usage !== undefined : true) message.usage = "usage" in told ? told.usage : usage();
  message.diagnostics = told.diagnostics ?? null;
  return { ...record, message };
}

/** A response that calls a tool. */
export const call = (id: string, name: string, input: unknown, told: Reply = {}, given: Given = {}) =>
  reply({ stop: "tool_use", content: [{ type: "tool_use", id, name, input }], ...told }, given);

export const result = (id: string, content: unknown, given: Given = {}, block: Given = {}) =>
  frame("user", {
    message: { role: "user", content: [{ type: "tool_result", tool_use_id: id, content, ...block }] },
    ...given,
  });

export const system = (subtype: string, given: Given = {}) => frame("system", { subtype, content: "", ...given });

export const boundary = (metadata: Given, given: Given = {}) =>
  system("compact_boundary", { compactMetadata: metadata, ...given });

/** The text that replaced the older context, as the client wraps it. */
export const checkpoint = (text: string, given: Given = {}) =>
  prompt(
    `This session is being continued from a previous conversation that ran out of context. The summary below covers the earlier portion of the conversation.\n\n${text}\n\nIf you need specific details from before compaction, read the full transcript at: /x.jsonl\nContinue.`,
    { isCompactSummary: true, isVisibleInTranscriptOnly: true, ...given },
  );

export const attachment = (told: Given, given: Given = {}) => frame("attachment", { attachment: told, ...given });

/** A record of a subagent inside a progress record of its parent. */
export const progress = (agentId: string, toolUse: string, message: Given, given: Given = {}) =>
  frame("progress", {
    data: { type: "agent_progress", agentId, prompt: "", message },
    toolUseID: `agent_${toolUse}`,
    parentToolUseID: toolUse,
    ...given,
  });
