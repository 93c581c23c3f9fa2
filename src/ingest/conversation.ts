/** What a whole document says of one session, in the order in which it happened: what its agent's reader gives. */
import type { CompactionFact, Digest, TurnFact, Usage } from "../events/event.js";
import type { Levels } from "../events/facts.js";
import type { Utf8 } from "./json.js";

export interface Conversation {
  session: string;
  agentVersion: string | null;
  project: string | null;
  branch: string | null;
  title: string | null;
  /** The session that this one was forked or spawned from. */
  parent: string | null;
  sessionKind: "task" | "subagent";
  steps: Step[];
  /** What can be told of kinds of facts that cannot be counted from the steps. */
  levels: Levels;
}

/** Where a step stands, and when it happened. */
export interface At {
  atMs: number | null;
  line: number;
  offset: number;
  /** The subagent that it happened in. */
  lane?: string;
}

export type Step = At & (Prompt | Answer | Failure | Compaction | Subagent | Unknown);

export interface Prompt {
  kind: "prompt";
  /** Names the turn in every copy of it. */
  key: string;
}

export interface Answer {
  kind: "answer";
  /** Names the response in every copy of it. */
  key: string;
  /** Its own id, where one exists. */
  messageId: string | null;
  /** Key of the prompt that it answers; null for the latest one. */
  prompt: string | null;
  /** True for the call that writes a checkpoint. */
  compacting: boolean;
  provider: string | null;
  model: string | null;
  finishReason: string | null;
  /** Null when nothing was recorded: then it is no request, but its calls and its ending count. */
  usage: Usage | null;
  /** True when the response was cut off. */
  cutOff: boolean;
  costMicros: number | null;
  latencyMs: number | null;
  shellDigest: Digest | null;
  /** What the turn came to if this is its end. */
  outcome: TurnFact["outcome"];
  /** Usage as recorded, told when it is odd. */
  raw: unknown;
  /** What was rewritten in the context before this response, beside compactions. */
  rewriteKind: "branch" | null;
  calls: Call[];
}

export interface Call {
  id: string | null;
  tool: string | null;
  input: unknown;
  result: Result | null;
  /** What the call broke, as the client said it. */
  refusal: "tool_unknown" | "args_schema" | null;
}

export interface Result {
  text: Utf8;
  isError: boolean | null;
  atMs: number | null;
  durationMs: number | null;
}

/** A try that led to no response. */
export interface Failure {
  kind: "failure";
  key: string;
  outcome: "failed" | "aborted";
  errorClass: string | null;
  httpStatus: number | null;
}

export interface Compaction {
  kind: "compaction";
  key: string;
  form: "full" | "micro";
  trigger: CompactionFact["trigger"];
  /** As the agent recorded them; null where the requests around must tell. */
  tokensBefore: number | null;
  checkpoint: Utf8 | null;
  durationMs: number | null;
  /** Messages that stay in the context word for word, as the passages name them. */
  kept: string[];
  /** Messages that had left the context before, and calls whose results had; of a small one, those that it cleared. */
  cleared: string[];
}

/** A subagent was started; `lane` names it. */
export interface Subagent {
  kind: "subagent";
  agentType: string | null;
  parentToolCall: string | null;
}

/** A record of a type that nobody knows. */
export interface Unknown {
  kind: "unknown";
  type: string;
}

/** An answer of which only what is told is known. */
export function answerStep(at: At, key: string, told: Partial<Answer>): At & Answer {
  return {
    ...at,
    kind: "answer",
    key,
    messageId: null,
    prompt: null,
    compacting: false,
    provider: null,
    model: null,
    finishReason: null,
    usage: null,
    cutOff: false,
    costMicros: null,
    latencyMs: null,
    shellDigest: null,
    outcome: null,
    raw: null,
    rewriteKind: null,
    calls: [],
    ...told,
  };
}

/** A compaction of which only what is told is known. */
export function compactionStep(at: At, key: string, told: Partial<Compaction>): At & Compaction {
  return {
    ...at,
    kind: "compaction",
    key,
    form: "full",
    trigger: "unknown",
    tokensBefore: null,
    checkpoint: null,
    durationMs: null,
    kept: [],
    cleared: [],
    ...told,
  };
}

/** Counts as an agent told them; `reasoning` is a part of the output, and a greater part contradicts. */
export function usageOf(
  told: Pick<Usage, "uncachedTokens" | "readTokens" | "writeUnsplitTokens" | "outputTokens" | "reasoningTokens">,
  odd = false,
): Usage {
  const contradictory = odd || (told.reasoningTokens ?? 0) > (told.outputTokens ?? Number.POSITIVE_INFINITY);
  const partial = told.uncachedTokens === null || told.outputTokens === null;
  return {
    ...told,
    write5mTokens: null,
    write1hTokens: null,
    cacheReported: told.readTokens !== null || told.writeUnsplitTokens !== null,
    outputQuality: told.outputTokens === null ? "missing" : "final",
    usageState: contradictory ? "contradictory" : partial ? "partial" : "ok",
  };
}

/** Input that is told together with what was read from the cache: never negative, and odd when less than that. */
export function withoutCached(input: number | null, cached: number | null): { uncached: number | null; odd: boolean } {
  if (input === null) return { uncached: null, odd: false };
  return { uncached: Math.max(0, input - (cached ?? 0)), odd: (cached ?? 0) > input };
}

/** An id names a thing everywhere when it is long enough to be unique, else within its session. */
export function keyWithin(session: string, id: string): string {
  return /^[\w|-]{16,}$/.test(id) ? id : `${session}/${id}`;
}

/** Milliseconds of a time that is written as text or as a number. */
export function timeOf(value: unknown): number | null {
  const atMs = typeof value === "string" ? Date.parse(value) : value;
  return typeof atMs === "number" && Number.isSafeInteger(Math.round(atMs)) ? Math.round(atMs) : null;
}
