/**
 * The words of the house: everything a producer can say about a session, and all that the store keeps.
 *
 * Rules for every event:
 * - `null` is unknown, `0` is a measured zero. A producer never guesses.
 * - Times are milliseconds since the epoch. Token counts are disjoint unless a field says otherwise.
 * - `eventId` names one thing over the whole store. Copies of it (a forked session, a snapshot) carry the same id;
 *   the store keeps one row per source and counts exactly one of them.
 * - Free text is metadata that passes redaction at the write point. Prompts, arguments and outputs travel only as
 *   `content` events, and only when the user asked for content.
 */

/** Counts above this are no counts of anything; and millions of them can still be added up exactly. */
export const LARGEST_COUNT = 1_000_000_000_000;

/** 16 bytes; see `identity.ts`. */
export type Digest = Buffer;

export type TimeQuality = "exact" | "inherited" | "file_mtime" | "recorded";
export type LaneKind = "parent" | "subagent" | "compaction" | "self_review" | "judge" | "side";

/** What every event carries. */
export interface EventHeader {
  eventId: Digest;
  /** A name from the closed list of agents, such as `claude-code`; for agents of one's own, their own name. */
  agent: string;
  /** The agent's own id of the session: what people type. */
  session: string;
  /** `main`, the subagent's id, or the id of a sidechain's first record. */
  lane: string;
  /** Id of the prompt that began the turn; null when the record belongs to no turn. */
  turn: string | null;
  /** As observed, unchanged; null when none was recorded. */
  tenant: string | null;
  /** When it happened; null when no time is known (the store then keeps it out of every time window). */
  atMs: number | null;
  timeQuality: TimeQuality;
  /** 1-based line and byte offset in the source, for evidence; null outside files. */
  line: number | null;
  offset: number | null;
}

/** What is known about a session as a whole. Later non-null values fill earlier nulls; the title is the last one said. */
export interface SessionFact extends EventHeader {
  kind: "session";
  agentVersion: string | null;
  project: string | null;
  branch: string | null;
  title: string | null;
  /** The agent's id of the session this one was forked or spawned from. */
  parentSession: string | null;
  /** `task` for ordinary work. */
  sessionKind: string | null;
  status: string | null;
}

/** Who the requests of a lane were for. A lane nobody described is `parent` when called `main`, else `subagent`. */
export interface LaneFact extends EventHeader {
  kind: "lane";
  laneKind: LaneKind;
  agentType: string | null;
  parentLane: string | null;
  parentToolCall: string | null;
}

/** One prompt and everything until the answer. `turn` is its key, `atMs` its start. */
export interface TurnFact extends EventHeader {
  kind: "turn";
  endedAtMs: number | null;
  outcome: "answered" | "interrupted" | "failed" | null;
  branch: string | null;
  project: string | null;
  clientVersion: string | null;
}

/** Disjoint token buckets of one provider response; null is unknown. `reasoning` is part of `output`. */
export interface Usage {
  uncachedTokens: number | null;
  readTokens: number | null;
  write5mTokens: number | null;
  write1hTokens: number | null;
  /** Cache writes whose lifetime the source does not tell. */
  writeUnsplitTokens: number | null;
  outputTokens: number | null;
  reasoningTokens: number | null;
  /** True when the source reports cache counters for this request, even if they are 0. */
  cacheReported: boolean;
  /** `provisional` is a lower bound written while the answer was still streaming. */
  outputQuality: "final" | "provisional" | "missing";
  /** `contradictory` usage is kept, excluded from ratios and counted. */
  usageState: "ok" | "partial" | "contradictory";
}

/** Reasons that were said for a change of the shell between two requests of one lane. */
export type DeclaredChange = "tools" | "instructions" | "model" | "mode" | "upgrade" | "compaction" | "resume";

