import type { Usage } from "../../events/event.js";
import { canonicalJson } from "../canonical.js";
import { count, object, rounded, text, type Utf8, utf8 } from "../json.js";
import type { KimiRecord, SentRecord } from "./records.js";

type Value = Record<string, unknown>;

/** Reads one record; fields of a wrong type count as absent. */
export function recordOf(value: Value): KimiRecord {
  const atMs = timeOf(value.time) ?? timeOf(value.created_at);
  const type = text(value.type) ?? "";
  switch (type) {
    case "config.update":
      return { atMs, kind: "config", project: text(value.cwd), profile: text(value.profileName) };
    case "tools.set_active_tools":
      return { atMs, kind: "change", change: "tools" };
    case "plan_mode.enter":
    case "plan_mode.exit":
      return { atMs, kind: "change", change: "mode" };
    case "turn.prompt":
      return { atMs, kind: "prompt", text: textOf(value.input), spawned: object(value.origin)?.name === "subagent" };
    case "turn.cancel":
      return { atMs, kind: "cancelled", type };
    case "llm.request":
      return { atMs, ...sent(value) };
    case "usage.record":
      return {
        atMs,
        kind: "usage",
        model: text(value.model),
        usage: usageOf(object(value.usage) ?? {}),
        compaction: value.usageScope === "session",
      };
    case "full_compaction.begin": {
      const source = value.source;
      return { atMs, kind: "compacting", trigger: source === "auto" || source === "manual" ? source : "unknown" };
    }
    case "context.apply_compaction":
      return {
        atMs,
        kind: "compaction",
        text: utf8(value.summary) ?? utf8(value.contextSummary) ?? utf8(textOf(object(value.summary)?.content)),
        tokensBefore: count(value.tokensBefore),
        messagesBefore: count(value.compactedCount),
        keptPrompts: count(value.keptUserMessageCount),
        keptHead: count(value.keptHeadUserMessageCount) ?? 0,
      };
    case "context.append_message": {
      const message = object(value.message);
      return { atMs, kind: "message", prompt: message?.role === "user" && isOwn(message.origin) };
    }
    case "context.undo":
      return { atMs, kind: "undo", prompts: count(value.count) ?? 0 };
    case "context.clear":
      return { atMs, kind: "undo", prompts: null };
    case "context.append_loop_event":
      return { atMs, ...loopEvent(object(value.event) ?? {}) };
    default:
      return { atMs, kind: KNOWN.has(type) ? "known" : "unknown", type };
  }
}

const KNOWN = new Set([
  "metadata",
  "llm.tools_snapshot",
  "permission.record_approval_result",
  "full_compaction.complete",
]);

/** True for a message that a person wrote; all others in the user's name are the client's. */
function isOwn(origin: unknown): boolean {
  const said = object(origin);
  if (said === null || said.kind === "user") return true;
  return (said.kind === "skill_activation" || said.kind === "plugin_command") && said.trigger === "user-slash";
}

/** True for a message that asks for something: a person's, or the one that an agent gave to its subagent. */
export function isAsked(origin: unknown): boolean {
  return isOwn(origin) || object(origin)?.name === "subagent";
}

function sent(value: Value): SentRecord {
  const [system, tools] = [text(value.systemPromptHash), text(value.toolsHash)];
  const purpose = value.kind === "loop" || value.kind === "compaction" ? value.kind : "other";
  return {
    kind: "sent",
    purpose,
    provider: text(value.provider),
    shell: system === null || tools === null ? null : [system, tools],
    params: { thinkingEffort: value.thinkingEffort, thinkingKeep: value.thinkingKeep },
  };
}

function loopEvent(event: Value) {
  switch (event.type) {
    case "step.begin":
      return { kind: "message", prompt: false } as const;
    case "step.end":
      return {
        kind: "step",
        messageId: text(event.messageId),
        finishReason: text(event.finishReason),
        ttftMs: rounded(event.llmFirstTokenLatencyMs),
        streamMs: rounded(event.llmStreamDurationMs),
      } as const;
    case "tool.call":
      return {
        kind: "call",
        id: text(event.toolCallId),
        step: text(event.stepUuid),
        tool: text(event.name),
        input: event.args,
      } as const;
    case "tool.result": {
      const result = object(event.result);
      return {
        kind: "result",
        id: text(event.toolCallId),
        output: result?.output,
        isError: result?.isError === true,
      } as const;
    }
    default:
      return { kind: "known", type: text(event.type) ?? "" } as const;
  }
}

/** The four counts are disjoint; how long what was written lives is not told. */
function usageOf(said: Value): Usage {
  const [uncached, output] = [count(said.inputOther), count(said.output)];
  const [read, written] = [count(said.inputCacheRead), count(said.inputCacheCreation)];
  return {
    uncachedTokens: uncached,
    readTokens: read,
    write5mTokens: null,
    write1hTokens: null,
    writeUnsplitTokens: written,
    outputTokens: output,
    reasoningTokens: null,
    cacheReported: read !== null || written !== null,
    outputQuality: output === null ? "missing" : "final",
    usageState: uncached === null || output === null ? "partial" : "ok",
  };
}

/** Text of a result, or its JSON. */
export function resultText(output: unknown): Utf8 {
  return typeof output === "string" || Array.isArray(output) ? textOf(output) : canonicalJson(output ?? "");
}

/** Text of a list of parts, or a text. */
export function textOf(content: unknown): Utf8 {
  if (!Array.isArray(content)) return utf8(content) ?? ("" as Utf8);
  return content.map((part) => utf8(object(part)?.text) ?? "").join("\n") as Utf8;
}

function timeOf(value: unknown): number | null {
  return typeof value === "number" && Number.isSafeInteger(Math.round(value)) ? Math.round(value) : null;
}
