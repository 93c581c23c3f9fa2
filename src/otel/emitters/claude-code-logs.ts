import { attemptFact, requestFact, toolCallFact, turnFact } from "../../events/facts.js";
import { eventIdOf } from "../../events/identity.js";
import type { ReadLog } from "../logs.js";
import { isUnique } from "../origin.js";
import { countOf, flagOf, roundedOf, textOf } from "../signals.js";
import { exclusive } from "../usage.js";
import { laneOf } from "./claude-code.js";

/** Log records of Claude Code; they are numbered within the session. Its input leaves the cache out. */
export const claudeCodeLog: ReadLog = ({ name, attributes, atMs }, header) => {
  const { agent, session } = header;
  const nth = [session, countOf(attributes, "event.sequence") ?? "", atMs ?? ""];
  const prompt = textOf(attributes, "prompt.id");
  const lane = laneOf(textOf(attributes, "query_source"), textOf(attributes, "agent.id", "agent_id")) ?? "main";
  const here = { ...header, lane, turn: prompt === null || lane === "main" ? prompt : `${prompt}/${lane}` };
  switch (name) {
    case "user_prompt":
      return prompt === null ? [] : [turnFact({ ...header, turn: prompt }, {})];
    case "api_request": {
      const requestId = textOf(attributes, "request_id");
      const key = isUnique(requestId) ? ["request", requestId] : nth;
      return [
        requestFact(eventIdOf("request", agent, ...key), here, {
          requestId,
          provider: "anthropic",
          model: textOf(attributes, "model"),
          ...exclusive({
            input: countOf(attributes, "input_tokens"),
            read: countOf(attributes, "cache_read_tokens"),
            write: countOf(attributes, "cache_creation_tokens"),
            output: countOf(attributes, "output_tokens"),
            reasoning: null,
          }),
          providerCostMicros: countOf(attributes, "cost_usd_micros"),
          latencyMs: roundedOf(attributes, "duration_ms"),
          ttftMs: roundedOf(attributes, "ttft_ms"),
        }),
      ];
    }
    case "api_error":
      return [
        attemptFact(eventIdOf("attempt", agent, ...nth), here, {
          outcome: "failed",
          number: countOf(attributes, "attempt"),
          httpStatus: countOf(attributes, "status_code"),
          errorClass: "api_error",
        }),
      ];
    case "tool_result": {
      const callId = textOf(attributes, "tool_use_id");
      const key = isUnique(callId) ? [callId] : nth;
      const durationMs = roundedOf(attributes, "duration_ms");
      const success = flagOf(attributes, "success");
      return [
        toolCallFact(
          eventIdOf("tool_call", agent, ...key),
          { ...here, atMs: atMs === null || durationMs === null ? atMs : atMs - durationMs },
          {
            callId,
            tool: textOf(attributes, "tool_name"),
            useSeen: true,
            resultSeen: true,
            resultBytes: countOf(attributes, "tool_result_size_bytes"),
            isError: success === null ? null : !success,
            durationMs,
          },
        ),
      ];
    }
    default:
      return [];
  }
};
