import * as v from "valibot";
import { LARGEST_COUNT } from "../../events/event.js";

/**
 * The words of the event door: one JSON object (or YAML map) per event, in the vocabulary of `SessionEvent`.
 *
 * Differences from the inner type, all for the writer's comfort: `at` takes ISO text or milliseconds; `id` is any text
 * that names the event within its session and kind; a digest is 32 hex digits or any other text (which is digested);
 * references (`compaction`, `violation`, `supersedes`, `request`) are such an `id`, or an event id as hex.
 * What is left out is unknown. An unknown field is refused, because it is most likely a slip.
 */
export const DOOR_VERSION = 1;

const text = v.pipe(v.string(), v.nonEmpty("must not be empty"));
const count = v.pipe(
  v.number("must be a whole number"),
  v.safeInteger("must be a whole number"),
  v.minValue(0, "must not be negative"),
  v.maxValue(LARGEST_COUNT, `must not be above ${LARGEST_COUNT}`),
);
const share = v.pipe(
  v.number("must be a number from 0 to 1"),
  v.minValue(0, "must be a number from 0 to 1"),
  v.maxValue(1, "must be a number from 0 to 1"),
);
const time = v.union(
  [
    v.pipe(v.number(), v.safeInteger()),
    v.pipe(v.string(), v.isoTimestamp("must be a time such as 2026-08-01T12:00:00Z")),
  ],
  "must be a time such as 2026-08-01T12:00:00Z, or milliseconds since the epoch",
);
const maybe = <T extends v.GenericSchema>(schema: T) => v.optional(v.nullable(schema), null);
const flag = (otherwise: boolean) => v.optional(v.boolean(), otherwise);
const oneOf = <const T extends string[]>(...words: T) => v.picklist(words, `must be one of ${words.join(", ")}`);

const header = {
  v: v.optional(v.literal(DOOR_VERSION, `this sonny reads version ${DOOR_VERSION}`)),
  id: v.optional(text),
  eventId: v.optional(v.pipe(v.string(), v.regex(/^[0-9a-f]{32}$/i, "must be 32 hex digits"))),
  session: text,
  agent: v.optional(text),
  lane: v.optional(text, "main"),
  turn: maybe(text),
  tenant: maybe(v.string()),
  at: maybe(time),
  line: maybe(count),
};
const event = <K extends string, T extends v.ObjectEntries>(kind: K, fields: T) =>
  v.strictObject({ kind: v.literal(kind), ...header, ...fields });

const segment = v.strictObject({
  segmentKind: text,
  contentDigest: text,
  canonicalDigest: maybe(text),
  bytes: count,
  tokens: maybe(count),
  cacheable: flag(true),
  breakpoint: flag(false),
  ttl: maybe(text),
});

const judgedFact = v.strictObject({
  factKind: text,
  digest: text,
  bytePosition: maybe(count),
  text: maybe(v.string()),
  originTurn: maybe(text),
  originToolCall: maybe(text),
  state: oneOf("kept", "restorable", "superseded", "ambiguous", "not_at_risk", "lost"),
  weight: v.optional(v.pipe(v.number(), v.finite(), v.minValue(0)), 1),
  isConstraint: flag(false),
});

const COVERED = [
  "usage",
  "cache_counters",
  "final_output",
  "start_time",
  "shell_digests",
  "shell_deltas",
  "miss_reasons",
  "local_cache",
  "divergences",
  "tool_calls",
  "contracts",
  "compactions",
  "checkpoint_text",
  "tenant",
  "subagents",
] as const;

