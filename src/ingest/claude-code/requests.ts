import type { AttemptFact, DeclaredChange, Digest, RequestFact } from "../../events/event.js";
import { digestOf, eventIdOf, hexOf } from "../../events/identity.js";
import type { Tally } from "../importer.js";
import { object, text } from "../json.js";
import { compactionEnds } from "./compactions.js";
import { sawRequest } from "./coverage.js";
import { AGENT, headed, headerOf, identityOf, type Place } from "./place.js";
import type { AssistantRecord, FallbackRecord, RetryRecord } from "./records.js";
import type { OpenRequest } from "./state.js";
import { contextOf, usageOf } from "./usage.js";

/**
 * A response is written as one line per content block, each with the usage so far. Lines of one response are folded
 * into one request: the fullest usage wins, the first line says when and where.
 */
export function sayRequest(place: Place, record: AssistantRecord, tally: Tally): void {
  const { lane } = place;
  const key = keyOf(place, record, tally);
  if (lane.request?.key === key) {
    tally.repeated += 1;
    fold(lane.request, record);
    return;
  }
  closeRequest(place);
  lane.request = opened(place, record, key);
  const promptTokens = contextOf(lane.request.fact);
  compactionEnds(place, promptTokens);
  sayTries(place, record, key);
  lane.contextTokens = promptTokens;
  lane.changes = [];
  lane.rewritten = null;
  lane.requestedModel = null;
  lane.requests += 1;
  lane.model = record.model ?? lane.model;
  lane.version = place.frame.version ?? lane.version;
}

/** The newest request of a lane ends when another one begins. */
function closeRequest({ file, lane, say }: Place): void {
  const { request } = lane;
  if (request === null) return;
  const session = file.sessions.get(request.fact.session);
  if (session !== undefined) sawRequest(session.seen, request);
  lane.request = null;
  say(requestOf(request));
}

/** The request as an event. */
export function requestOf({ key, fact }: OpenRequest): RequestFact {
  return { eventId: eventIdOf("request", "anthropic", key), ...fact };
}

function opened(place: Place, record: AssistantRecord, key: string): OpenRequest {
  const { lane } = place;
  const usage = usageOf(record.usage, record.stopReason);
  const fact: OpenRequest["fact"] = {
    kind: "request",
    ...headerOf(place),
    requestId: record.requestId,
    messageId: record.messageId,
    provider: record.model?.includes("claude") ? "anthropic" : null,
    model: record.model,
    requestedModel: requestedIn(record.usage) ?? lane.requestedModel,
    status: record.usage === null ? "missing" : "reported",
    finishReason: record.stopReason,
    ...usage,
    contextWindowTokens: null,
    providerCostMicros: null,
    latencyMs: null,
    ttftMs: null,
    shellDigest: null,
    shellSetDigest: null,
    paramsDigest: null,
    digestAlgorithm: null,
    segments: null,
    declaredChanges: changesBefore(place, record),
    rewriteKind: lane.rewritten,
    missReason: record.missReason,
    missedTokens: record.missedTokens,
    estimatedTokens: null,
    estimateMethod: null,
    copyRank: place.rank,
  };
  return { key, lastCall: record.toolUses.at(-1)?.id ?? null, diagnosed: record.diagnosed, fact };
}

const QUALITY = { final: 2, provisional: 1, missing: 0 };

/** One more line of the response: fuller usage replaces the usage, what was unknown is filled in. */
function fold(request: OpenRequest, record: AssistantRecord): void {
  const { fact } = request;
  const usage = usageOf(record.usage, record.stopReason);
  const gain =
    QUALITY[usage.outputQuality] - QUALITY[fact.outputQuality] ||
    (usage.outputTokens ?? -1) - (fact.outputTokens ?? -1);
  if (gain > 0) {
    Object.assign(fact, usage);
    fact.status = "reported";
    fact.finishReason = record.stopReason ?? fact.finishReason;
  }
  fact.finishReason ??= record.stopReason;
  fact.requestId ??= record.requestId;
  fact.requestedModel ??= requestedIn(record.usage);
  fact.missReason ??= record.missReason;
  fact.missedTokens ??= record.missedTokens;
  request.lastCall = record.toolUses.at(-1)?.id ?? request.lastCall;
}

