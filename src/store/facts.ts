import type { Insertable } from "kysely";
import { type Digest, type EventKind, LARGEST_COUNT, type SessionEvent } from "../events/event.js";
import { cleanName, cleanText } from "./clean.js";
import type { Frame } from "./frame.js";
import type { Tables } from "./schema.js";

/** Columns that every table of facts has. */
type HeaderColumn =
  | "id"
  | "event_id"
  | "source"
  | "batch"
  | "session"
  | "lane"
  | "turn"
  | "tenant"
  | "at_ms"
  | "time_quality"
  | "source_line"
  | "source_offset"
  | "counted";

/** Kinds of event that are one row in a table of their own, with the common header. */
export const factTables = {
  request: "requests",
  attempt: "attempts",
  tool_call: "tool_calls",
  cache: "cache_events",
  divergence: "divergences",
  compaction: "compactions",
  judgment: "judgments",
  contract: "contract_checks",
  waiver: "waivers",
  scope_access: "scope_accesses",
  memory: "memory_events",
  budget: "budget_events",
} as const satisfies Partial<Record<EventKind, keyof Tables>>;

export type FactKind = keyof typeof factTables;
export type FactTable = (typeof factTables)[FactKind];
export type Fact = Extract<SessionEvent, { kind: FactKind }>;

export type Value = string | number | Buffer | null;
type Columns<K extends FactKind> = Omit<Insertable<Tables[(typeof factTables)[K]]>, HeaderColumn>;
type Rows = {
  [K in FactKind]: (
    event: Extract<SessionEvent, { kind: K }>,
    frame: Frame,
    tenant: number | null,
  ) => Required<Columns<K>>;
};

/** What each kind of event becomes beside the header. Every column is named; the order is the order of the statement. */
export const factRows: Rows = {
  request: (event, frame, tenant) => ({
    request_id: name(event.requestId),
    message_id: name(event.messageId),
    provider: frame.word(event.provider),
    model: frame.word(event.model),
    requested_model: frame.word(event.requestedModel),
    status: event.status,
    finish_reason: frame.word(event.finishReason),
    uncached_tokens: whole(event.uncachedTokens, "uncachedTokens"),
    read_tokens: whole(event.readTokens, "readTokens"),
    write_5m_tokens: whole(event.write5mTokens, "write5mTokens"),
    write_1h_tokens: whole(event.write1hTokens, "write1hTokens"),
    write_unsplit_tokens: whole(event.writeUnsplitTokens, "writeUnsplitTokens"),
    output_tokens: whole(event.outputTokens, "outputTokens"),
    reasoning_tokens: whole(event.reasoningTokens, "reasoningTokens"),
    cache_reported: flag(event.cacheReported),
    output_quality: event.outputQuality,
    usage_state: event.usageState,
    raw_usage: text(event.rawUsage)?.slice(0, 2000) ?? null,
    context_window_tokens: whole(event.contextWindowTokens, "contextWindowTokens"),
    provider_cost_micros: whole(event.providerCostMicros, "providerCostMicros"),
    latency_ms: whole(event.latencyMs, "latencyMs"),
    ttft_ms: whole(event.ttftMs, "ttftMs"),
    tip: frame.tip(event.segments, tenant),
    shell_digest: frame.digest(event.shellDigest),
    shell_set_digest: frame.digest(event.shellSetDigest),
    params_digest: frame.digest(event.paramsDigest),
    digest_algorithm: frame.word(event.digestAlgorithm),
    declared_change: event.declaredChanges.length === 0 ? null : frame.word(list(event.declaredChanges)),
    rewrite_kind: frame.word(event.rewriteKind),
    miss_reason: frame.word(event.missReason),
    missed_tokens: whole(event.missedTokens, "missedTokens"),
    estimated_tokens: whole(event.estimatedTokens, "estimatedTokens"),
    estimate_method: frame.word(event.estimateMethod),
    copy_rank: event.copyRank,
  }),

  attempt: (event, frame) => ({
    request: event.request,
    number: whole(event.number, "number"),
    outcome: event.outcome,
    http_status: whole(event.httpStatus, "httpStatus"),
    error_class: frame.word(event.errorClass),
    backoff_ms: whole(event.backoffMs, "backoffMs"),
    output_chars: whole(event.outputChars, "outputChars"),
  }),

  tool_call: (event, frame) => ({
    call_id: name(event.callId),
    tool: frame.word(event.tool),
    use_seen: flag(event.useSeen),
    result_seen: flag(event.resultSeen),
    arguments_digest: event.argumentsDigest,
    result_digest: event.resultDigest,
    result_bytes: whole(event.resultBytes, "resultBytes"),
    target_digest: event.targetDigest,
    is_error: event.isError === null ? null : flag(event.isError),
    duration_ms: whole(event.durationMs, "durationMs"),
    determinism: frame.word(event.determinism),
  }),

  cache: (event, frame) => ({
    layer: event.layer,
    op: event.op,
    served: flag(event.served),
    key_digest: event.keyDigest,
    entry_tenant: frame.word(event.entryTenant),
    shell_digest: frame.digest(event.shellDigest),
    entry_shell_digest: frame.digest(event.entryShellDigest),
    policy_version: frame.word(event.policyVersion),
    age_ms: whole(event.ageMs, "ageMs"),
    ttl_ms: whole(event.ttlMs, "ttlMs"),
    bytes: whole(event.bytes, "bytes"),
    reason: frame.word(event.reason),
  }),

  divergence: (event, frame) => ({
    cluster: frame.word(event.cluster)!,
    similarity: real(event.similarity, "similarity"),
    class: event.divergenceClass,
    judge: frame.word(event.judge),
    judge_version: frame.word(event.judgeVersion),
    sampling: frame.word(event.sampling),
  }),

  compaction: (event, frame) => ({
    form: event.form,
    recipe: frame.word(event.recipe)!,
    recipe_version: frame.word(event.recipeVersion),
    trigger: event.trigger,
    outcome: event.outcome,
    tokens_before: whole(event.tokensBefore, "tokensBefore"),
    tokens_after: whole(event.tokensAfter, "tokensAfter"),
    count_method: frame.word(event.countMethod),
    messages_before: whole(event.messagesBefore, "messagesBefore"),
    messages_after: whole(event.messagesAfter, "messagesAfter"),
    summary_digest: event.summaryDigest,
    summary_tokens: whole(event.summaryTokens, "summaryTokens"),
    summary_bytes: whole(event.summaryBytes, "summaryBytes"),
    checkpoint_fault: frame.word(event.checkpointFault),
    duration_ms: whole(event.durationMs, "durationMs"),
    persisted: event.persisted,
  }),

  judgment: (event, frame) => ({
    compaction: event.compaction,
    score: real(event.score, "score"),
    judge_kind: event.judgeKind,
    judge: frame.word(event.judge)!,
    judge_version: frame.word(event.judgeVersion),
    facts_total: whole(event.factsTotal, "factsTotal"),
    facts_passed: whole(event.factsPassed, "factsPassed"),
    lower_bound: real(event.lowerBound, "lowerBound"),
    upper_bound: real(event.upperBound, "upperBound"),
    supersedes: event.supersedes,
  }),

  contract: (event, frame) => ({
    contract: frame.word(event.contract)!,
    contract_version: frame.word(event.contractVersion),
    subject_kind: event.subjectKind,
    subject_ref: text(event.subjectRef),
    outcome: event.outcome,
    code: frame.word(event.code),
    pointer: text(event.pointer),
    detail: text(event.detail),
  }),

  waiver: (event) => ({
    violation: event.violation,
    author: cleanText(event.author),
    reason: cleanText(event.reason),
    expires_at_ms: moment(event.expiresAtMs, "expiresAtMs"),
  }),

  scope_access: (event, frame) => ({
    resource_kind: frame.word(event.resourceKind)!,
    resource_ref: cleanText(event.resourceRef),
    resource_tenant: frame.word(event.resourceTenant),
    access: event.access,
    decision: event.decision,
  }),

  memory: (event) => ({
    query_digest: event.queryDigest,
    candidates: whole(event.candidates, "candidates"),
    injected: whole(event.injected, "injected"),
    resources: JSON.stringify(event.resources.map(cleanText)),
  }),

  budget: (event, frame) => ({
    budget: frame.word(event.budget)!,
    limit_value: real(event.limit, "limit"),
    used_value: real(event.used, "used"),
    exhausted: flag(event.exhausted),
  }),
};

