import type { AttemptFact, DeclaredChange, RequestFact, SessionEvent } from "../../events/event.js";
import { digestOf, eventIdOf, hexOf } from "../../events/identity.js";
import type { Tally } from "../importer.js";
import { object } from "../json.js";
import { compactionBefore } from "./compactions.js";
import { sawRequest } from "./coverage.js";
import { AGENT, headed, headerOf, identityOf, type Place } from "./place.js";
import type { AssistantRecord, FallbackRecord, RetryRecord } from "./records.js";
import type { LaneState, OpenRequest } from "./state.js";
import { contextOf, usageOf } from "./usage.js";

/**
 * A response is written as one line per content block, each with the usage so far. Lines of one response are folded
 * into one request: the fullest usage wins, the first line says when and where.
 */
export function requestEvents(place: Place, record: AssistantRecord, tally: Tally): SessionEvent[] {
  const { lane } = place;
  const line = lineOf(place, record, tally);
  if (lane.request?.key === line.key) {
    tally.repeated += 1;
    lane.request = folded(lane.request, line);
    return [];
  }
  const events = closedRequest(place);
  lane.request = {
    ...line,
    declaredChanges: changesBefore(lane, record),
    rewriteKind: lane.rewritten,
    requestedModel: line.requestedModel ?? lane.requestedModel,
  };
  const promptTokens = contextOf(line);
  events.push(...compactionBefore(lane, promptTokens), ...triesOf(place, record));
  lane.contextTokens = promptTokens;
  lane.changes = [];
  lane.rewritten = null;
  lane.requestedModel = null;
  lane.requests += 1;
  lane.model = record.model ?? lane.model;
  lane.version = record.version ?? lane.version;
  return events;
}

/** The newest request of a lane, when another one begins. */
function closedRequest({ file, lane }: Place): SessionEvent[] {
  const { request } = lane;
  if (request === null) return [];
  const session = file.sessions.get(request.session);
  if (session !== undefined) sawRequest(session.seen, request);
  lane.request = null;
  return [requestOf(request)];
}

/** The request as an event. */
export function requestOf({ key, lastCall: _, diagnosed: __, ...request }: OpenRequest): RequestFact {
  return { eventId: eventIdOf("request", "anthropic", key), ...request };
}

function lineOf(place: Place, record: AssistantRecord, tally: Tally): OpenRequest {
  return {
    kind: "request",
    ...headerOf(place, record),
    key: keyOf(place, record, tally),
    lastCall: record.toolUses.at(-1)?.id ?? null,
    diagnosed: record.diagnosed,
    requestId: record.requestId,
    messageId: record.messageId,
    provider: record.model?.includes("claude") ? "anthropic" : null,
    model: record.model,
    requestedModel: requestedIn(record.usage),
    status: record.usage === null ? "missing" : "reported",
    finishReason: record.stopReason,
    ...usageOf(record.usage, record.stopReason),
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
    missReason: record.missReason,
    missedTokens: record.missedTokens,
    estimatedTokens: null,
    estimateMethod: null,
    copyRank: place.rank,
  };
}

/**
 * `message.id` names the response, also in copies that lost the request id. Without both the record stands for itself:
 * by its uuid, else by its bytes and their position among equal ones.
 */
function keyOf(place: Place, record: AssistantRecord, tally: Tally): string {
  const key = record.messageId ?? record.requestId;
  if (key !== null) return key;
  tally.withoutKey += 1;
  const uuid = identityOf(record);
  if (uuid !== null) return uuid;
  const digest = hexOf(digestOf(place.bytes));
  const nth = (place.file.keyless.get(digest) ?? 0) + 1;
  place.file.keyless.set(digest, nth);
  return `${place.session.id}/${digest}/${nth}`;
}

const QUALITY = { final: 2, provisional: 1, missing: 0 };

