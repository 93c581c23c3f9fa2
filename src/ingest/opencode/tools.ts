import { canonicalJson } from "../canonical.js";
import { type Call, type Result, timeOf } from "../conversation.js";
import { object, text, type Utf8, utf8 } from "../json.js";
import { idOf, type Value } from "./messages.js";

/** Each tool part is one call together with what it came to. */
export function callsIn(parts: Value[]): Call[] {
  return parts.filter(({ type }) => type === "tool").map(callOf);
}

/** A call that the client could not run becomes a finished call of a tool named `invalid`. */
function callOf(part: Value): Call {
  const state = object(part.state) ?? {};
  const invalid = part.tool === "invalid" ? object(state.input) : null;
  const unknown = /unavailable tool/i.test(text(invalid?.error) ?? "");
  return {
    id: idOf(part.callID),
    tool: text(invalid?.tool) ?? text(part.tool),
    input: state.input,
    result: resultOf(state, invalid !== null),
    refusal: invalid === null ? null : unknown ? "tool_unknown" : "args_schema",
  };
}

function resultOf(state: Value, invalid: boolean): Result | null {
  if (state.status !== "completed" && state.status !== "error") return null;
  const said = state.status === "error" ? state.error : state.output;
  const [startMs, endMs] = [timeOf(object(state.time)?.start), timeOf(object(state.time)?.end)];
  return {
    text: utf8(said) ?? (said === undefined ? ("" as Utf8) : canonicalJson(said)),
    isError: state.status === "error" || invalid,
    atMs: endMs,
    durationMs: startMs !== null && endMs !== null && endMs >= startMs ? endMs - startMs : null,
  };
}

/** When results were cleared from the context; those that went one right after the other went together. */
export function prunedIn(parts: Value[]): number[] {
  const times = parts.map(({ state }) => timeOf(object(object(state)?.time)?.compacted));
  const sorted = times.filter((atMs) => atMs !== null).sort((a, b) => a - b);
  return sorted.filter((atMs, i) => i === 0 || atMs - sorted[i - 1]! > TOGETHER_MS);
}

const TOGETHER_MS = 1000;