export const doorEvent = v.variant("kind", [
  event("session", {
    agentVersion: maybe(text),
    project: maybe(v.string()),
    branch: maybe(v.string()),
    title: maybe(v.string()),
    parentSession: maybe(text),
    sessionKind: maybe(text),
    status: maybe(text),
  }),
  event("lane", {
    laneKind: oneOf("parent", "subagent", "compaction", "self_review", "judge", "side"),
    agentType: maybe(text),
    parentLane: maybe(text),
    parentToolCall: maybe(text),
  }),
  event("turn", {
    endedAt: maybe(time),
    outcome: maybe(oneOf("answered", "interrupted", "failed")),
    branch: maybe(v.string()),
    project: maybe(v.string()),
    clientVersion: maybe(text),
  }),
  event("request", {
    requestId: maybe(text),
    messageId: maybe(text),
    provider: maybe(text),
    model: maybe(text),
    requestedModel: maybe(text),
    status: v.optional(oneOf("reported", "missing", "interrupted", "failed"), "reported"),
    finishReason: maybe(text),
    uncachedTokens: maybe(count),
    readTokens: maybe(count),
    write5mTokens: maybe(count),
    write1hTokens: maybe(count),
    writeUnsplitTokens: maybe(count),
    outputTokens: maybe(count),
    reasoningTokens: maybe(count),
    cacheReported: v.optional(v.boolean()),
    outputQuality: v.optional(oneOf("final", "provisional", "missing")),
    contextWindowTokens: maybe(count),
    providerCostMicros: maybe(count),
    latencyMs: maybe(count),
    ttftMs: maybe(count),
    shellDigest: maybe(text),
    shellSetDigest: maybe(text),
    paramsDigest: maybe(text),
    digestAlgorithm: maybe(text),
    segments: maybe(v.array(segment)),
    declaredChanges: v.optional(
      v.array(oneOf("tools", "instructions", "model", "mode", "upgrade", "compaction", "resume")),
      [],
    ),
    rewriteKind: maybe(text),
    missReason: maybe(text),
    missedTokens: maybe(count),
  }),
  event("attempt", {
    request: maybe(text),
    number: maybe(count),
    outcome: oneOf("ok", "failed", "aborted"),
    httpStatus: maybe(count),
    errorClass: maybe(text),
    backoffMs: maybe(count),
    outputChars: maybe(count),
  }),
  event("tool_call", {
    callId: maybe(text),
    tool: maybe(text),
    useSeen: flag(true),
    resultSeen: flag(true),
    argumentsDigest: maybe(text),
    resultDigest: maybe(text),
    resultBytes: maybe(count),
    targetDigest: maybe(text),
    isError: maybe(v.boolean()),
    durationMs: maybe(count),
    determinism: maybe(text),
  }),
  event("cache", {
    layer: oneOf("response", "tool", "workflow", "semantic", "tool_output", "resource"),
    op: oneOf("hit", "miss", "bypass", "store", "evict", "expire", "invalidate", "reject"),
    served: v.optional(v.boolean()),
    keyDigest: maybe(text),
    entryTenant: maybe(v.string()),
    shellDigest: maybe(text),
    entryShellDigest: maybe(text),
    policyVersion: maybe(text),
    ageMs: maybe(count),
    ttlMs: maybe(count),
    bytes: maybe(count),
    reason: maybe(text),
  }),
  event("divergence", {
    cluster: text,
    similarity: maybe(v.pipe(v.number(), v.finite())),
    divergenceClass: oneOf("trivial", "stylistic", "substantive", "contradictory", "unclassified"),
    judge: maybe(text),
    judgeVersion: maybe(text),
    sampling: maybe(oneOf("all", "random", "stratified", "on_complaint")),
  }),
  event("compaction", {
    form: v.optional(oneOf("full", "micro"), "full"),
    recipe: text,
    recipeVersion: maybe(text),
    trigger: v.optional(oneOf("soft", "hard", "manual", "overflow", "resume", "auto", "unknown"), "unknown"),
    outcome: v.optional(
      oneOf(
        "applied",
        "noop_below_budget",
        "noop_nothing_to_cut",
        "disabled",
        "failed",
        "rejected_no_gain",
        "indeterminate",
      ),
      "applied",
    ),
    tokensBefore: maybe(count),
    tokensAfter: maybe(count),
    countMethod: maybe(text),
    messagesBefore: maybe(count),
    messagesAfter: maybe(count),
    summaryDigest: maybe(text),
    summaryTokens: maybe(count),
    summaryBytes: maybe(count),
    checkpointFault: maybe(text),
    durationMs: maybe(count),
    persisted: maybe(oneOf("committed", "failed", "unknown")),
    items: v.optional(
      v.array(
        v.strictObject({
          messageId: text,
          fate: oneOf("kept", "summarized", "stubbed", "archived", "dropped"),
          tokens: maybe(count),
        }),
      ),
      [],
    ),
  }),
  event("judgment", {
    compaction: text,
    score: maybe(share),
    judgeKind: oneOf("fact", "probe", "llm", "human"),
    judge: text,
    judgeVersion: maybe(text),
    factsTotal: maybe(count),
    factsPassed: maybe(count),
    lowerBound: maybe(share),
    upperBound: maybe(share),
    supersedes: maybe(text),
    facts: v.optional(v.array(judgedFact), []),
  }),
  event("contract", {
    contract: text,
    contractVersion: maybe(text),
    subjectKind: oneOf("tool", "subagent", "final"),
    subjectRef: maybe(text),
    outcome: oneOf("pass", "violation", "repaired", "waived", "unchecked"),
    code: maybe(text),
    pointer: maybe(v.string()),
    detail: maybe(v.string()),
  }),
  event("waiver", { violation: text, author: text, reason: text, expiresAt: maybe(time) }),
  event("scope_access", {
    resourceKind: text,
    resourceRef: text,
    resourceTenant: maybe(v.string()),
    access: oneOf("read", "write"),
    decision: oneOf("allowed", "denied"),
  }),
  event("memory", {
    queryDigest: maybe(text),
    candidates: maybe(count),
    injected: maybe(count),
    resources: v.optional(v.array(text), []),
  }),
  event("budget", {
    budget: text,
    limit: maybe(v.pipe(v.number(), v.finite())),
    used: maybe(v.pipe(v.number(), v.finite())),
    exhausted: flag(false),
  }),
  event("note", { note: text, name: maybe(text), count: v.optional(count, 1), detail: maybe(v.string()) }),
  event("coverage", {
    fact: oneOf(...COVERED),
    level: oneOf("full", "partial", "absent"),
    why: maybe(v.string()),
  }),
]);

export type DoorEvent = v.InferOutput<typeof doorEvent>;
