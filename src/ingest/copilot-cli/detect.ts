import { object } from "../json.js";

/** True for the event that begins a session, and for messages with Copilot's own fields. */
export function recognises({ type, data, id }: Record<string, unknown>): boolean {
  const said = object(data);
  if (said === null || typeof id !== "string") return false;
  switch (type) {
    case "session.start":
      return typeof said.sessionId === "string" && typeof said.copilotVersion === "string";
    case "user.message":
      return typeof said.interactionId === "string" || typeof said.transformedContent === "string";
    case "assistant.message":
      return typeof said.messageId === "string" && Array.isArray(said.toolRequests);
    case "tool.execution_start":
      return typeof said.toolCallId === "string" && typeof said.toolName === "string";
    default:
      return false;
  }
}
