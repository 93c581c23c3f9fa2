import { type Span, textOf } from "../signals.js";
import type { Said } from "./emitter.js";
import { genAi } from "./genai.js";
import { digestedTool } from "./tool.js";

/** Spans of Codex: some hundred for a turn, of which one per request carries its usage. */
export function codex(span: Span): Said | null {
  const { attributes } = span;
  const service = textOf(span.resource, "service.name") ?? "";
  if (!/^codex/.test(service)) return null;
  if (span.name === "handle_responses") return genAi(span);
  const tool = textOf(attributes, "codex.tool.phase") === "dispatch" ? textOf(attributes, "tool_name") : null;
  if (tool === null) return {};
  return { tool: digestedTool({ tool, callId: textOf(attributes, "call_id"), isError: null }) };
}
