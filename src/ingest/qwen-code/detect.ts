import { object } from "../json.js";

/** True for a record of a session: the tree is that of other agents, the messages have the parts of Gemini. */
export function recognises(record: Record<string, unknown>): boolean {
  if (typeof record.uuid !== "string" || typeof record.sessionId !== "string") return false;
  if (Array.isArray(object(record.message)?.parts)) return true;
  return record.type === "system" && typeof record.subtype === "string" && object(record.systemPayload) !== null;
}
