import { canonicalJson } from "../canonical.js";
import { object, text, type Utf8, utf8 } from "../json.js";

type Value = Record<string, unknown>;

/** The subagent that an event happened in; null for the session itself. Older versions name the call that started it. */
export function laneOf({ agentId, data }: Value): string | null {
  return text(agentId) ?? text(object(data)?.parentToolCallId);
}

export function resultText({ result, error }: Value): Utf8 {
  const said = object(result)?.content ?? object(error)?.message ?? result ?? error;
  return utf8(said) ?? (said === undefined ? ("" as Utf8) : canonicalJson(said));
}
