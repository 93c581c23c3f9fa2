import { attemptFact, compactionFact, requestFact, toolCallFact, turnFact } from "../../events/facts.js";
import { eventIdOf } from "../../events/identity.js";
import type { ReadLog } from "../logs.js";
import { countOf, flagOf, roundedOf, textOf } from "../signals.js";
import { inclusive } from "../usage.js";

/** Log records of Gemini CLI and of Qwen Code, which is made from it. Input holds the cache, output not the thoughts. */
export const geminiLog: ReadLog = ({ name, attributes, atMs }, header) => {
  const { agent, session } = header;
  const prompt = textOf(attributes, "prompt_id");
  const here = { ...header, turn: prompt };
  const stamp = textOf(attributes, "event.timestamp") ?? atMs ?? "";
  switch (name?.replace(/^(gemini_cli|qwen-code)\./, "")) {
    case "user_prompt":
      return prompt === null ? [] : [turnFact({ ...header, turn: prompt }, {})];
    case "api_response": {
      const output = countOf(attributes, "output_token_count");
      const reasoning = countOf(attributes, "thoughts_token_count");
      const counts = {
        input: countOf(attributes, "input_token_count"),
        read: countOf(attributes, "cached_content_token_count"),
        write: null,
        output: output === null ? null : output + (reasoning ?? 0),
        reasoning,
      };
      const reasons = attributes.get("finish_reasons");
      return [
        requestFact(eventIdOf("request", agent, session, stamp, counts.input ?? "", counts.output ?? ""), here, {
          messageId: textOf(attributes, "response_id"),
          provider: agent === "gemini-cli" ? "google" : null,
          model: textOf(attributes, "model"),
          finishReason: Array.isArray(reasons) && typeof reasons[0] === "string" ? reasons[0] : null,
          ...inclusive(counts),
          latencyMs: roundedOf(attributes, "duration_ms"),
        }),
      ];
    }
    case "api_error":
      return [
        attemptFact(eventIdOf("attempt", agent, session, stamp), here, {
          outcome: "failed",
          httpStatus: countOf(attributes, "status_code", "http.status_code"),
          errorClass: textOf(attributes, "error_type", "error.type") ?? "api_error",
        }),
      ];
    case "tool_call": {
      const tool = textOf(attributes, "function_name");
      const success = flagOf(attributes, "success");
      const durationMs = roundedOf(attributes, "duration_ms");
      return [
        toolCallFact(
          eventIdOf("tool_call", agent, session, stamp, tool ?? ""),
          { ...here, atMs: atMs === null || durationMs === null ? atMs : atMs - durationMs },
          {
            tool,
            useSeen: true,
            resultSeen: true,
            resultBytes: countOf(attributes, "content_length"),
            isError: success === null ? null : !success,
            durationMs,
          },
        ),
      ];
    }
    case "chat_compression": {
      const tokensBefore = countOf(attributes, "tokens_before");
      const tokensAfter = countOf(attributes, "tokens_after");
      return [
        compactionFact(eventIdOf("compaction", agent, session, stamp), here, {
          tokensBefore,
          tokensAfter,
          countMethod: tokensBefore === null || tokensAfter === null ? null : "recorded",
        }),
      ];
    }
    default:
      return [];
  }
};
