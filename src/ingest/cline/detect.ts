import { object } from "../json.js";

/** True for the messages of a session, in one document. */
export function recognises(record: Record<string, unknown>): boolean {
  if (typeof record.sessionId !== "string" || typeof record.agent !== "string") return false;
  if (!Array.isArray(record.messages)) return false;
  return record.messages.every((message) => {
    const said = object(message);
    return typeof said?.role === "string" && typeof said.ts === "number";
  });
}
