import { digestOf, hexOf } from "../../events/identity.js";
import { type At, answerStep, type Conversation, type Step, timeOf } from "../conversation.js";
import { object, text, type Utf8, utf8 } from "../json.js";
import type { Found } from "../values.js";
import { LEVELS } from "./coverage.js";
import { callsIn, prunedIn } from "./tools.js";
import { costIn, tokensIn } from "./usage.js";

type Value = Record<string, unknown>;

/** One session with all its messages. */
export function conversationOf({ value, line, offset }: Found, path: string): Conversation {
  const info = object(value.info) ?? {};
  const messages = (value.messages as unknown[]).map((entry) => messageOf(object(entry) ?? {}));
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
    steps: withPruning(stepsOf(session, messages, { line, offset }), session, messages),
    levels: LEVELS,
  };
}

/** An id that a scrubber blotted out names nothing: it can stand in one session many times. */
export function idOf(value: unknown): string | null {
  const id = text(value);
  return id === "" || id === "REDACTED" ? null : id;
}

interface Message {
  info: Value;
  parts: Value[];
}

function messageOf(value: Value): Message {
  const parts = Array.isArray(value.parts) ? value.parts.map(object).filter((part) => part !== null) : [];
  return { info: object(value.info) ?? {}, parts };
}

/**
 * Forks copy messages under new ids, but keep when they were made, so that is what names them, with what they hold.
 * Messages that the client wrote in the user's name go on with the turn before.
 */
function stepsOf(session: string, messages: Message[], place: Omit<At, "atMs">): Step[] {
  const steps: Step[] = [];
  const prompts = new Map<string, string>();
  let prompt: string | null = null;
  let compaction: Value | null = null;
  for (const [index, { info, parts }] of messages.entries()) {
    const atMs = timeOf(object(info.time)?.created);
    const at = { ...place, atMs };
    const made = atMs ?? `${session}/${index}`;
    if (info.role === "user") {
      compaction = parts.find(({ type }) => type === "compaction") ?? null;
      if (parts.some(isTyped)) {
        prompt = `${made}/${hexOf(digestOf(textIn(parts), "latin1"))}`;
        steps.push({ ...at, kind: "prompt", key: prompt });
      }
      const id = idOf(info.id);
      if (id !== null && prompt !== null) prompts.set(id, prompt);
    } else if (info.role === "assistant") {
      steps.push(...answer(at, made, { info, parts }, prompts.get(idOf(info.parentID) ?? "") ?? null));
      if (info.summary === true) {
        steps.push(compactionOf(at, made, parts, compaction));
        compaction = null;
      }
    }
  }
  return steps;
}

const isTyped = ({ type, synthetic }: Value) => synthetic !== true && type !== "compaction";

function textIn(parts: Value[]): Utf8 {
  const texts = parts.filter(({ type }) => type === "text" || type === "subtask");
  return texts.map((part) => utf8(part.text) ?? utf8(part.prompt) ?? "").join("\n") as Utf8;
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

function compactionOf(at: At, made: string | number, parts: Value[], asked: Value | null): Step {
  const trigger =
    asked === null ? "unknown" : asked.overflow === true ? "overflow" : asked.auto === true ? "auto" : "manual";
  const text = textIn(parts);
  return {
    ...at,
    kind: "compaction",
    key: `${made}/compaction`,
    form: "full",
    trigger,
    tokensBefore: null,
    checkpoint: text === "" ? null : text,
    durationMs: null,
  };
}

/** Results that were cleared from the context at one time are one small compaction. */
function withPruning(steps: Step[], session: string, messages: Message[]): Step[] {
  const place = steps[0];
  if (place === undefined) return steps;
  for (const atMs of prunedIn(messages.flatMap(({ parts }) => parts))) {
    const next = steps.findIndex((step) => (step.atMs ?? 0) > atMs);
    steps.splice(next < 0 ? steps.length : next, 0, {
      atMs,
      line: place.line,
      offset: place.offset,
      kind: "compaction",
      key: `${session}/${atMs}/pruned`,
      form: "micro",
      trigger: "auto",
      tokensBefore: null,
      checkpoint: null,
      durationMs: null,
    });
  }
  return steps;
}
