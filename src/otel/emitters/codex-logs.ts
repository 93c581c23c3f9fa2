import { attemptFact, requestFact, toolCallFact, turnFact } from "../../events/facts.js";
import { digestOf, eventIdOf } from "../../events/identity.js";
import type { ReadLog } from "../logs.js";
import { isUnique } from "../origin.js";
import { countOf, flagOf, roundedOf, textOf } from "../signals.js";
import { inclusive, isUsage } from "../usage.js";

/** Log records of Codex. Counts come as text; input holds the cache, output the reasoning. Requests have no ids. */
export const codexLog: ReadLog = ({ name, attributes, atMs, traceId }, header) => {
  const { agent, session } = header;
  const here = { ...header, turn: traceId };
  switch (name) {
    case "codex.user_prompt":
      return traceId === null ? [] : [turnFact({ ...header, turn: traceId }, {})];
    case "codex.sse_event": {
      const counts = {
        input: countOf(attributes, "input_token_count"),
        read: countOf(attributes, "cached_token_count"),
        write: countOf(attributes, "cache_write_token_count"),
        output: countOf(attributes, "output_token_count"),
        reasoning: countOf(attributes, "reasoning_token_count"),
      };
      if (textOf(attributes, "event.kind") !== "response.completed" || !isUsage(counts)) return [];
      const key = [session, atMs ?? "", ...Object.values(counts).map((count) => count ?? "")];
      return [
        requestFact(eventIdOf("request", agent, ...key), here, {
          provider: providerOf(textOf(attributes, "provider_name")),
          model: textOf(attributes, "model", "slug"),
          ...inclusive(counts),
        }),
      ];
    }
    case "codex.api_request": {
      const status = countOf(attributes, "http.response.status_code");
      if (status !== null && status < 400) return [];
      const number = countOf(attributes, "attempt");
      return [
        attemptFact(eventIdOf("attempt", agent, session, atMs ?? "", number ?? ""), here, {
          outcome: "failed",
          number,
          httpStatus: status,
          errorClass: "api_error",
        }),
      ];
    }
    case "codex.tool_result": {
      const callId = textOf(attributes, "call_id");
      const key = isUnique(callId) ? [callId] : [session, callId ?? "", atMs ?? ""];
      const args = textOf(attributes, "arguments");
      const output = textOf(attributes, "output");
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
            argumentsDigest: args === null ? null : digestOf(args),
            resultDigest: output === null ? null : digestOf(output),
            resultBytes: output === null ? null : Buffer.byteLength(output),
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

/** Codex names the provider of its configuration; without one the model's vendor is meant. */
function providerOf(name: string | null): string | null {
  return name === null ? null : name.toLowerCase();
}
