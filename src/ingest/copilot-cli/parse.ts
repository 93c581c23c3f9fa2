import type { Digest } from "../../events/event.js";
import { digestOf } from "../../events/identity.js";
import {
  type Answer,
  type At,
  answerStep,
  type Call,
  type Compaction,
  type Conversation,
  compactionStep,
  keyWithin,
  type Step,
  timeOf,
  usageOf,
} from "../conversation.js";
import type { TranscriptFile } from "../importer.js";
import { count, object, text, utf8 } from "../json.js";
import type { Found } from "../values.js";
import type { Reader } from "../whole.js";
import { levelsOf } from "./coverage.js";
import { laneOf, resultText } from "./events.js";
import { tellMetrics } from "./metrics.js";

type Value = Record<string, unknown>;

/** What was read of a session so far. */
interface Reading {
  session: string | null;
  about: Pick<Conversation, "agentVersion" | "project" | "branch">;
  steps: Step[];
  /** Answers by the id of the response: a later event of the same one replaces it. */
  answers: Map<string, At & Answer>;
  /** The newest answer of each lane. */
  latest: Map<string, At & Answer>;
  calls: Map<string, Call>;
  /** The system prompt that stands now. */
  shell: Digest | null;
  /** Sums per model that the latest end of the session told. */
  metrics: Value | null;
  /** Events since a compaction began: it works beside the session, and what came meanwhile stays. */
  meanwhile: string[] | null;
  unknown: Set<string>;
}

/** Reads the events of one session. */
export function sessionReader({ path }: TranscriptFile): Reader {
  const reading: Reading = {
    session: null,
    about: { agentVersion: null, project: null, branch: null },
    steps: [],
    answers: new Map(),
    latest: new Map(),
    calls: new Map(),
    shell: null,
    metrics: null,
    meanwhile: null,
    unknown: new Set(),
  };
  const named = path
    .replace(/[\\/]events\.jsonl$/, "")
    .replace(/^.*[\\/]/, "")
    .replace(/(\.events)?\.jsonl$/, "");
  return {
    take(record) {
      follow(reading, reading.session ?? named, record);
      return null;
    },
    rest() {
      const { session, about, steps, answers, metrics, shell } = reading;
      if (session === null && steps.length === 0) return null;
      const alone = tellMetrics([...answers.values()], metrics);
      const levels = levelsOf(shell !== null, alone);
      return { session: session ?? named, ...about, title: null, parent: null, sessionKind: "task", steps, levels };
    },
  };
}

function follow(reading: Reading, session: string, { value, line, offset }: Found): void {
  const data = object(value.data) ?? {};
  const lane = laneOf(value);
  const at: At = { atMs: timeOf(value.timestamp), line, offset, ...(lane === null ? {} : { lane }) };
  const id = text(value.id);
  if (id !== null && lane === null && SAYING.test(String(value.type))) reading.meanwhile?.push(id);
  const key = id === null ? `${session}/${offset}` : keyWithin(session, id);
  const { steps } = reading;
  switch (value.type) {
    case "session.start":
    case "session.resume":
      begun(reading, data);
      break;
    case "system.message":
      reading.shell = typeof data.content === "string" ? digestOf(data.content, "latin1") : reading.shell;
      break;
    case "user.message":
      if (lane === null) steps.push({ ...at, kind: "prompt", key });
      break;
    case "assistant.message":
      answered(reading, at, session, key, data);
      break;
    case "tool.execution_start":
      called(reading, at, key, data);
      break;
    case "tool.execution_complete":
      resulted(reading, at, data);
      break;
    case "subagent.started":
      started(reading, at, data);
      break;
    case "session.compaction_start":
      reading.meanwhile = [];
      break;
    case "session.compaction_complete":
      if (data.success !== false) steps.push(compactionOf(at, key, data, reading.meanwhile ?? []));
      reading.meanwhile = null;
      break;
    case "session.shutdown":
      reading.metrics = object(data.modelMetrics);
      break;
    case "abort":
      steps.push(answerStep(at, key, { outcome: "interrupted" }));
      break;
    case "session.error": {
      const [errorClass, httpStatus] = [text(data.errorType), count(data.statusCode)];
      steps.push({ ...at, kind: "failure", key, outcome: "failed", errorClass, httpStatus });
      break;
    }
    default:
      sayUnknown(reading, at, text(value.type) ?? "");
  }
}

