import { canonicalJson } from "../canonical.js";
import {
  answerStep,
  type Call,
  compactionStep,
  keyWithin,
  type Result,
  type Step,
  timeOf,
  usageOf,
  withoutCached,
} from "../conversation.js";
import { count, object, text, type Utf8, utf8 } from "../json.js";
import { isPrompt, textOf } from "./content.js";

type Value = Record<string, unknown>;

export interface Message {
  id: string;
  value: Value;
  line: number;
  offset: number;
  /** True once it was rewound or replaced. */
  left: boolean;
  /** True for the first message after something was rewound. */
  afterRewind: boolean;
  /** Of a checkpoint: ids of the messages that stay beside it. Null for all others. */
  compressed: { kept: string[] } | null;
}

/** What happened, message by message; messages that have left the context stay where they were. */
export function stepsOf(session: string, messages: Message[], startedMs: number | null): Step[] {
  let branched = false;
  return messages.flatMap(({ id, value, line, offset, afterRewind, compressed }): Step[] => {
    const at = { atMs: timeOf(value.timestamp) ?? startedMs, line, offset };
    const key = keyWithin(session, id);
    branched ||= afterRewind;
    if (compressed !== null) return [compactionStep(at, key, { checkpoint: textOf(value.content), ...compressed })];
    switch (value.type) {
      case "user":
        return isPrompt(value) ? [{ ...at, kind: "prompt", key }] : [];
      case "gemini": {
        const calls = callsIn(value.toolCalls);
        const usage = tokensIn(object(value.tokens));
        const rewound = branched && usage !== null;
        if (usage !== null) branched = false;
        return [
          answerStep(at, key, {
            messageId: id,
            model: text(value.model),
            usage,
            raw: value.tokens,
            calls,
            outcome: usage !== null && calls.length === 0 ? "answered" : null,
            rewriteKind: rewound ? "branch" : null,
          }),
        ];
      }
      case "error":
        return [answerStep(at, key, { outcome: "failed" })];
      case "info":
      case "warning":
      case "model":
        return [];
      default:
        return [{ ...at, kind: "unknown", type: text(value.type) ?? "" }];
    }
  });
}

/**
 * Input contains what was read from the cache; thoughts stand beside the output, and are output; results that tools of
 * the provider added are input. A message whose counts are all zero was no request.
 */
function tokensIn(tokens: Value | null) {
  if (tokens === null) return null;
  const [input, cached, tool] = [count(tokens.input), count(tokens.cached), count(tokens.tool)];
  const [output, thoughts] = [count(tokens.output), count(tokens.thoughts)];
  if (!input && !output && !thoughts && !cached && !tool) return null;
  const { uncached, odd } = withoutCached(input, cached);
  return usageOf(
    {
      uncachedTokens: uncached === null ? null : uncached + (tool ?? 0),
      readTokens: cached,
      writeUnsplitTokens: null,
      outputTokens: output === null ? null : output + (thoughts ?? 0),
      reasoningTokens: thoughts,
    },
    odd,
  );
}

function callsIn(toolCalls: unknown): Call[] {
  const calls = Array.isArray(toolCalls) ? toolCalls.map(object).filter((call) => call !== null) : [];
  return calls.map((call) => ({
    id: text(call.id),
    tool: text(call.name),
    input: call.args,
    result: resultOf(call),
    refusal: null,
  }));
}

/** A call that was cancelled neither failed nor succeeded. */
function resultOf({ status, result, resultDisplay, timestamp }: Value): Result | null {
  if (typeof status !== "string" || !ENDED.has(status)) return null;
  const said = result ?? resultDisplay;
  return {
    text: utf8(said) ?? (said === undefined ? ("" as Utf8) : canonicalJson(said)),
    isError: status === "cancelled" ? null : status === "error",
    atMs: timeOf(timestamp),
    durationMs: null,
  };
}

const ENDED = new Set(["success", "completed", "error", "cancelled"]);
