import { providerOf } from "../origin.js";
import { shellOf, systemIn } from "../shell.js";
import { type Attributes, countOf, type Span, textOf } from "../signals.js";
import type { ToldRequest } from "../told.js";
import { type Counts, inclusive, isUsage } from "../usage.js";
import type { Said } from "./emitter.js";
import { digestedTool } from "./tool.js";

/** Operations that call no model: what they count is a sum over others, or not theirs. */
const OTHERS = new Set([
  "execute_tool",
  "tool_call",
  "schedule_tool_calls",
  "create_agent",
  "retrieval",
  "fetch_response",
]);

/** Spans after the GenAI conventions, old names and new ones; OpenLLMetry and Gemini CLI send the same. */
export function genAi(span: Span): Said | null {
  const { attributes } = span;
  const operation = textOf(attributes, "gen_ai.operation.name");
  const kind = textOf(attributes, "traceloop.span.kind");
  if (operation === "invoke_agent" || kind === "agent") {
    return { agentName: textOf(attributes, "gen_ai.agent.name") ?? span.name, ...requestWhenCounted(span) };
  }
  const tool = textOf(attributes, "gen_ai.tool.name");
  if (
    operation === "execute_tool" ||
    operation === "tool_call" ||
    (operation === null && tool !== null) ||
    kind === "tool"
  ) {
    return {
      tool: digestedTool({
        tool: tool ?? textOf(attributes, "traceloop.entity.name"),
        callId: textOf(attributes, "gen_ai.tool.call.id", "gen_ai.tool.call_id"),
        args: attributes.get("gen_ai.tool.call.arguments") ?? attributes.get("traceloop.entity.input"),
        result: attributes.get("gen_ai.tool.call.result") ?? attributes.get("traceloop.entity.output"),
        isError: span.failed,
      }),
    };
  }
  if (operation !== null && OTHERS.has(operation)) return {};
  const counted = requestWhenCounted(span);
  if (counted.request !== undefined) return counted;
  if (operation !== null && CALLS.has(operation)) return { request: requestOf(span, null) };
  return operation === null && kind === null ? null : {};
}

const CALLS = new Set(["chat", "generate_content", "text_completion", "llm_call"]);

function requestWhenCounted(span: Span): Pick<Said, "request"> {
  const counts = countsOf(span.attributes);
  return isUsage(counts) ? { request: requestOf(span, counts) } : {};
}

function countsOf(attributes: Attributes): Counts {
  return {
    input: countOf(attributes, "gen_ai.usage.input_tokens", "gen_ai.usage.prompt_tokens"),
    read: countOf(attributes, "gen_ai.usage.cache_read.input_tokens", "gen_ai.usage.cache_read_input_tokens"),
    write: countOf(
      attributes,
      "gen_ai.usage.cache_creation.input_tokens",
      "gen_ai.usage.cache_write.input_tokens",
      "gen_ai.usage.cache_creation_input_tokens",
    ),
    output: countOf(attributes, "gen_ai.usage.output_tokens", "gen_ai.usage.completion_tokens"),
    reasoning: countOf(
      attributes,
      "gen_ai.usage.reasoning.output_tokens",
      "gen_ai.usage.reasoning_tokens",
      "codex.usage.reasoning_output_tokens",
    ),
  };
}

/** The parts of a request that the conventions name, with the given counts. */
export function requestOf({ attributes, failed }: Span, counts: Counts | null): ToldRequest {
  const reasons = attributes.get("gen_ai.response.finish_reasons");
  const shell = shellOf(
    attributes.get("gen_ai.system_instructions") ?? systemIn(attributes.get("gen_ai.input.messages")),
    attributes.get("gen_ai.tool.definitions"),
  );
  return {
    provider: providerOf(textOf(attributes, "gen_ai.provider.name", "gen_ai.system")),
    model: textOf(attributes, "gen_ai.response.model", "gen_ai.request.model") ?? undefined,
    requestedModel: textOf(attributes, "gen_ai.request.model") ?? undefined,
    responseId: textOf(attributes, "gen_ai.response.id") ?? undefined,
    requestId: textOf(attributes, "anthropic.request.id") ?? undefined,
    finishReason:
      (Array.isArray(reasons) && typeof reasons[0] === "string" ? reasons[0] : undefined) ??
      (failed ? "error" : undefined),
    ttftMs: ttftOf(attributes),
    ...shell,
    usage: counts === null ? null : inclusive(counts),
  };
}

function ttftOf(attributes: Attributes): number | undefined {
  const seconds = attributes.get("gen_ai.response.time_to_first_chunk");
  return typeof seconds === "number" && seconds >= 0 ? Math.round(1000 * seconds) : undefined;
}