function begun(reading: Reading, data: Value): void {
  const context = object(data.context);
  const { about } = reading;
  reading.session ??= text(data.sessionId);
  about.agentVersion ??= text(data.copilotVersion);
  about.project ??= text(context?.cwd);
  about.branch ??= text(context?.branch);
}

function answered(reading: Reading, at: At, session: string, key: string, data: Value): void {
  const named = text(data.apiCallId) ?? text(data.messageId);
  const name = named === null ? key : keyWithin(session, named);
  const output = count(data.outputTokens);
  const before = reading.answers.get(name);
  const step = before ?? answerStep(at, name, { messageId: named, shellDigest: reading.shell });
  reading.latest.set(at.lane ?? "main", step);
  step.model = text(data.model) ?? step.model;
  step.outcome = Array.isArray(data.toolRequests) && data.toolRequests.length > 0 ? null : "answered";
  const told = Math.max(output ?? 0, step.usage?.outputTokens ?? 0);
  step.usage = usageOf({
    uncachedTokens: null,
    readTokens: null,
    writeUnsplitTokens: null,
    outputTokens: output === null && step.usage?.outputTokens == null ? null : told,
    reasoningTokens: null,
  });
  if (before !== undefined) return;
  reading.answers.set(name, step);
  reading.steps.push(step);
}

/** A call that was begun; it belongs to the newest answer, which asked for it. */
function called(reading: Reading, at: At, key: string, data: Value): void {
  const id = text(data.toolCallId);
  if (id !== null && reading.calls.has(id)) return;
  const call: Call = { id, tool: text(data.toolName), input: data.arguments, result: null, refusal: null };
  if (id !== null) reading.calls.set(id, call);
  const lane = at.lane ?? "main";
  const latest = reading.latest.get(lane);
  if (latest !== undefined) {
    latest.calls.push(call);
    return;
  }
  const step = answerStep(at, key, { calls: [call] });
  reading.latest.set(lane, step);
  reading.steps.push(step);
}

/** A subagent is named as its events will name it. */
function started({ steps }: Reading, at: At, data: Value): void {
  const parentToolCall = text(data.toolCallId);
  const lane = at.lane ?? parentToolCall;
  if (lane !== null) steps.push({ ...at, lane, kind: "subagent", agentType: text(data.agentName), parentToolCall });
}

function resulted({ calls }: Reading, { atMs }: At, data: Value): void {
  const call = calls.get(text(data.toolCallId) ?? "");
  if (call === undefined) return;
  call.result = {
    text: resultText(data),
    isError: typeof data.success === "boolean" ? !data.success : null,
    atMs,
    durationMs: null,
  };
}

function compactionOf(at: At, key: string, data: Value, kept: string[]): Step {
  const trigger = TRIGGERS.get(data.trigger) ?? "unknown";
  const tokensBefore = count(data.preCompactionTokens);
  return compactionStep(at, key, { trigger, tokensBefore, checkpoint: utf8(data.summaryContent), kept });
}

/** Events that put something into the context. */
const SAYING = /^(?:user|assistant)\.message$|^tool\.execution_(?:start|complete)$/;

const TRIGGERS = new Map<unknown, Compaction["trigger"]>([
  ["manual", "manual"],
  ["threshold", "auto"],
  ["context_limit_retry", "overflow"],
]);

function sayUnknown({ steps, unknown }: Reading, at: At, type: string): void {
  if (KNOWN.test(type) || unknown.has(type) || unknown.size >= UNKNOWN_TYPES) return;
  unknown.add(type);
  steps.push({ ...at, kind: "unknown", type });
}

/** Groups of events that tell nothing of the context. */
const KNOWN = /^(assistant|hook|permission|session|skill|subagent|system|tool|user)\./;
const UNKNOWN_TYPES = 50;
