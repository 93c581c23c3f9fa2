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

/** Results that were cleared from the context; those that went one right after the other went together. */
export function prunedIn(parts: Value[]): { atMs: number; calls: string[] }[] {
  const cleared = parts.flatMap((part) => {
    const atMs = timeOf(object(object(part.state)?.time)?.compacted);
    return atMs === null ? [] : [{ atMs, call: idOf(part.callID) }];
  });
  const together: { atMs: number; calls: string[]; lastMs: number }[] = [];
  for (const { atMs, call } of cleared.sort((a, b) => a.atMs - b.atMs)) {
    const open = together.at(-1);
    if (open === undefined || atMs - open.lastMs > TOGETHER_MS) {
      together.push({ atMs, calls: call === null ? [] : [call], lastMs: atMs });
      continue;
    }
    open.lastMs = atMs;
    if (call !== null) open.calls.push(call);
  }
  return together;
}

const TOGETHER_MS = 1000;
