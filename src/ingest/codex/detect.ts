import { object } from "../json.js";

/** True for a record that Codex wrote: an envelope with a payload of its own kind, or the head of the form before it. */
export function recognises(record: Record<string, unknown>): boolean {
  const payload = object(record.payload);
  if (payload !== null && typeof record.timestamp === "string") {
    if (record.type === "session_meta") return typeof payload.id === "string";
    if (record.type === "event_msg" || record.type === "response_item") return typeof payload.type === "string";
    return record.type === "turn_context" || record.type === "compacted";
  }
  return isBareHead(record);
}

/** First line of a rollout of August 2025. */
export function isBareHead(record: Record<string, unknown>): boolean {
  const has = (name: string) => typeof record[name] === "string";
  return has("id") && has("timestamp") && "instructions" in record && !("type" in record) && !("payload" in record);
}
