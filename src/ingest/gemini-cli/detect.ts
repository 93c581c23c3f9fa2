/** True for a chat as one document, and for the first line of a chat in lines. */
export function recognises(record: Record<string, unknown>): boolean {
  if (typeof record.sessionId !== "string" || typeof record.projectHash !== "string") return false;
  return Array.isArray(record.messages) || typeof record.startTime === "string";
}