/** One call to a model provider. */
export interface RequestFact extends EventHeader, Usage {
  kind: "request";
  requestId: string | null;
  messageId: string | null;
  provider: string | null;
  model: string | null;
  requestedModel: string | null;
  status: "reported" | "missing" | "interrupted" | "failed";
  finishReason: string | null;
  /** Raw usage, only when it is odd; bounded to 2,000 characters. */
  rawUsage: string | null;
  contextWindowTokens: number | null;
  providerCostMicros: number | null;
  latencyMs: number | null;
  ttftMs: number | null;
  /** Digest over system and tool segments in wire order; null when the source does not hold them. */
  shellDigest: Digest | null;
  /** Order-free digest of the same segments: equal while `shellDigest` differs means reordered only. */
  shellSetDigest: Digest | null;
  paramsDigest: Digest | null;
  digestAlgorithm: string | null;
  /** Last segment of the layout as sent (see `segments`), for sources that hold it. */
  segments: Segment[] | null;
  declaredChanges: DeclaredChange[];
  /** What the agent rewrote before this request: none, gc, compaction, manual, episode, branch, model_switch. */
  rewriteKind: string | null;
  /** The provider's own reason for a missed cache, as it spells it. */
  missReason: string | null;
  missedTokens: number | null;
  estimatedTokens: number | null;
  estimateMethod: string | null;
  /** 0 = the request's own file, 1 = inline in another lane's file, 2 = reported by a progress record. */
  copyRank: 0 | 1 | 2;
}

/** One part of a request as sent, in wire order. */
export interface Segment {
  segmentKind: string;
  contentDigest: Digest;
  canonicalDigest: Digest | null;
  bytes: number;
  tokens: number | null;
  cacheable: boolean;
  breakpoint: boolean;
  ttl: string | null;
}

/** One try of a request, or an error that stands for a request that never answered. */
export interface AttemptFact extends EventHeader {
  kind: "attempt";
  /** `eventId` of the request, when the attempt led to one. */
  request: Digest | null;
  number: number | null;
  outcome: "ok" | "failed" | "aborted";
  httpStatus: number | null;
  errorClass: string | null;
  backoffMs: number | null;
  outputChars: number | null;
}

/** One execution of a tool. Use and result may be said apart: the store joins them by `eventId`. */
export interface ToolCallFact extends EventHeader {
  kind: "tool_call";
  /** The provider's id of the call. */
  callId: string | null;
  tool: string | null;
  /** True when the call itself was seen; an orphan result has false. */
  useSeen: boolean;
  /** True when its result was seen. */
  resultSeen: boolean;
  argumentsDigest: Digest | null;
  resultDigest: Digest | null;
  resultBytes: number | null;
  /** Digest of what the call touches (a canonical path, a command), for finding repeated work. */
  targetDigest: Digest | null;
  isError: boolean | null;
  durationMs: number | null;
  determinism: string | null;
}

export type CacheLayer = "response" | "tool" | "workflow" | "semantic" | "tool_output" | "resource";

/** One operation on a cache of the agent's own. The provider's prefix cache is usage, not this. */
export interface CacheFact extends EventHeader {
  kind: "cache";
  layer: CacheLayer;
  op: "hit" | "miss" | "bypass" | "store" | "evict" | "expire" | "invalidate" | "reject";
  /** True when the found entry was really used as the answer. Only a hit can be served. */
  served: boolean;
  keyDigest: Digest | null;
  /** Whose entry it was; a reader of another tenant is a leak. */
  entryTenant: string | null;
  /** Shells of the reader and of the request that wrote the entry; a hit across shells replays another context. */
  shellDigest: Digest | null;
  entryShellDigest: Digest | null;
  policyVersion: string | null;
  ageMs: number | null;
  ttlMs: number | null;
  bytes: number | null;
  reason: string | null;
}

/** A cached answer compared with a fresh one. */
export interface DivergenceFact extends EventHeader {
  kind: "divergence";
  cluster: string;
  similarity: number | null;
  divergenceClass: "trivial" | "stylistic" | "substantive" | "contradictory" | "unclassified";
  judge: string | null;
  judgeVersion: string | null;
  /** How the comparison was chosen: all, random, stratified, on_complaint; null when not said. */
  sampling: string | null;
}

export type CompactionOutcome =
  | "applied"
  | "noop_below_budget"
  | "noop_nothing_to_cut"
  | "disabled"
  | "failed"
  | "rejected_no_gain"
  | "indeterminate";

/** Replacing older context by a checkpoint. */
export interface CompactionFact extends EventHeader {
  kind: "compaction";
  /** `micro` clears single tool results in place; it is counted apart and judged by nobody. */
  form: "full" | "micro";
  recipe: string;
  recipeVersion: string | null;
  trigger: "soft" | "hard" | "manual" | "overflow" | "resume" | "auto" | "unknown";
  outcome: CompactionOutcome;
  tokensBefore: number | null;
  tokensAfter: number | null;
  /** Where the two counts come from, such as `boundary>next_request`. */
  countMethod: string | null;
  messagesBefore: number | null;
  messagesAfter: number | null;
  summaryDigest: Digest | null;
  summaryTokens: number | null;
  summaryBytes: number | null;
  /** Result of the degenerate-checkpoint test: `none`, or the fault's code; null when the text was not seen. */
  checkpointFault: string | null;
  durationMs: number | null;
  persisted: "committed" | "failed" | "unknown" | null;
  items: CompactionItem[];
}

