import { object } from "../json.js";

/**
 * True for a record that Claude Code wrote. Several agents copied its frame (uuid, parentUuid, sessionId, type), so a
 * conversation record counts only with Claude's message shape, and look-alikes are told by their ids.
 */
export function recognises(record: Record<string, unknown>): boolean {
  if (isLookAlike(record)) return false;
  const has = (...names: string[]) => names.every((name) => typeof record[name] === "string");
  switch (record.type) {
    case "user":
    case "assistant": {
      const message = object(record.message);
      return message !== null && "content" in message && (has("timestamp") || has("uuid") || has("sessionId"));
    }
    case "summary":
      return has("summary", "leafUuid");
    case "file-history-snapshot":
      return object(record.snapshot) !== null;
    case "queue-operation":
      return has("operation");
    case "progress":
      return object(record.data) !== null && has("uuid", "sessionId");
    case "attachment":
      return object(record.attachment) !== null && (has("uuid") || has("timestamp"));
    case "system":
      return has("uuid", "sessionId", "version") && !("systemPayload" in record) && isOneOf(SYSTEM, record.subtype);
    default:
      return isOneOf(BOOKKEEPING, record.type) && has("sessionId");
  }
}

const SYSTEM = new Set([
  "undefined",
  "api_error",
  "away_summary",
  "compact_boundary",
  "local_command",
  "microcompact_boundary",
  "model_refusal_fallback",
  "stop_hook_summary",
  "turn_duration",
]);

const BOOKKEEPING = new Set([
  "agent-name",
  "ai-title",
  "custom-title",
  "frame-link",
  "last-prompt",
  "mode",
  "permission-mode",
  "pr-link",
]);

/** iFlow CLI writes the same frame; its session ids begin with `session-`, its message ids with `response-`. */
function isLookAlike(record: Record<string, unknown>): boolean {
  const id = object(record.message)?.id;
  return (
    (typeof record.sessionId === "string" && /^session-[0-9a-f-]{36}$/.test(record.sessionId)) ||
    (typeof id === "string" && id.startsWith("response-"))
  );
}

function isOneOf(words: ReadonlySet<string>, value: unknown): boolean {
  return typeof value === "string" && words.has(value);
}
