import { object } from "../json.js";

/** True for a record of the wire protocol as Kimi Code writes it to disk. */
export function recognises(record: Record<string, unknown>): boolean {
  if (record.type === "metadata") {
    return typeof record.protocol_version === "string" && typeof record.created_at === "number";
  }
  if (typeof record.time !== "number") return false;
  switch (record.type) {
    case "usage.record":
      return object(record.usage) !== null && typeof record.usageScope === "string";
    case "turn.prompt":
      return Array.isArray(record.input);
    case "context.append_loop_event":
      return object(record.event) !== null;
    case "llm.request":
      return typeof record.kind === "string" && typeof record.messageCount === "number";
    default:
      return false;
  }
}
