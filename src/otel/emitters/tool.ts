import { digestOf } from "../../events/identity.js";
import type { Value } from "../signals.js";
import type { ToldTool } from "../told.js";

/** A tool call without its texts: arguments and result are only measured and hashed. */
export function digestedTool(call: {
  tool: string | null;
  callId: string | null;
  args?: Value | undefined;
  result?: Value | undefined;
  isError: boolean | null;
}): ToldTool {
  const args = textOf(call.args);
  const result = textOf(call.result);
  return {
    tool: call.tool ?? undefined,
    callId: call.callId ?? undefined,
    argumentsDigest: hexOf(args),
    resultDigest: hexOf(result),
    resultBytes: result === undefined ? undefined : Buffer.byteLength(result),
    isError: call.isError ?? undefined,
  };
}

function hexOf(text: string | undefined): string | undefined {
  return text === undefined ? undefined : digestOf(text).toString("hex");
}

function textOf(value: Value | undefined): string | undefined {
  if (value === undefined || value === null) return undefined;
  return typeof value === "string" ? value : JSON.stringify(value instanceof Map ? [...value] : value);
}
