import { asCount, type Span, textOf } from "../signals.js";
import { exclusive } from "../usage.js";
import type { Said } from "./emitter.js";
import { digestedTool } from "./tool.js";

/** Spans of the Langfuse SDK. Its usage is JSON with buckets that do not overlap. */
export function langfuse(span: Span): Said | null {
  const { attributes } = span;
  const type = textOf(attributes, "langfuse.observation.type");
  if (type === null) return null;
  if (type === "tool") {
    return {
      tool: digestedTool({
        tool: span.name === "" ? null : span.name,
        callId: null,
        args: attributes.get("langfuse.observation.input"),
        result: attributes.get("langfuse.observation.output"),
        isError: textOf(attributes, "langfuse.observation.level") === "ERROR" || span.failed,
      }),
    };
  }
  if (type === "agent") return { agentName: span.name };
  const usage = jsonOf(textOf(attributes, "langfuse.observation.usage_details"));
  if (type !== "generation" && usage === null) return {};
  const cost = jsonOf(textOf(attributes, "langfuse.observation.cost_details"))?.total;
  const count = (...names: string[]) =>
    names.map((name) => asCount(usage?.[name])).find((found) => found !== null) ?? null;
  return {
    request: {
      model: textOf(attributes, "langfuse.observation.model.name") ?? undefined,
      costMicros: typeof cost === "number" && cost >= 0 ? (asCount(Math.round(cost * 1e6)) ?? undefined) : undefined,
      usage:
        usage === null
          ? null
          : exclusive({
              input: count("input", "input_tokens", "prompt_tokens"),
              read: count("cache_read_input_tokens", "input_cached_tokens", "input_cache_read"),
              write: count("cache_creation_input_tokens", "input_cache_creation"),
              output: count("output", "output_tokens", "completion_tokens"),
              reasoning: count("output_reasoning_tokens", "output_reasoning"),
            }),
    },
  };
}

function jsonOf(text: string | null): Record<string, unknown> | null {
  try {
    const value = text === null ? null : JSON.parse(text);
    return typeof value === "object" && value !== null ? value : null;
  } catch {
    return null;
  }
}