/**
 * `message.id` names the response, also in copies that lost the request id. Without both the record stands for itself:
 * by its uuid, else by its bytes and their position among equal ones.
 */
function keyOf(place: Place, record: AssistantRecord, tally: Tally): string {
  const key = record.messageId ?? record.requestId;
  if (key !== null) return key;
  tally.withoutKey += 1;
  const uuid = identityOf(place);
  if (uuid !== null) return uuid;
  const digest = hexOf(digestOf(place.bytes));
  const nth = (place.file.keyless.get(digest) ?? 0) + 1;
  place.file.keyless.set(digest, nth);
  return `${place.session.id}/${digest}/${nth}`;
}

/** What was said to have changed since the lane's previous request, or can be seen from the records of both. */
function changesBefore({ frame, lane }: Place, record: AssistantRecord): DeclaredChange[] {
  if (lane.requests === 0 && lane.changes.length === 0) return [];
  const changes = new Set(lane.changes);
  const differ = (before: string | null, now: string | null) => before !== null && now !== null && before !== now;
  if (differ(lane.model, record.model)) changes.add("model");
  if (differ(lane.version, frame.version)) changes.add("upgrade");
  return [...changes].sort();
}

/** When a model refused and another one answered, the response holds both tries. */
function sayTries(place: Place, record: AssistantRecord, key: string): void {
  if (requestedIn(record.usage) === null) return;
  const tries = triesIn(record.usage).length;
  for (let number = 1; number <= tries; number += 1) {
    const answered = number === tries;
    place.say({
      ...attemptOf(place, eventIdOf("attempt", AGENT, key, number)),
      request: eventIdOf("request", "anthropic", key),
      number,
      outcome: answered ? "ok" : "failed",
      errorClass: answered ? null : "model_fallback",
    });
  }
}

function triesIn(usage: Record<string, unknown> | null): Record<string, unknown>[] {
  const tries = usage?.iterations;
  return Array.isArray(tries) && tries.length > 1 ? tries.map(object).filter((entry) => entry !== null) : [];
}

/** The model that was asked first, when the response tells that another one answered. */
function requestedIn(usage: Record<string, unknown> | null): string | null {
  const models = triesIn(usage).map((entry) => text(entry.model));
  const first = models[0] ?? null;
  return models.some((model) => model !== first) ? first : null;
}

/** A reply of the client's own: a failure, or the note that nothing was asked for. Not a request. */
export function saySynthetic(place: Place, { failure }: AssistantRecord): void {
  place.say({
    ...attemptOf(place, ownId(place)),
    outcome: failure === null ? "aborted" : "failed",
    httpStatus: failure?.status ?? null,
    errorClass: failure?.errorClass ?? "no_response_requested",
  });
}

/** A try that failed and was repeated. */
export function sayRetry(place: Place, { number, backoffMs, failure }: RetryRecord): void {
  place.say({
    ...attemptOf(place, ownId(place)),
    number,
    httpStatus: failure.status,
    errorClass: failure.errorClass,
    backoffMs,
  });
}

/** The next request, or the one being written, was asked of another model. */
export function fallback({ lane }: Place, { requestId, requestedModel }: FallbackRecord): void {
  if (requestId !== null && lane.request?.fact.requestId === requestId) {
    lane.request.fact.requestedModel ??= requestedModel;
  } else {
    lane.requestedModel = requestedModel;
  }
}

function ownId(place: Place): Digest {
  const key = identityOf(place) ?? `${place.session.id}/${hexOf(digestOf(place.bytes))}`;
  return eventIdOf("attempt", AGENT, key);
}

function attemptOf(place: Place, eventId: Digest): AttemptFact {
  return {
    kind: "attempt",
    ...headed(place, eventId),
    request: null,
    number: null,
    outcome: "failed",
    httpStatus: null,
    errorClass: null,
    backoffMs: null,
    outputChars: null,
  };
}
