import type { DeclaredChange } from "../../events/event.js";
import { attemptFact, laneFact, requestFact } from "../../events/facts.js";
import { DIGEST_ALGORITHM, digestOf, eventIdOf } from "../../events/identity.js";
import { canonicalJson } from "../canonical.js";
import { compactionEnds } from "./compactions.js";
import { AGENT, headerOf, type Place } from "./place.js";
import type { SentRecord, UsageRecord } from "./records.js";
import { turnGoesOn } from "./turns.js";

/** A request is sent: it is told once its usage is known. */
export function requestSent(place: Place, { purpose, provider, shell, params }: SentRecord): void {
  const { file } = place;
  unanswered(place);
  file.step = null;
  file.sent = {
    header: headerOf(place),
    purpose,
    provider,
    shell: shell === null ? null : digestOf(shell.join()),
    shellSet: shell === null ? null : digestOf([...shell].sort().join()),
    params: digestOf(canonicalJson(params), "latin1"),
  };
}

/** A request that was never answered, when the next one is sent: it failed, or the user stopped it. */
export function unanswered({ file, say }: Place): void {
  const { sent } = file;
  if (sent === null) return;
  file.sent = null;
  const { session, lane, atMs, offset } = sent.header;
  const eventId = eventIdOf("attempt", AGENT, session, lane, atMs ?? offset ?? 0);
  say(attemptFact(eventId, sent.header, { outcome: "aborted", errorClass: "no_answer" }));
}

/** One record of usage is one response; that of the call which writes a checkpoint stands in a lane of its own. */
export function sayRequest(place: Place, record: UsageRecord): void {
  const { file, say } = place;
  const { usage, model, compaction } = record;
  const { sent, step } = file;
  file.sent = null;
  file.step = null;
  const header = headerOf(place);
  const prompt =
    usage.uncachedTokens === null
      ? null
      : usage.uncachedTokens + (usage.readTokens ?? 0) + (usage.writeUnsplitTokens ?? 0);
  const counts = [prompt ?? "", usage.readTokens ?? "", usage.outputTokens ?? ""];
  const key = step?.messageId ?? [header.atMs ?? `${header.session}/${place.offset}`, model ?? "", ...counts].join("/");
  const own = compaction ? { ...header, lane: besideLane(place.lane), turn: null } : header;
  if (compaction) say(laneFact(own, { laneKind: "compaction", parentLane: place.lane }));
  else {
    turnGoesOn(place, ENDINGS.includes(step?.finishReason ?? "") ? "answered" : null);
    compactionEnds(place, prompt);
  }
  const took = sent?.header.atMs == null || header.atMs === null ? null : Math.max(0, header.atMs - sent.header.atMs);
  const streamed = step?.ttftMs == null || step.streamMs === null ? null : step.ttftMs + step.streamMs;
  say(
    requestFact(eventIdOf("request", AGENT, key), own, {
      messageId: step?.messageId ?? null,
      provider: sent?.provider ?? null,
      model,
      finishReason: step?.finishReason ?? null,
      ...usage,
      latencyMs: streamed ?? took,
      ttftMs: step?.ttftMs ?? null,
      shellDigest: sent?.shell ?? null,
      shellSetDigest: sent?.shellSet ?? null,
      paramsDigest: sent?.params ?? null,
      digestAlgorithm: sent === null ? null : DIGEST_ALGORITHM,
      declaredChanges: compaction ? [] : changesBefore(place, model),
      rewriteKind: !compaction && file.compacted ? "compaction" : null,
    }),
  );
  file.requests += 1;
  file.withoutShell += sent?.shell == null ? 1 : 0;
  if (compaction) return;
  file.contextTokens = prompt;
  file.model = model ?? file.model;
  file.changes = [];
  file.compacted = false;
}

const ENDINGS = ["end_turn", "stop"];

/** True for the lane of the requests that compact another one. */
export const isBeside = (lane: string) => /(?:^|\/)compaction$/.test(lane);

const besideLane = (lane: string) => (lane === "main" ? "compaction" : `${lane}/compaction`);

function changesBefore({ file }: Place, model: string | null): DeclaredChange[] {
  const changes = new Set(file.changes);
  if (file.model !== null && model !== null && model !== file.model) changes.add("model");
  return [...changes].sort();
}
