import { digestOf, hexOf } from "../../events/identity.js";
import { type At, answerStep, type Conversation, type Step, timeOf } from "../conversation.js";
import { object, text } from "../json.js";
import type { Found } from "../values.js";
import { compactionOf, withPruning } from "./compactions.js";
import { LEVELS } from "./coverage.js";
import { idOf, isCheckpoint, isTyped, type Message, messagesIn, textIn } from "./messages.js";
import { callsIn } from "./tools.js";
import { costIn, tokensIn } from "./usage.js";

/** One session with all its messages. */
export function conversationOf({ value, line, offset }: Found, path: string): Conversation {
  const info = object(value.info) ?? {};
  const messages = messagesIn(value);
  const named = [info.id, ...messages.map(({ info }) => info.sessionID)].map(idOf).find((id) => id !== null);
  const session = named ?? path.replace(/^.*[\\/]/, "").replace(/(\.export)?\.json$/, "");
  return {
    session,
    agentVersion: text(info.version),
    project: text(info.directory),
    branch: null,
    title: text(info.title),
    parent: idOf(info.parentID),
    sessionKind: typeof info.parentID === "string" ? "subagent" : "task",
    steps: withPruning(stepsOf(session, messages, { line, offset }), session, value),
    levels: LEVELS,
  };
}

/**
 * Forks copy messages under new ids, but keep when they were made, so that is what names them, with what they hold.
 * Messages that the client wrote in the user's name go on with the turn before.
 */
function stepsOf(session: string, messages: Message[], place: Omit<At, "atMs">): Step[] {
  const steps: Step[] = [];
  const prompts = new Map<string, string>();
  let prompt: string | null = null;
  for (const [index, message] of messages.entries()) {
    const { info, parts } = message;
    const atMs = timeOf(object(info.time)?.created);
    const at = { ...place, atMs };
    const made = atMs ?? `${session}/${index}`;
    if (info.role === "user") {
      if (parts.some(isTyped)) {
        prompt = `${made}/${hexOf(digestOf(textIn(parts), "latin1"))}`;
        steps.push({ ...at, kind: "prompt", key: prompt });
      }
      const id = idOf(info.id);
      if (id !== null && prompt !== null) prompts.set(id, prompt);
    } else if (info.role === "assistant") {
      steps.push(...answer(at, made, message, prompts.get(idOf(info.parentID) ?? "") ?? null));
      if (isCheckpoint(message)) steps.push(compactionOf(at, `${made}/compaction`, messages, index));
    }
  }
  return steps;
}

function answer(at: At, made: string | number, { info, parts }: Message, prompt: string | null): Step[] {
  const { usage, raw } = tokensIn(info, parts);
  const model = text(info.modelID);
  const counts = [usage?.uncachedTokens, usage?.readTokens, usage?.writeUnsplitTokens, usage?.outputTokens];
  const key = [made, model ?? "", ...counts.map((tokens) => tokens ?? "")].join("/");
  const error = object(info.error);
  const stopped = error?.name === "MessageAbortedError";
  const completedMs = timeOf(object(info.time)?.completed);
  const took = at.atMs === null || completedMs === null ? null : completedMs - at.atMs;
  const step = answerStep(at, key, {
    messageId: idOf(info.id),
    prompt,
    compacting: info.summary === true,
    provider: text(info.providerID),
    model,
    finishReason: text(info.finish),
    usage,
    cutOff: error !== null || completedMs === null,
    costMicros: costIn(info),
    latencyMs: took !== null && took >= 0 ? took : null,
    outcome: stopped ? "interrupted" : error !== null ? "failed" : ENDINGS.has(info.finish) ? "answered" : null,
    raw,
    calls: callsIn(parts),
  });
  if (usage !== null || error === null) return [step];
  const status = object(error.data)?.statusCode;
  return [
    step,
    {
      ...at,
      kind: "failure",
      key,
      outcome: stopped ? "aborted" : "failed",
      errorClass: text(error.name),
      httpStatus: typeof status === "number" && Number.isInteger(status) ? status : null,
    },
  ];
}

const ENDINGS = new Set<unknown>(["stop", "length"]);
