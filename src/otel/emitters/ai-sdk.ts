import { providerOf } from "../origin.js";
import { shellOf, systemIn } from "../shell.js";
import { countOf, roundedOf, type Span, textOf } from "../signals.js";
import { inclusive, isUsage } from "../usage.js";
import type { Said } from "./emitter.js";
import { requestOf } from "./genai.js";
import { digestedTool } from "./tool.js";

/** Spans of the AI SDK up to version 6; later ones follow the conventions. Outer spans repeat the sums of inner ones. */
export function aiSdk(span: Span): Said | null {
  const { attributes } = span;
  const operation = textOf(attributes, "ai.operationId");
  if (operation === null) return null;
  if (operation === "ai.toolCall") {
    return {
      tool: digestedTool({
        tool: textOf(attributes, "ai.toolCall.name"),
        callId: textOf(attributes, "ai.toolCall.id"),
        args: attributes.get("ai.toolCall.args"),
        result: attributes.get("ai.toolCall.result"),
        isError: span.failed,
      }),
    };
  }
  const counts = {
    input: countOf(attributes, "ai.usage.inputTokens", "ai.usage.promptTokens"),
    read: countOf(attributes, "ai.usage.inputTokenDetails.cacheReadTokens", "ai.usage.cachedInputTokens"),
    write: countOf(attributes, "ai.usage.inputTokenDetails.cacheWriteTokens"),
    output: countOf(attributes, "ai.usage.outputTokens", "ai.usage.completionTokens"),
    reasoning: countOf(attributes, "ai.usage.outputTokenDetails.reasoningTokens", "ai.usage.reasoningTokens"),
  };
  const calls = operation.endsWith(".doGenerate") || operation.endsWith(".doStream");
  if (!isUsage(counts) && !calls) return {};
  return {
    request: {
      ...requestOf(span, null),
      provider: providerOf(textOf(attributes, "ai.model.provider")),
      model: textOf(attributes, "ai.response.model", "ai.model.id") ?? undefined,
      requestedModel: textOf(attributes, "ai.model.id") ?? undefined,
      responseId: textOf(attributes, "ai.response.id") ?? undefined,
      finishReason: textOf(attributes, "ai.response.finishReason") ?? undefined,
      ttftMs: roundedOf(attributes, "ai.response.msToFirstChunk") ?? undefined,
      ...shellOf(systemIn(attributes.get("ai.prompt.messages")), attributes.get("ai.prompt.tools")),
      usage: isUsage(counts) ? inclusive(counts) : null,
    },
  };
}
