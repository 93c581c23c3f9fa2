import type { DeclaredChange, RequestFact } from "../../events/event.js";
import { attemptFact, noteFact, requestFact } from "../../events/facts.js";
import { DIGEST_ALGORITHM, digestOf, eventIdOf, hexOf } from "../../events/identity.js";
import { canonicalJson } from "../canonical.js";
import { decoded } from "../json.js";
import { compactionEnds } from "./compactions.js";
import { AGENT, headerOf, type Place } from "./place.js";
import type { Counter, CounterRecord, FailureRecord } from "./records.js";
import { turnGoesOn } from "./turns.js";
import { isSame, sizeOf, usageOf, vectorOf, without } from "./usage.js";

/**
 * Each change of the cumulative counter is one response; rows that repeat it are none, whatever they say of the last
 * request. A counter that fell began anew; one that fell to nothing tells of a request that did not fit the window.
 */
export function sayRequest(place: Place, record: CounterRecord): void {
  const { file } = place;
  const { total, last } = record;
  if (total === null) {
    file.seen.unreadable += record.info === null ? 0 : 1;
    return;
  }
  if (file.counter === null && file.parent !== null && last !== null) inherit(place, total, last);
  if (isSame(file.counter ?? NOTHING, total)) {
    repeated(place, last);
    return;
  }
  const reset = file.counter !== null && sizeOf(total) < sizeOf(file.counter);
  if (reset) file.resets += 1;
  const before = reset ? null : file.counter;
  const usage = usageOf(before, total);
  const failed = reset && sizeOf(total) === 0;
  const key = keyOf(place, record);
  turnGoesOn(place);
  if (!failed) compactionEnds(place, last?.input || (usage.uncachedTokens ?? 0) + (usage.readTokens ?? 0));
  place.say(
    requestFact(eventIdOf("request", AGENT, key), headerOf(place), {
      ...usage,
      ...made(place, record),
      status: failed ? "failed" : "reported",
      rawUsage: differs(usage, last) ? decoded(canonicalJson(record.info)).slice(0, RAW_LIMIT) : null,
    }),
  );
  if (differs(usage, last)) {
    file.seen.merged += 1;
    place.say(noteFact(headerOf(place), "counter_ahead_of_last", null));
  }
  file.counter = total;
  if (!failed) requested(place, record);
}

const NOTHING: Counter = { input: 0, cached: 0, written: 0, output: 0, reasoning: 0, total: 0 };
const RAW_LIMIT = 2000;

/** A request that failed without an answer, or was cut off. */
export function sayFailure(place: Place, { errorClass, status }: FailureRecord): void {
  const { file } = place;
  file.since.failures += 1;
  const eventId = eventIdOf("attempt", AGENT, file.chain || (file.root ?? ""), file.since.failures);
  place.say(attemptFact(eventId, headerOf(place), { errorClass, httpStatus: status }));
}

/** A fork's counter may begin with requests that its file does not show: they are somebody else's. */
function inherit({ file }: Place, total: Counter, last: Counter): void {
  if (sizeOf(total) <= sizeOf(last)) return;
  file.counter = without(total, last);
  file.seen.inherited = true;
}

function repeated({ file, tally }: Place, last: Counter | null): void {
  const estimates = file.compaction !== null && last !== null && sizeOf(last) === 0;
  if (estimates) file.contextTokens = last.total;
  else if (file.counter !== null) tally.repeated += 1;
}

/**
 * Copies of a request agree in the client's id of the turn and in the counter. Without such an id a request is named
 * by all counts before it, back to the oldest known ancestor: sessions that merely count alike stay apart.
 */
function keyOf({ file }: Place, { total, last }: CounterRecord): string {
  const vector = vectorOf(total!);
  file.chain = hexOf(digestOf([file.chain, file.root, vector, last === null ? "" : vectorOf(last)].join("/")));
  if (file.turn?.unique) file.chain = `${file.turn.unique}/${file.resets}/${vector}`;
  return file.chain;
}

/** What the request was made with. */
function made({ file }: Place, record: CounterRecord): Partial<RequestFact> {
  const model = file.model ?? record.model;
  const changes = new Set<DeclaredChange>(file.changes);
  if (file.modelRequested !== null && model !== null && model !== file.modelRequested) changes.add("model");
  return {
    provider: file.provider ?? (model?.startsWith("gpt") ? "openai" : null),
    model,
    contextWindowTokens: record.windowTokens,
    shellDigest: file.shell,
    shellSetDigest: file.shellSet,
    paramsDigest: file.params,
    digestAlgorithm: file.shell === null && file.params === null ? null : DIGEST_ALGORITHM,
    declaredChanges: [...changes].sort(),
    rewriteKind: file.compacted ? "compaction" : null,
  };
}

/** The last request as the client tells it, beside what the counter says: the counter may hold one more. */
function differs(usage: ReturnType<typeof usageOf>, last: Counter | null): boolean {
  if (last === null || sizeOf(last) === 0) return false;
  const input = (usage.uncachedTokens ?? 0) + (usage.readTokens ?? 0) + (usage.writeUnsplitTokens ?? 0);
  return input !== last.input || usage.outputTokens !== last.output;
}

function requested({ file }: Place, { total, last, model }: CounterRecord): void {
  file.contextTokens = last === null ? null : (last.total ?? sizeOf(last));
  file.modelRequested = file.model ?? model ?? file.modelRequested;
  file.changes = [];
  file.compacted = false;
  file.since = { calls: 0, compactions: 0, failures: 0 };
  file.seen.requests += 1;
  file.seen.withoutCounters += total!.cached === null ? 1 : 0;
  file.seen.withoutShell += file.shell === null ? 1 : 0;
}
