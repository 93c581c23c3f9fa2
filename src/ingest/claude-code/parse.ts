import { count, object, rounded, text, texts, type Utf8, utf8 } from "../json.js";
import type { Found } from "../values.js";
import type { AssistantRecord, BoundaryRecord, ClaudeRecord, Frame, RetryRecord, UserRecord } from "./records.js";

/** Reads one record; fields of a wrong type count as absent. */
export function recordOf({ value }: Pick<Found, "value">): ClaudeRecord {
  const frame = frameOf(value);
  const type = text(value.type) ?? "";
  const message = object(value.message);
  if (type === "assistant" && message !== null) return assistant(frame, value, message);
  if (type === "user" && message !== null) return user(frame, value, message);
  if (type === "system") return system(frame, value);
  if (type === "attachment") return attachment(frame, object(value.attachment) ?? {});
  if (type === "progress") return progress(frame, value);
  const title = titleOf(type, value);
  if (title !== null) return { frame, kind: "title", ...title };
  if (type === "permission-mode" && text(value.permissionMode) !== null)
    return { frame, kind: "mode", which: "permission", mode: text(value.permissionMode)! };
  if (type === "mode" && text(value.mode) !== null)
    return { frame, kind: "mode", which: "client", mode: text(value.mode)! };
  return { frame, kind: KNOWN.has(type) ? "known" : "unknown", type };
}

/** Record types without anything to tell. */
const KNOWN = new Set([
  "assistant",
  "user",
  "summary",
  "file-history-snapshot",
  "queue-operation",
  "last-prompt",
  "agent-name",
  "mode",
  "permission-mode",
  "pr-link",
  "frame-link",
]);

function frameOf(value: Record<string, unknown>): Frame {
  const copy = object(value.forkedFrom);
  return {
    uuid: text(value.uuid),
    parentUuid: text(value.parentUuid),
    session: text(value.sessionId),
    atMs: timeOf(value.timestamp),
    version: text(value.version),
    project: text(value.cwd),
    branch: text(value.gitBranch),
    sessionKind: text(value.sessionKind),
    sidechain: value.isSidechain === true,
    agentId: text(value.agentId),
    copyOf: copy === null ? null : { session: text(copy.sessionId), uuid: text(copy.messageUuid) },
    progressOf: null,
  };
}

function assistant(frame: Frame, value: Record<string, unknown>, message: Record<string, unknown>): AssistantRecord {
  const diagnostics = object(message.diagnostics);
  const miss = object(diagnostics?.cache_miss_reason);
  const synthetic = message.model === "<synthetic>";
  return {
    frame,
    kind: "assistant",
    messageId: idOf(message.id),
    requestId: idOf(value.requestId),
    model: text(message.model),
    stopReason: text(message.stop_reason),
    usage: object(message.usage),
    toolUses: blocks(message.content, "tool_use").map((block) => ({
      id: idOf(block.id),
      name: text(block.name),
      input: block.input,
    })),
    diagnosed: "diagnostics" in message,
    missReason: text(miss?.type),
    missedTokens: count(miss?.cache_missed_input_tokens),
    synthetic,
    failure: synthetic && value.isApiErrorMessage === true ? failureOf(value, message) : null,
  };
}

function failureOf(value: Record<string, unknown>, message: Record<string, unknown>) {
  const said = textOf(message.content) ?? "";
  const status = count(value.apiErrorStatus) ?? count(Number(/^API Error: (\d{3})\b/.exec(said)?.[1] ?? Number.NaN));
  const errorClass = text(value.error) ?? SAID.find(([pattern]) => pattern.test(said))?.[1] ?? "api_error";
  return { status, errorClass };
}

/** Failures that older versions tell in words only. */
const SAID: [RegExp, string][] = [
  [/usage limit|hit your limit|rate limit/i, "rate_limit"],
  [/prompt is too long/i, "prompt_too_long"],
  [/credit balance/i, "billing_error"],
  [/invalid api key|please run \/login|authentication/i, "authentication_error"],
  [/overloaded/i, "overloaded_error"],
  [/timed? ?out/i, "timeout"],
  [/connection|network/i, "connection_error"],
];

function user(frame: Frame, value: Record<string, unknown>, message: Record<string, unknown>): UserRecord {
  const structured = object(value.toolUseResult);
  return {
    frame,
    kind: "user",
    text: textOf(message.content),
    meta: value.isMeta === true,
    checkpoint: value.isCompactSummary === true,
    results: blocks(message.content, "tool_result").map((block) => ({
      id: idOf(block.tool_use_id),
      isError: block.is_error === true,
      content: block.content,
    })),
    ranAgent: text(structured?.agentId),
    calledBy: text(value.sourceToolAssistantUUID),
    durationMs: rounded(structured?.durationMs) ?? rounded(structured?.totalDurationMs),
    permissionMode: text(value.permissionMode),
  };
}

