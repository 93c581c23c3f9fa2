import type { Usage } from "../../events/event.js";
import { count, object, rounded, text, type Utf8, utf8 } from "../json.js";
import type { AnswerRecord, Frame, PiRecord } from "./records.js";

type Value = Record<string, unknown>;

/** Reads one entry; fields of a wrong type count as absent. */
export function recordOf(value: Value): PiRecord {
  const frame: Frame = { id: text(value.id), parentId: text(value.parentId), atMs: timeOf(value.timestamp) };
  const type = text(value.type) ?? "";
  switch (type) {
    case "session":
      return {
        frame: { ...frame, id: null },
        kind: "header",
        id: text(value.id),
        project: text(value.cwd),
        thinking: text(value.thinkingLevel),
        parent: idIn(text(value.branchedFrom) ?? text(value.parentSession)),
      };
    case "message":
      return { frame, ...message(object(value.message) ?? {}) };
    case "compaction":
      return {
        frame,
        kind: "compaction",
        text: utf8(value.summary),
        tokensBefore: count(value.tokensBefore),
        firstKeptId: text(value.firstKeptEntryId),
        firstKeptIndex: frame.id === null ? count(value.firstKeptEntryIndex) : null,
      };
    case "thinking_level_change":
      return { frame, kind: "thinking", level: text(value.thinkingLevel) };
    case "session_info": {
      const title = text(value.name);
      return title === null ? { frame, kind: "known", type } : { frame, kind: "title", title };
    }
    default:
      return { frame, kind: KNOWN.has(type) ? "known" : "unknown", type };
  }
}

const KNOWN = new Set(["model_change", "branch_summary", "custom", "custom_message", "label", "session_info"]);

function message(said: Value) {
  switch (said.role) {
    case "user":
      return { kind: "prompt", text: textOf(said.content), madeMs: timeOf(said.timestamp) } as const;
    case "assistant":
      return answer(said);
    case "toolResult":
      return {
        kind: "result",
        id: idOf(said.toolCallId),
        content: said.content,
        isError: said.isError === true,
      } as const;
    default:
      return { kind: "known", type: "message" } as const;
  }
}

function answer(said: Value): AnswerRecord {
  const usage = object(said.usage);
  const cost = object(usage?.cost)?.total;
  const content = Array.isArray(said.content) ? said.content.map(object) : [];
  const calls = content.filter((block) => block?.type === "toolCall");
  return {
    kind: "answer",
    madeMs: timeOf(said.timestamp),
    responseId: idOf(said.responseId),
    provider: text(said.provider),
    model: text(said.model),
    stopReason: text(said.stopReason),
    usage: usage === null ? null : usageOf(usage, said.stopReason === "aborted" || said.stopReason === "error"),
    costMicros: typeof cost === "number" ? rounded(cost * 1e6) : null,
    raw: usage,
    error: text(said.errorMessage),
    calls: calls.map((call) => ({ id: idOf(call!.id), tool: text(call!.name), input: call!.arguments })),
  };
}

/**
 * The four counts are disjoint. Newer versions tell which part of the writes lives for an hour. What a response had
 * come to when it was cut off is a lower bound.
 */
function usageOf(said: Value, cutOff: boolean): Usage {
  const [uncached, read, output] = [count(said.input), count(said.cacheRead), count(said.output)];
  const [written, long] = [count(said.cacheWrite), count(said.cacheWrite1h)];
  const reasoning = count(said.reasoning);
  const split = written !== null && long !== null;
  const contradictory = (split && long > written) || (reasoning !== null && reasoning > (output ?? 0));
  return {
    uncachedTokens: uncached,
    readTokens: read,
    write5mTokens: split ? Math.max(0, written - long) : null,
    write1hTokens: split ? long : null,
    writeUnsplitTokens: split ? null : written,
    outputTokens: output,
    reasoningTokens: reasoning,
    cacheReported: read !== null || written !== null,
    outputQuality: output === null ? "missing" : cutOff ? "provisional" : "final",
    usageState: contradictory ? "contradictory" : uncached === null || output === null ? "partial" : "ok",
  };
}

/** The name of a session's file ends in its id; newer versions name the id itself. */
function idIn(reference: string | null): string | null {
  if (reference === null) return null;
  const name = reference.replace(/^.*[\\/]/, "").replace(/\.jsonl$/, "");
  return name.includes("_") ? name.slice(name.indexOf("_") + 1) : name;
}

/** An id; ids that a scrubber blotted out name nothing. */
function idOf(value: unknown): string | null {
  const id = text(value);
  return id === "" || id === "REDACTED" ? null : id;
}

/** Text of a content: a string, or its text blocks. */
export function textOf(content: unknown): Utf8 {
  if (!Array.isArray(content)) return utf8(content) ?? ("" as Utf8);
  return content.map((block) => utf8(object(block)?.text) ?? "").join("\n") as Utf8;
}

function timeOf(value: unknown): number | null {
  const atMs = typeof value === "string" ? Date.parse(value) : value;
  return typeof atMs === "number" && Number.isSafeInteger(Math.round(atMs)) ? Math.round(atMs) : null;
}
