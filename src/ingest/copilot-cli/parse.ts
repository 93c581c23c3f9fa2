import type { Digest } from "../../events/event.js";
import { digestOf } from "../../events/identity.js";
import { canonicalJson } from "../canonical.js";
import {
  type Answer,
  type At,
  answerStep,
  type Call,
  type Conversation,
  keyWithin,
  type Step,
  timeOf,
  usageOf,
} from "../conversation.js";
import type { TranscriptFile } from "../importer.js";
import { count, object, text, type Utf8, utf8 } from "../json.js";
import type { Found } from "../values.js";
import type { Reader } from "../whole.js";
import { levelsOf } from "./coverage.js";
import { tellMetrics } from "./metrics.js";

type Value = Record<string, unknown>;

/** What was read of a session so far. */
interface Reading {
  session: string | null;
  about: Pick<Conversation, "agentVersion" | "project" | "branch">;
  steps: Step[];
  /** Answers by the id of the response: a later event of the same one replaces it. */
  answers: Map<string, At & Answer>;
  latest: (At & Answer) | null;
  calls: Map<string, Call>;
  /** The system prompt that stands now. */
  shell: Digest | null;
  /** Sums per model that the latest end of the session told. */
  metrics: Value | null;
  unknown: Set<string>;
}

/** Reads the events of one session. */
export function sessionReader({ path }: TranscriptFile): Reader {
  const reading: Reading = {
    session: null,
    about: { agentVersion: null, project: null, branch: null },
    steps: [],
    answers: new Map(),
    latest: null,
    calls: new Map(),
    shell: null,
    metrics: null,
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
  const at: At = { atMs: timeOf(value.timestamp), line, offset };
  const id = text(value.id);
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
      steps.push({ ...at, kind: "prompt", key });
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
    case "session.compaction_complete":
      if (data.success !== false) steps.push(compactionOf(at, key, data));
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
  reading.latest = step;
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
  if (reading.latest === null) {
    reading.latest = answerStep(at, key, {});
    reading.steps.push(reading.latest);
  }
  reading.latest.calls.push(call);
}

function resulted({ calls }: Reading, { atMs }: At, data: Value): void {
  const call = calls.get(text(data.toolCallId) ?? "");
  if (call === undefined) return;
  const said = object(data.result)?.content ?? object(data.error)?.message ?? data.result ?? data.error;
  call.result = {
    text: utf8(said) ?? (said === undefined ? ("" as Utf8) : canonicalJson(said)),
    isError: typeof data.success === "boolean" ? !data.success : null,
    atMs,
    durationMs: null,
  };
}

function compactionOf(at: At, key: string, data: Value): Step {
  return {
    ...at,
    kind: "compaction",
    key,
    form: "full",
    trigger: "unknown",
    tokensBefore: count(data.preCompactionTokens),
    checkpoint: utf8(data.summaryContent),
    durationMs: null,
  };
}

function sayUnknown({ steps, unknown }: Reading, at: At, type: string): void {
  if (KNOWN.test(type) || unknown.has(type) || unknown.size >= UNKNOWN_TYPES) return;
  unknown.add(type);
  steps.push({ ...at, kind: "unknown", type });
}

/** Groups of events that tell nothing of the context. */
const KNOWN = /^(assistant|hook|permission|session|skill|subagent|system|tool|user)\./;
const UNKNOWN_TYPES = 50;
