/** Builders of events with harmless defaults: a test names only what it is about. */
import type {
  CacheFact,
  CompactionFact,
  ContractFact,
  CoverageFact,
  DivergenceFact,
  EventHeader,
  EventKind,
  JudgmentFact,
  LaneFact,
  RequestFact,
  SessionEvent,
  SessionFact,
  ToolCallFact,
  TurnFact,
  WaiverFact,
} from "../../src/events/event.js";
import { digestOf, eventIdOf } from "../../src/events/identity.js";

/** The moment all made-up histories are told around. */
export const NOON = Date.UTC(2026, 7, 1, 12);
export const MINUTE = 60_000;
export const HOUR = 60 * MINUTE;
export const DAY = 24 * HOUR;

let serial = 0;

function header(kind: EventKind, given: { session?: string; agent?: string; id?: string }): EventHeader {
  serial += 1;
  const session = given.session ?? "s1";
  const agent = given.agent ?? "test-agent";
  return {
    eventId: given.id === undefined ? eventIdOf("test", serial) : eventIdOf(kind, given.id),
    agent,
    session,
    lane: "main",
    turn: null,
    tenant: null,
    atMs: NOON,
    timeQuality: "exact",
    line: null,
    offset: null,
  };
}

type Given<T> = Partial<Omit<T, "kind">> & { id?: string };

function build<T extends SessionEvent>(kind: T["kind"], defaults: Omit<T, keyof EventHeader | "kind">) {
  return (given: Given<T> = {}): T => {
    const { id: _, ...rest } = given;
    return { kind, ...header(kind, given as { session?: string; id?: string }), ...defaults, ...rest } as unknown as T;
  };
}

/** The id of the thing that a builder makes for `id`. */
export const idOf = (kind: EventKind, id: string) => eventIdOf(kind, id);
export const digest = (text: string) => digestOf(text);

export const session = build<SessionFact>("session", {
  agentVersion: null,
  project: null,
  branch: null,
  title: null,
  parentSession: null,
  sessionKind: "task",
  status: null,
});
export const lane = build<LaneFact>("lane", {
  laneKind: "subagent",
  agentType: null,
  parentLane: null,
  parentToolCall: null,
});
export const turn = build<TurnFact>("turn", {
  endedAtMs: null,
  outcome: "answered",
  branch: null,
  project: null,
  clientVersion: null,
});
export const request = build<RequestFact>("request", {
  requestId: null,
  messageId: null,
  provider: "anthropic",
  model: "model-a",
  requestedModel: null,
  status: "reported",
  finishReason: "end_turn",
  uncachedTokens: 10,
  readTokens: 900,
  write5mTokens: 90,
  write1hTokens: 0,
  writeUnsplitTokens: 0,
  outputTokens: 50,
  reasoningTokens: null,
  cacheReported: true,
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
});
export const toolCall = build<ToolCallFact>("tool_call", {
  callId: null,
  tool: "read",
  useSeen: true,
  resultSeen: true,
  argumentsDigest: digestOf("{}"),
  resultDigest: digestOf("ok"),
  resultBytes: 2,
  targetDigest: null,
  isError: false,
  durationMs: null,
  determinism: null,
});
export const cache = build<CacheFact>("cache", {
  layer: "response",
  op: "hit",
  served: true,
  keyDigest: null,
  entryTenant: null,
  shellDigest: null,
  entryShellDigest: null,
  policyVersion: null,
  ageMs: null,
  ttlMs: null,
  bytes: null,
  reason: null,
});
export const divergence = build<DivergenceFact>("divergence", {
  cluster: "c1",
  similarity: null,
  divergenceClass: "trivial",
  judge: null,
  judgeVersion: null,
  sampling: "random",
});
export const compaction = build<CompactionFact>("compaction", {
  form: "full",
  recipe: "summary",
  recipeVersion: "1",
  trigger: "hard",
  outcome: "applied",
  tokensBefore: 1000,
  tokensAfter: 250,
  countMethod: "provider",
  messagesBefore: null,
  messagesAfter: null,
  summaryDigest: null,
  summaryTokens: null,
  summaryBytes: null,
  checkpointFault: "none",
  durationMs: null,
  persisted: null,
  items: [],
});
export const judgment = (compactionId: string, given: Given<JudgmentFact> = {}) =>
  build<JudgmentFact>("judgment", {
    compaction: idOf("compaction", compactionId),
    score: 0.9,
    judgeKind: "llm",
    judge: "judge-a",
    judgeVersion: "1",
    factsTotal: null,
    factsPassed: null,
    lowerBound: null,
    upperBound: null,
    supersedes: null,
    facts: [],
  })(given);
export const contract = build<ContractFact>("contract", {
  contract: "answer",
  contractVersion: "1",
  subjectKind: "tool",
  subjectRef: null,
  outcome: "pass",
  code: null,
  pointer: null,
  detail: null,
});
export const waiver = (contractId: string, given: Given<WaiverFact> = {}) =>
  build<WaiverFact>("waiver", {
    violation: idOf("contract", contractId),
    author: "ann",
    reason: "known and harmless",
    expiresAtMs: null,
  })(given);
export const coverage = build<CoverageFact>("coverage", { fact: "local_cache", level: "absent", why: null });
