import { object } from "../json.js";

/** True for an exported session: what is known of it, and its messages with their parts. */
export function recognises(record: Record<string, unknown>): boolean {
  const info = object(record.info);
  if (info === null || !Array.isArray(record.messages)) return false;
  if (typeof info.id !== "string" || object(info.time) === null) return false;
  return record.messages.every((message) => object(object(message)?.info) !== null);
}
