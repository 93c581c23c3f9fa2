import { canonicalJson } from "../canonical.js";
import {
  type Answer,
  type At,
  answerStep,
  type Call,
  type Conversation,
  compactionStep,
  keyWithin,
  type Step,
  timeOf,
  usageOf,
  withoutCached,
} from "../conversation.js";
import type { TranscriptFile } from "../importer.js";
import { count, object, text, type Utf8, utf8 } from "../json.js";
import type { Found } from "../values.js";
import type { Reader } from "../whole.js";
import { compressedIn, marksOf, partsOf } from "./content.js";
import { LEVELS } from "./coverage.js";

type Value = Record<string, unknown>;

/** What was read of a session so far. */
interface Reading {
  session: string;
  about: Pick<Conversation, "agentVersion" | "project" | "branch" | "title">;
  steps: Step[];
  /** Answers by their record's id: one answer may stand on several records. */
  answers: Map<string, At & Answer>;
  /** Calls that wait for their results, by id. */
  calls: Map<string, Call>;
  /** Messages by what they are known again by. */
  known: Map<string, string>;
  /** True until the first request after a rewind. */
  rewound: boolean;
  unknown: Set<string>;
}

/** Reads the records of one session. What telemetry repeats of an answer or a call is left out. */
export function sessionReader({ path }: TranscriptFile): Reader {
  let reading: Reading | null = null;
  return {
    take(record) {
      const named = text(record.value.sessionId) ?? path.replace(/^.*[\\/]/, "").replace(/\.jsonl$/, "");
      reading ??= newReading(named);
      follow(reading, record);
      return null;
    },
    rest: () => (reading === null ? null : conversationOf(reading)),
  };
}

function newReading(session: string): Reading {
  return {
    session,
    about: { agentVersion: null, project: null, branch: null, title: null },
    steps: [],
    answers: new Map(),
    calls: new Map(),
    known: new Map(),
    rewound: false,
    unknown: new Set(),
  };
}

function conversationOf({ session, about, steps }: Reading): Conversation {
  return { session, ...about, parent: null, sessionKind: "task", steps, levels: LEVELS };
}

function follow(reading: Reading, { value, line, offset }: Found): void {
  const { about, steps, session } = reading;
  about.agentVersion = text(value.version) ?? about.agentVersion;
  about.project ??= text(value.cwd);
  about.branch ??= text(value.gitBranch);
  const at: At = { atMs: timeOf(value.timestamp), line, offset };
  const id = text(value.uuid);
  const key = id === null ? `${session}/${offset}` : keyWithin(session, id);
  if (id !== null) for (const mark of marksOf(object(value.message))) reading.known.set(mark, id);
  if (value.type === "user") steps.push({ ...at, kind: "prompt", key });
  else if (value.type === "assistant") answered(reading, at, key, value);
  else if (value.type === "tool_result") resulted(reading, at, value);
  else if (value.type === "system") told(reading, at, key, value);
  else if (typeof value.type === "string" && !reading.unknown.has(value.type) && reading.unknown.size < UNKNOWN_TYPES) {
    reading.unknown.add(value.type);
    steps.push({ ...at, kind: "unknown", type: text(value.type) ?? "" });
  }
}

const UNKNOWN_TYPES = 50;

function answered(reading: Reading, at: At, key: string, value: Value): void {
  const usage = tokensIn(object(value.usageMetadata));
  const calls = callsIn(object(value.message));
  const before = reading.answers.get(key);
  for (const call of calls) if (call.id !== null) reading.calls.set(call.id, call);
  const step = before ?? answerStep(at, key, { messageId: text(value.uuid) });
  step.model = text(value.model) ?? step.model;
  step.usage = usage ?? step.usage;
  step.raw = usage === null ? step.raw : value.usageMetadata;
  step.calls.push(...calls);
  step.outcome = step.usage !== null && step.calls.length === 0 ? "answered" : null;
  if (step.usage !== null && reading.rewound) {
    step.rewriteKind = "branch";
    reading.rewound = false;
  }
  if (before !== undefined) return;
  reading.answers.set(key, step);
  reading.steps.push(step);
}

/** The prompt's count contains what was read from the cache; thoughts stand beside the candidates, and are output. */
function tokensIn(said: Value | null) {
  if (said === null) return null;
  const [input, cached] = [count(said.promptTokenCount), count(said.cachedContentTokenCount)];
  const [output, thoughts] = [count(said.candidatesTokenCount), count(said.thoughtsTokenCount)];
  if (!input && !cached && !output && !thoughts) return null;
  const { uncached, odd } = withoutCached(input, cached);
  return usageOf(
    {
      uncachedTokens: uncached,
      readTokens: cached,
      writeUnsplitTokens: null,
      outputTokens: output === null ? null : output + (thoughts ?? 0),
      reasoningTokens: thoughts,
    },
    odd,
  );
}

function callsIn(message: Value | null): Call[] {
  const calls = partsOf(message).map(({ functionCall }) => object(functionCall));
  return calls
    .filter((call) => call !== null)
    .map((call) => ({ id: text(call.id), tool: text(call.name), input: call.args, result: null, refusal: null }));
}

function resulted({ calls }: Reading, { atMs }: At, value: Value): void {
  const about = object(value.toolCallResult);
  for (const part of partsOf(object(value.message))) {
    const response = object(part.functionResponse);
    const call = calls.get(text(response?.id) ?? text(about?.callId) ?? "");
    if (response === null || call === undefined) continue;
    const said = object(response.response);
    const content = said?.output ?? said?.error ?? response.response;
    call.result = {
      text: utf8(content) ?? (content === undefined ? ("" as Utf8) : canonicalJson(content)),
      isError: about?.status === "cancelled" ? null : about?.status === "error" || said?.error !== undefined,
      atMs,
      durationMs: null,
    };
    call.refusal = refusalOf(about?.errorType);
  }
}

function refusalOf(errorType: unknown): Call["refusal"] {
  if (errorType === "invalid_tool_params") return "args_schema";
  return errorType === "tool_not_registered" ? "tool_unknown" : null;
}

function told(reading: Reading, at: At, key: string, { subtype, systemPayload }: Value): void {
  const { about, steps } = reading;
  const payload = object(systemPayload);
  const event = object(payload?.uiEvent);
  if (subtype === "custom_title") about.title = text(payload?.customTitle) ?? about.title;
  else if (subtype === "rewind") reading.rewound = true;
  else if (subtype === "chat_compression") {
    const { checkpoint, others } = compressedIn(payload?.compressedHistory);
    if (checkpoint === null) return;
    const kept = new Set(others.flatMap(marksOf).flatMap((mark) => reading.known.get(mark) ?? []));
    const tokensBefore = count(object(payload?.info)?.originalTokenCount);
    steps.push(compactionStep(at, key, { tokensBefore, checkpoint, kept: [...kept] }));
  } else if (event?.["event.name"] === "qwen-code.api_error") {
    const status = count(Number(event.status_code ?? Number.NaN));
    steps.push({
      ...at,
      kind: "failure",
      key,
      outcome: "failed",
      errorClass: text(event.error_type),
      httpStatus: status,
    });
  }
}
