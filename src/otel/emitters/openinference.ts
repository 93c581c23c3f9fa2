import { flattened, shellOf } from "../shell.js";
import { countOf, type Span, textOf } from "../signals.js";
import { inclusive, isUsage } from "../usage.js";
import type { Said } from "./emitter.js";
import { requestOf } from "./genai.js";
import { digestedTool } from "./tool.js";

/** Spans after OpenInference. The kind of span is ours to read, never OpenTelemetry's own. */
export function openInference(span: Span): Said | null {
  const { attributes } = span;
  const kind = textOf(attributes, "openinference.span.kind");
  if (kind === null) return null;
  if (kind === "TOOL") {
    return {
      tool: digestedTool({
        tool: textOf(attributes, "tool.name") ?? (span.name === "" ? null : span.name),
        callId: textOf(attributes, "tool.id", "tool_call.id"),
        args: attributes.get("tool.parameters") ?? attributes.get("input.value"),
        result: attributes.get("output.value"),
        isError: span.failed,
      }),
    };
  }
  const agentName = kind === "AGENT" ? (textOf(attributes, "agent.name") ?? span.name) : undefined;
  const counts = {
    input: countOf(attributes, "llm.token_count.prompt"),
    read: countOf(attributes, "llm.token_count.prompt_details.cache_read", "gen_ai.usage.cache_read.input_tokens"),
    write: countOf(
      attributes,
      "llm.token_count.prompt_details.cache_write",
      "gen_ai.usage.cache_write.input_tokens",
      "gen_ai.usage.cache_creation.input_tokens",
    ),
    output: countOf(attributes, "llm.token_count.completion"),
    reasoning: countOf(attributes, "llm.token_count.completion_details.reasoning"),
  };
  if (kind !== "LLM" && !isUsage(counts)) return { agentName };
  const base = requestOf(span, null);
  const first = textOf(attributes, "llm.input_messages.0.message.role");
  return {
    agentName,
    request: {
      ...base,
      provider: textOf(attributes, "llm.provider", "llm.system") ?? base.provider,
      model: textOf(attributes, "llm.response.model_name", "llm.model_name") ?? base.model,
      requestedModel: textOf(attributes, "llm.request.model_name") ?? base.requestedModel,
      finishReason: textOf(attributes, "llm.finish_reason") ?? base.finishReason,
      ...shellOf(
        first === "system" ? attributes.get("llm.input_messages.0.message.content") : undefined,
        flattened(attributes, "llm.tools", "tool.json_schema"),
      ),
      usage: isUsage(counts) ? inclusive(counts) : null,
    },
  };
}
