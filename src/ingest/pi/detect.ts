import { object } from "../json.js";

/** True for the header of a session, or for an entry with pi's own fields: other agents call their records `message` too. */
export function recognises(record: Record<string, unknown>): boolean {
  const has = (...names: string[]) => names.every((name) => typeof record[name] === "string");
  if (!has("timestamp")) return false;
  switch (record.type) {
    case "session":
      return has("id", "cwd");
    case "message":
      return isMessage(object(record.message) ?? {});
    case "model_change":
      return has("provider", "modelId");
    case "thinking_level_change":
      return has("thinkingLevel");
    case "compaction":
      return has("summary") && ("firstKeptEntryId" in record || "firstKeptEntryIndex" in record);
    default:
      return false;
  }
}

function isMessage(message: Record<string, unknown>): boolean {
  if (message.role === "assistant") return typeof message.provider === "string" && object(message.usage) !== null;
  if (message.role === "toolResult") return typeof message.toolCallId === "string";
  return message.role === "user" && typeof message.timestamp === "number";
}
