import { digestOf } from "../../events/identity.js";
import {
  type At,
  answerStep,
  type Call,
  type Conversation,
  compactionStep,
  type Step,
  timeOf,
  usageOf,
  withoutCached,
} from "../conversation.js";
import type { TranscriptFile } from "../importer.js";
import { count, encoded, object, rounded, text, utf8 } from "../json.js";
import type { Found } from "../values.js";
import { aboutSession } from "./about.js";
import { blocksIn, resultText } from "./content.js";
import { levelsOf } from "./coverage.js";

type Value = Record<string, unknown>;

export type Message = Value;

export function messagesIn(value: Value): Message[] {
  return Array.isArray(value.messages) ? value.messages.map((message) => object(message) ?? {}) : [];
}

/** Names a message in every copy of it: a fork copies messages with their ids and times. */
export function keyOf(session: string, message: Message, index: number): string {
  return `${timeOf(message.ts) ?? session}/${text(message.id) ?? index}`;
}

/** The checkpoint that a message is: what it replaced is not in the document any more. Null for other messages. */
export function checkpointIn({ metadata, content }: Message): string | null {
  const said = object(metadata);
  if (said?.kind !== "compaction_summary") return null;
  return (
    text(said.summary) ??
    blocksIn(content)
      .map((block) => text(block.text) ?? "")
      .join("\n")
  );
}

/** One session with all its messages. The system prompt is that of the newest request; what it was before is not kept. */
export function conversationOf({ value, line, offset }: Found, file: TranscriptFile): Conversation {
  const session = text(value.sessionId) ?? "";
  const calls = new Map<string, Call>();
  const steps: Step[] = [];
  for (const [index, message] of messagesIn(value).entries()) {
    const at: At = { atMs: timeOf(message.ts), line, offset };
    const key = keyOf(session, message, index);
    const blocks = blocksIn(message.content);
    const checkpoint = checkpointIn(message);
    if (checkpoint !== null) {
      const tokensBefore = count(object(message.metadata)?.tokensBefore);
      steps.push(compactionStep(at, key, { tokensBefore, checkpoint: encoded(checkpoint) }));
    } else if (message.role === "assistant") steps.push(answer(at, key, message, blocks, calls));
    else if (message.role === "user") {
      const results = blocks.filter(({ type }) => type === "tool_result");
      for (const result of results) resulted(calls, at, result);
      if (results.length === 0 || results.length < blocks.length) steps.push({ ...at, kind: "prompt", key });
    }
  }
  const shell = utf8(value.system_prompt);
  const newest = steps.findLast((step) => step.kind === "answer");
  if (newest?.kind === "answer" && shell !== null) newest.shellDigest = digestOf(shell, "latin1");
  return {
    session,
    agentVersion: null,
    branch: null,
    sessionKind: "task",
    ...aboutSession(file, session),
    steps,
    levels: levelsOf(
      shell !== null,
      steps.some(({ kind }) => kind === "compaction"),
    ),
  };
}

function answer(at: At, key: string, message: Value, blocks: Value[], waiting: Map<string, Call>): Step {
  const uses = blocks.filter(({ type }) => type === "tool_use");
  const calls = uses.map(
    ({ id, name, input }): Call => ({ id: text(id), tool: text(name), input, result: null, refusal: null }),
  );
  for (const call of calls) if (call.id !== null) waiting.set(call.id, call);
  const metrics = object(message.metrics);
  const model = object(message.modelInfo);
  const usage = tokensIn(metrics);
  const cost = metrics?.cost;
  return answerStep(at, key, {
    messageId: text(message.id),
    provider: text(model?.provider),
    model: text(model?.id),
    usage,
    costMicros: typeof cost === "number" ? rounded(cost * 1e6) : null,
    raw: metrics,
    outcome: usage !== null && calls.length === 0 ? "answered" : null,
    calls,
  });
}

/** Input contains what was read from the cache and what was written to it. */
function tokensIn(metrics: Value | null) {
  if (metrics === null) return null;
  const { inputTokens, outputTokens, cacheReadTokens, cacheWriteTokens } = metrics;
  const [input, output] = [count(inputTokens), count(outputTokens)];
  const [read, written] = [count(cacheReadTokens), count(cacheWriteTokens)];
  if (!input && !output && !read && !written) return null;
  const { uncached, odd } = withoutCached(input, (read ?? 0) + (written ?? 0));
  return usageOf(
    {
      uncachedTokens: uncached,
      readTokens: read,
      writeUnsplitTokens: written,
      outputTokens: output,
      reasoningTokens: null,
    },
    odd,
  );
}

function resulted(calls: Map<string, Call>, { atMs }: At, { tool_use_id, content, is_error }: Value): void {
  const call = calls.get(text(tool_use_id) ?? "");
  if (call === undefined) return;
  call.result = {
    text: resultText(content),
    isError: is_error === true,
    atMs,
    durationMs: null,
  };
}