function folded(held: OpenRequest, line: OpenRequest): OpenRequest {
  const gain =
    QUALITY[line.outputQuality] - QUALITY[held.outputQuality] || (line.outputTokens ?? -1) - (held.outputTokens ?? -1);
  const fuller = gain > 0 ? line : held;
  return {
    ...fuller,
    line: held.line,
    offset: held.offset,
    atMs: held.atMs,
    timeQuality: held.timeQuality,
    turn: held.turn,
    requestId: held.requestId ?? line.requestId,
    finishReason: fuller.finishReason ?? line.finishReason ?? held.finishReason,
    requestedModel: held.requestedModel ?? line.requestedModel,
    declaredChanges: held.declaredChanges,
    rewriteKind: held.rewriteKind,
    missReason: held.missReason ?? line.missReason,
    missedTokens: held.missedTokens ?? line.missedTokens,
    lastCall: line.lastCall ?? held.lastCall,
  };
}

/** What was said to have changed since the lane's previous request, or can be seen from the records of both. */
function changesBefore(lane: LaneState, record: AssistantRecord): DeclaredChange[] {
  const changes = new Set(lane.changes);
  const differ = (before: string | null, now: string | null) => before !== null && now !== null && before !== now;
  if (differ(lane.model, record.model)) changes.add("model");
  if (differ(lane.version, record.version)) changes.add("upgrade");
  return [...changes].sort();
}

/** When a model refused and another one answered, the response holds both tries. */
function triesOf(place: Place, record: AssistantRecord): AttemptFact[] {
  const tries = triesIn(record.usage);
  if (tries.length < 2 || requestedIn(record.usage) === null || place.lane.request === null) return [];
  const request = eventIdOf("request", "anthropic", place.lane.request.key);
  return tries.map((_, index) => ({
    kind: "attempt",
    ...headed(place, record, eventIdOf("attempt", AGENT, place.lane.request!.key, index + 1)),
    request,
    number: index + 1,
    outcome: index === tries.length - 1 ? "ok" : "failed",
    httpStatus: null,
    errorClass: index === tries.length - 1 ? null : "model_fallback",
    backoffMs: null,
    outputChars: null,
  }));
}

function triesIn(usage: Record<string, unknown> | null): Record<string, unknown>[] {
  return Array.isArray(usage?.iterations) ? usage.iterations.map(object).filter((entry) => entry !== null) : [];
}

/** The model that was asked first, when the response tells that another one answered. */
function requestedIn(usage: Record<string, unknown> | null): string | null {
  const models = triesIn(usage).map((entry) => entry.model);
  const [first] = models;
  return typeof first === "string" && models.some((model) => model !== first) ? first : null;
}

/** A reply of the client's own: a failure, or the note that nothing was asked for. Not a request. */
export function syntheticEvents(place: Place, record: AssistantRecord): AttemptFact[] {
  const { failure } = record;
  return [
    attemptOf(place, record, {
      outcome: failure === null ? "aborted" : "failed",
      httpStatus: failure?.status ?? null,
      errorClass: failure?.errorClass ?? "no_response_requested",
    }),
  ];
}

/** A try that failed and was repeated. */
export function retryEvents(place: Place, record: RetryRecord): AttemptFact[] {
  return [
    attemptOf(place, record, {
      number: record.number,
      outcome: "failed",
      httpStatus: record.failure.status,
      errorClass: record.failure.errorClass,
      backoffMs: record.backoffMs,
    }),
  ];
}

/** The next request, or the one being written, was asked of another model. */
export function fallback({ lane }: Place, record: FallbackRecord): SessionEvent[] {
  if (lane.request !== null && record.requestId !== null && lane.request.requestId === record.requestId) {
    lane.request.requestedModel ??= record.requestedModel;
  } else {
    lane.requestedModel = record.requestedModel;
  }
  return [];
}

function attemptOf(place: Place, record: AssistantRecord | RetryRecord, told: Partial<AttemptFact>): AttemptFact {
  const key = identityOf(record) ?? `${place.session.id}/${hexOf(digestOf(place.bytes))}`;
  return {
    kind: "attempt",
    ...headed(place, record, eventIdOf("attempt", AGENT, key)),
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