function system(frame: Frame, value: Record<string, unknown>): ClaudeRecord {
  switch (value.subtype) {
    case "compact_boundary": {
      const said = object(value.compactMetadata);
      return boundary(frame, "full", said, {
        durationMs: rounded(said?.durationMs),
        keptMessages: texts(object(said?.preservedMessages)?.uuids),
      });
    }
    case "microcompact_boundary": {
      const said = object(value.microcompactMetadata);
      return boundary(frame, "micro", said, {
        savedTokens: count(said?.tokensSaved),
        clearedResults: texts(said?.compactedToolIds),
        clearedMessages: texts(said?.clearedAttachmentUUIDs),
      });
    }
    case "turn_duration":
    case "stop_hook_summary":
      return { frame, kind: "turn_end" };
    case "api_error":
      return retry(frame, value);
    case "model_refusal_fallback":
      return {
        frame,
        kind: "fallback",
        requestId: idOf(value.requestId),
        requestedModel: text(value.originalModel),
      };
    default:
      return { frame, kind: "known", type: "system" };
  }
}

function boundary(
  frame: Frame,
  form: "full" | "micro",
  said: Record<string, unknown> | null,
  more: Partial<BoundaryRecord>,
): BoundaryRecord {
  return {
    frame,
    kind: "boundary",
    form,
    trigger: text(said?.trigger),
    preTokens: count(said?.preTokens),
    savedTokens: null,
    durationMs: null,
    keptMessages: [],
    clearedResults: [],
    clearedMessages: [],
    ...more,
  };
}

function retry(frame: Frame, value: Record<string, unknown>): RetryRecord {
  const error = object(value.error) ?? {};
  const answer = object(error.error);
  const errorClass =
    text(object(answer?.error)?.type) ??
    text(answer?.type) ??
    text(object(error.connection)?.code) ??
    text(object(error.cause)?.code) ??
    text(error.type) ??
    "api_error";
  return {
    frame,
    kind: "retry",
    number: count(value.retryAttempt),
    backoffMs: rounded(value.retryInMs),
    failure: { status: count(error.status), errorClass },
  };
}

function attachment(frame: Frame, said: Record<string, unknown>): ClaudeRecord {
  switch (said.type) {
    case "deferred_tools_delta":
    case "agent_listing_delta":
      return { frame, kind: "listing", change: "tools", initial: said.isInitial === true };
    case "skill_listing":
    case "mcp_instructions_delta":
      return { frame, kind: "listing", change: "instructions", initial: said.isInitial === true };
    default:
      return said.hookName === RESUMED ? { frame, kind: "resume" } : { frame, kind: "known", type: "attachment" };
  }
}

const RESUMED = "SessionStart:resume";

/** Progress of a subagent holds a whole record of it; progress of a hook can tell of a resume. */
function progress(frame: Frame, value: Record<string, unknown>): ClaudeRecord {
  const data = object(value.data);
  if (data?.type === "hook_progress" && data.hookName === RESUMED) return { frame, kind: "resume" };
  const inner = data?.type === "agent_progress" ? object(data.message) : null;
  const agentId = text(data?.agentId);
  if (inner === null || agentId === null) return { frame, kind: "known", type: "progress" };
  const record = recordOf({ value: inner });
  const { session, version, project, branch } = frame;
  Object.assign(record.frame, { session, version, project, branch, agentId, sidechain: true });
  record.frame.atMs ??= frame.atMs;
  record.frame.progressOf = text(value.parentToolUseID) ?? "";
  return record;
}

function titleOf(type: string, value: Record<string, unknown>): { title: string; rank: number } | null {
  const title =
    type === "summary"
      ? text(value.summary)
      : type === "ai-title"
        ? text(value.aiTitle)
        : type === "custom-title"
          ? text(value.customTitle)
          : null;
  return title === null ? null : { title, rank: TITLE_RANKS[type] ?? 0 };
}

const TITLE_RANKS: Record<string, number> = { summary: 1, "ai-title": 2, "custom-title": 3 };

function blocks(content: unknown, type: string): Record<string, unknown>[] {
  if (!Array.isArray(content)) return [];
  return content.filter((block) => object(block)?.type === type);
}

/** Text of a message's content: a string, or its text blocks; null when it has neither text nor pictures. */
function textOf(content: unknown): Utf8 | null {
  if (!Array.isArray(content)) return utf8(content);
  const shown = content.filter((block) => SHOWN.includes(object(block)?.type));
  return shown.length === 0 ? null : (shown.map((block) => utf8(block.text) ?? "").join("\n") as Utf8);
}

const SHOWN: unknown[] = ["text", "image", "document"];

/** An id; ids that a scrubber blotted out name nothing. */
function idOf(value: unknown): string | null {
  const id = text(value);
  return id === "" || id === "REDACTED" ? null : id;
}

function timeOf(value: unknown): number | null {
  const atMs = typeof value === "string" ? Date.parse(value) : value;
  return typeof atMs === "number" && Number.isSafeInteger(Math.round(atMs)) ? Math.round(atMs) : null;
}