/** A value that no column can hold as it is; the message names the field. */
export class Unkeepable extends Error {}

export const text = (value: string | null): string | null => (value === null ? null : cleanText(value));
export const name = (value: string | null): string | null => (value === null ? null : cleanName(value));

/** A count: a whole number from 0 up to what a double holds exactly. */
export function whole(value: number | null, field: string): number | null {
  // Between two odd clocks lie more milliseconds than there can be tokens.
  const largest = field.endsWith("Ms") ? Number.MAX_SAFE_INTEGER : LARGEST_COUNT;
  if (value === null || (Number.isSafeInteger(value) && value >= 0 && value <= largest)) return value;
  throw new Unkeepable(`${field} is ${value}, not a whole number from 0 to ${largest}`);
}

/** A time in whole milliseconds since the epoch. */
export function moment(value: number | null, field: string): number | null {
  if (value === null || Number.isSafeInteger(value)) return value;
  throw new Unkeepable(`${field} is ${value}, not whole milliseconds`);
}

function real(value: number | null, field: string): number | null {
  if (value === null || Number.isFinite(value)) return value;
  throw new Unkeepable(`${field} is ${value}, not a finite number`);
}

function flag(value: boolean): number {
  return value ? 1 : 0;
}

/** Each once, in one order. */
function list(values: readonly string[]): string {
  return [...new Set(values)].sort().join(",");
}

/** Rows that hang on a fact's row. */
export interface Parts {
  items?: { message_id: string; fate: string; tokens: number | null }[];
  facts?: Omit<Insertable<Tables["facts"]>, "id" | "judgment">[];
}

export function partsOf(event: Fact, frame: Frame): Parts | null {
  if (event.kind === "compaction") {
    return {
      items: event.items.map(({ messageId, fate, tokens }) => ({
        message_id: cleanName(messageId),
        fate,
        tokens: whole(tokens, "items.tokens"),
      })),
    };
  }
  if (event.kind === "judgment") {
    return {
      facts: event.facts.map((fact) => ({
        kind: frame.word(fact.factKind)!,
        digest: fact.digest as Digest,
        byte_position: whole(fact.bytePosition, "facts.bytePosition"),
        text: text(fact.text),
        origin_turn: name(fact.originTurn),
        origin_tool_call: name(fact.originToolCall),
        state: fact.state,
        weight: real(fact.weight, "facts.weight")!,
        is_constraint: flag(fact.isConstraint),
      })),
    };
  }
  return null;
}