export interface CompactionItem {
  messageId: string;
  fate: "kept" | "summarized" | "stubbed" | "archived" | "dropped";
  tokens: number | null;
}

/** How much needed meaning a compaction kept, in one judge's view. */
export interface JudgmentFact extends EventHeader {
  kind: "judgment";
  /** `eventId` of the compaction. */
  compaction: Digest;
  /** 0..1, unrounded; null when the judge could not score. */
  score: number | null;
  judgeKind: "fact" | "probe" | "llm" | "human";
  judge: string;
  judgeVersion: string | null;
  factsTotal: number | null;
  factsPassed: number | null;
  lowerBound: number | null;
  upperBound: number | null;
  /** `eventId` of an earlier judgment that this one replaces. */
  supersedes: Digest | null;
  facts: JudgedFact[];
}

export interface JudgedFact {
  factKind: string;
  digest: Digest;
  bytePosition: number | null;
  text: string | null;
  originTurn: string | null;
  originToolCall: string | null;
  state: "kept" | "restorable" | "superseded" | "ambiguous" | "not_at_risk" | "lost";
  weight: number;
  isConstraint: boolean;
}

/** Whether something returned what it had promised. */
export interface ContractFact extends EventHeader {
  kind: "contract";
  contract: string;
  contractVersion: string | null;
  subjectKind: "tool" | "subagent" | "final";
  subjectRef: string | null;
  outcome: "pass" | "violation" | "repaired" | "waived" | "unchecked";
  code: string | null;
  pointer: string | null;
  detail: string | null;
}

/** A recorded decision of a person to accept one violation for a while. */
export interface WaiverFact extends EventHeader {
  kind: "waiver";
  /** `eventId` of the violation that is accepted. */
  violation: Digest;
  author: string;
  reason: string;
  /** Exclusive; null never expires. */
  expiresAtMs: number | null;
}

/** Something reached for a resource that has an owner. */
export interface ScopeAccessFact extends EventHeader {
  kind: "scope_access";
  resourceKind: string;
  resourceRef: string;
  resourceTenant: string | null;
  access: "read" | "write";
  decision: "allowed" | "denied";
}

export interface MemoryFact extends EventHeader {
  kind: "memory";
  queryDigest: Digest | null;
  candidates: number | null;
  injected: number | null;
  resources: string[];
}

export interface BudgetFact extends EventHeader {
  kind: "budget";
  budget: string;
  limit: number | null;
  used: number | null;
  exhausted: boolean;
}

/** An oddity worth counting: an unknown record type, a clock that ran back, a repaired value. */
export interface NoteFact extends EventHeader {
  kind: "note";
  note: string;
  name: string | null;
  count: number;
  detail: string | null;
}

/** Kinds of fact whose absence must be told apart from "cannot be seen". */
export type CoveredFact =
  | "usage"
  | "cache_counters"
  | "final_output"
  | "start_time"
  | "shell_digests"
  | "shell_deltas"
  | "miss_reasons"
  | "local_cache"
  | "divergences"
  | "tool_calls"
  | "contracts"
  | "compactions"
  | "checkpoint_text"
  | "tenant"
  | "subagents";

/** What a source can tell about a session. A kind nobody spoke of is full. */
export interface CoverageFact extends EventHeader {
  kind: "coverage";
  fact: CoveredFact;
  level: "full" | "partial" | "absent";
  /** Why it is not full and what would make it so, such as "Claude Code 2.1.92 and later record it". */
  why: string | null;
}

/** Text that the user asked to keep, named by the digest that other events carry. */
export interface ContentFact extends EventHeader {
  kind: "content";
  digest: Digest;
  text: string;
}

export type SessionEvent =
  | SessionFact
  | LaneFact
  | TurnFact
  | RequestFact
  | AttemptFact
  | ToolCallFact
  | CacheFact
  | DivergenceFact
  | CompactionFact
  | JudgmentFact
  | ContractFact
  | WaiverFact
  | ScopeAccessFact
  | MemoryFact
  | BudgetFact
  | NoteFact
  | CoverageFact
  | ContentFact;

export type EventKind = SessionEvent["kind"];
