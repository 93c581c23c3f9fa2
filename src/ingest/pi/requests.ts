import type { DeclaredChange } from "../../events/event.js";
import { attemptFact, requestFact } from "../../events/facts.js";
import { DIGEST_ALGORITHM, eventIdOf } from "../../events/identity.js";
import { canonicalJson } from "../canonical.js";
import { decoded } from "../json.js";
import { compactionEnds } from "./compactions.js";
import { AGENT, headerOf, keyOf, type Place } from "./place.js";
import type { AnswerRecord } from "./records.js";

/** Each answer is a response; one without any tokens is a try that came to nothing. Returns the key of the answer. */
export function sayAnswer(place: Place, record: AnswerRecord): string {
  const { file, tally } = place;
  const { usage, model, provider, madeMs } = record;
  const counts = [usage?.uncachedTokens, usage?.readTokens, writtenIn(usage), usage?.outputTokens];
  const key = keyOf(place, madeMs, [model, ...counts.map((tokens) => tokens ?? null)]);
  if (madeMs === null && place.frame.atMs === null) tally.withoutKey += 1;
  const header = headerOf(place);
  const failed = record.stopReason === "error" || record.stopReason === "aborted";
  if (failed && counts.every((tokens) => !tokens)) {
    const outcome = record.stopReason === "error" ? "failed" : "aborted";
    place.say(attemptFact(eventIdOf("attempt", AGENT, key), header, { outcome, ...failureOf(record) }));
    return key;
  }
  const prompt =
    usage === null || usage.uncachedTokens === null
      ? null
      : counts.slice(0, 3).reduce<number>((sum, n) => sum + (n ?? 0), 0);
  compactionEnds(place, prompt);
  const sent = madeMs !== null && header.atMs !== null && header.atMs > madeMs ? header.atMs - madeMs : null;
  place.say(
    requestFact(eventIdOf("request", AGENT, key), header, {
      messageId: record.responseId,
      provider,
      model,
      status: usage === null ? "missing" : failed ? "interrupted" : "reported",
      finishReason: record.stopReason,
      ...(usage ?? { outputQuality: "missing", usageState: "partial" }),
      rawUsage:
        usage !== null && usage.usageState !== "ok" ? decoded(canonicalJson(record.raw)).slice(0, RAW_LIMIT) : null,
      providerCostMicros: record.costMicros,
      latencyMs: sent,
      paramsDigest: file.params,
      digestAlgorithm: file.params === null ? null : DIGEST_ALGORITHM,
      declaredChanges: changesBefore(place, record),
      rewriteKind: file.compacted ? "compaction" : file.branched ? "branch" : null,
    }),
  );
  file.model = model ?? file.model;
  file.compacted = false;
  file.branched = false;
  file.seen.requests += 1;
  file.seen.withoutUsage += usage === null ? 1 : 0;
  file.seen.withoutCounters += usage?.cacheReported ? 0 : 1;
  file.seen.cutOff += failed ? 1 : 0;
  return key;
}

const RAW_LIMIT = 2000;

function writtenIn(usage: AnswerRecord["usage"]): number | null {
  if (usage === null) return null;
  return (
    usage.writeUnsplitTokens ?? (usage.write1hTokens === null ? null : usage.write1hTokens + (usage.write5mTokens ?? 0))
  );
}

function changesBefore({ file }: Place, { model }: AnswerRecord): DeclaredChange[] {
  const changes: DeclaredChange[] = [];
  if (file.compacted) changes.push("compaction");
  if (file.model !== null && model !== null && model !== file.model) changes.push("model");
  return changes;
}

/** What the provider's error says of itself; its text is not kept. */
function failureOf({ error, stopReason }: AnswerRecord) {
  const said = error ?? "";
  const status = /^(\d{3})\b/.exec(said)?.[1];
  const named = /"type":\s*"(\w{1,60}_error)"/.exec(said)?.[1];
  return { httpStatus: status === undefined ? null : Number(status), errorClass: named ?? stopReason };
}
