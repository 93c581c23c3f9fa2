import type {
  AttemptFact,
  CompactionFact,
  ContractFact,
  CoverageFact,
  CoveredFact,
  Digest,
  EventHeader,
  LaneFact,
  NoteFact,
  RequestFact,
  SessionFact,
  ToolCallFact,
  TurnFact,
} from "./event.js";
import { eventIdOf } from "./identity.js";

/** Everything on an event that does not say what it is. */
export type Header = Omit<EventHeader, "eventId">;

type Told<T extends EventHeader> = Partial<Omit<T, keyof EventHeader | "kind">>;

/** A session of which only what is told is known; so for every kind of fact below. */
export function sessionFact(header: Header, told: Told<SessionFact>): SessionFact {
  return {
    kind: "session",
    eventId: eventIdOf("session", header.agent, header.session),
    ...header,
    turn: null,
    agentVersion: null,
    project: null,
    branch: null,
    title: null,
    parentSession: null,
    sessionKind: "task",
    status: null,
    ...told,
  };
}

export function laneFact(header: Header, told: Told<LaneFact> & Pick<LaneFact, "laneKind">): LaneFact {
  return {
    kind: "lane",
    eventId: eventIdOf("lane", header.agent, header.session, header.lane),
    ...header,
    turn: null,
    agentType: null,
    parentLane: null,
    parentToolCall: null,
    ...told,
  };
}

/** `header.turn` is the turn's key, which copies share. */
export function turnFact(header: Header & { turn: string }, told: Told<TurnFact>): TurnFact {
  return {
    kind: "turn",
    eventId: eventIdOf("turn", header.agent, header.turn),
    ...header,
    endedAtMs: null,
    outcome: null,
    branch: null,
    project: null,
    clientVersion: null,
    ...told,
  };
}

export function requestFact(eventId: Digest, header: Header, told: Told<RequestFact>): RequestFact {
  return {
    kind: "request",
    eventId,
    ...header,
    requestId: null,
    messageId: null,
    provider: null,
    model: null,
    requestedModel: null,
    status: "reported",
    finishReason: null,
    uncachedTokens: null,
    readTokens: null,
    write5mTokens: null,
    write1hTokens: null,
    writeUnsplitTokens: null,
    outputTokens: null,
    reasoningTokens: null,
    cacheReported: false,
    outputQuality: "final",
    usageState: "ok",
    rawUsage: null,
    contextWindowTokens: null,
    providerCostMicros: null,
    latencyMs: null,
    ttftMs: null,
    shellDigest: null,
    shellSetDigest: null,
    paramsDigest: null,
    digestAlgorithm: null,
    segments: null,
    declaredChanges: [],
    rewriteKind: null,
    missReason: null,
    missedTokens: null,
    estimatedTokens: null,
    estimateMethod: null,
    copyRank: 0,
    ...told,
  };
}

export function attemptFact(eventId: Digest, header: Header, told: Told<AttemptFact>): AttemptFact {
  return {
    kind: "attempt",
    eventId,
    ...header,
    request: null,
    number: null,
    outcome: "failed",
    httpStatus: null,
    errorClass: null,
    backoffMs: null,
    outputChars: null,
    ...told,
  };
}

export function toolCallFact(eventId: Digest, header: Header, told: Told<ToolCallFact>): ToolCallFact {
  return {
    kind: "tool_call",
    eventId,
    ...header,
    callId: null,
    tool: null,
    useSeen: false,
    resultSeen: false,
    argumentsDigest: null,
    resultDigest: null,
    resultBytes: null,
    targetDigest: null,
    isError: null,
    durationMs: null,
    determinism: null,
    ...told,
  };
}

/** The recipe of another agent's compaction is the agent itself, in its version. */
export function compactionFact(eventId: Digest, header: Header, told: Told<CompactionFact>): CompactionFact {
  return {
    kind: "compaction",
    eventId,
    ...header,
    form: "full",
    recipe: header.agent,
    recipeVersion: null,
    trigger: "unknown",
    outcome: "applied",
    tokensBefore: null,
    tokensAfter: null,
    countMethod: null,
    messagesBefore: null,
    messagesAfter: null,
    summaryDigest: null,
    summaryTokens: null,
    summaryBytes: null,
    checkpointFault: null,
    durationMs: null,
    persisted: null,
    items: [],
    ...told,
  };
}

/** A call that broke what was agreed; `key` is the call's own. */
export function violation(header: Header, call: Pick<ToolCallFact, "tool" | "callId">, key: string, code: string) {
  const fact: ContractFact = {
    kind: "contract",
    eventId: eventIdOf("contract", header.agent, key, code),
    ...header,
    contract: call.tool ?? "unknown tool",
    contractVersion: null,
    subjectKind: "tool",
    subjectRef: call.callId ?? key,
    outcome: "violation",
    code,
    pointer: null,
    detail: null,
  };
  return fact;
}

/** An oddity of the file at `header.offset`. */
export function noteFact(header: Header, note: string, name: string | null): NoteFact {
  const eventId = eventIdOf("note", header.agent, header.session, note, name ?? "", header.offset ?? 0);
  return {
    kind: "note",
    eventId,
    ...header,
    atMs: null,
    note,
    name: name?.slice(0, 100) ?? null,
    count: 1,
    detail: null,
  };
}

export type Level = Pick<CoverageFact, "level" | "why">;
export type Levels = Partial<Record<CoveredFact, Level>>;

export const FULL: Level = { level: "full", why: null };
/** Full where the client is new enough, or wrote what is needed: `why` says when. */
export const fullSince = (why: string): Level => ({ level: "full", why });
export const absent = (why: string): Level => ({ level: "absent", why });
export const partial = (why: string): Level => ({ level: "partial", why });

/** How much is known when `lacking` of `of` lack it. */
export function share(lacking: number, of: number, why: string): Level {
  if (lacking === 0) return FULL;
  return lacking === of ? absent(why) : partial(why);
}

/** What a file that was read up to `header.offset` can tell about its session. */
export function coverageFacts(header: Header, levels: Levels): CoverageFact[] {
  return (Object.entries(levels) as [CoveredFact, Level][]).map(([fact, { level, why }]) => ({
    kind: "coverage",
    eventId: eventIdOf("coverage", header.agent, header.session, fact),
    ...header,
    lane: "main",
    turn: null,
    atMs: null,
    timeQuality: "inherited",
    line: null,
    fact,
    level,
    why,
  }));
}
