import { countOf, flagOf, roundedOf, type Span, textOf } from "../signals.js";
import { exclusive } from "../usage.js";
import type { Said } from "./emitter.js";
import { digestedTool } from "./tool.js";

/** Spans of Claude Code. Its input leaves the cache out; what it calls the response's id is the request's. */
export function claudeCode(span: Span): Said | null {
  const { attributes } = span;
  if (!span.name.startsWith("claude_code.")) return null;
  switch (span.name) {
    case "claude_code.llm_request":
      return {
        lane: laneOf(textOf(attributes, "query_source"), textOf(attributes, "agent.id", "agent_id")),
        request: {
          provider: textOf(attributes, "gen_ai.system") ?? "anthropic",
          model: textOf(attributes, "model", "gen_ai.request.model") ?? undefined,
          requestId: textOf(attributes, "request_id") ?? undefined,
          finishReason: textOf(attributes, "stop_reason") ?? undefined,
          ttftMs: roundedOf(attributes, "ttft_ms") ?? undefined,
          usage: exclusive({
            input: countOf(attributes, "input_tokens"),
            read: countOf(attributes, "cache_read_tokens"),
            write: countOf(attributes, "cache_creation_tokens"),
            output: countOf(attributes, "output_tokens"),
            reasoning: null,
          }),
        },
      };
    case "claude_code.tool":
      return {
        tool: digestedTool({
          tool: textOf(attributes, "tool_name"),
          callId: textOf(attributes, "tool_use_id", "gen_ai.tool.call.id"),
          isError: flagOf(attributes, "success") === false ? true : null,
        }),
      };
    case "claude_code.compaction":
      return {
        compaction: {
          tokensBefore: countOf(attributes, "pre_tokens", "tokens_before", "pre_compact_token_count") ?? undefined,
          tokensAfter: countOf(attributes, "post_tokens", "tokens_after", "post_compact_token_count") ?? undefined,
          trigger: TRIGGERS.get(textOf(attributes, "trigger") ?? ""),
          succeeded: flagOf(attributes, "success") ?? !span.failed,
        },
      };
    default:
      return {};
  }
}

const TRIGGERS = new Map<string, "manual" | "auto">([
  ["manual", "manual"],
  ["auto", "auto"],
]);

/** Who a request of Claude Code was for, by what it calls the source of the query; undefined for the parent. */
export function laneOf(source: string | null, agentId: string | null): string | undefined {
  if (agentId !== null) return agentId;
  if (source === null || MAIN.test(source)) return undefined;
  return source === "compact" ? "compaction" : source;
}

const MAIN = /^(main|sdk|repl_main_thread.*)$/;
