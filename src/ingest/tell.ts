import type { CompactionFact, DeclaredChange, Digest, TurnFact, Usage } from "../events/event.js";
import {
  attemptFact,
  compactionFact,
  coverageFacts,
  FULL,
  type Header,
  type Level,
  type Levels,
  laneFact,
  noteFact,
  partial,
  requestFact,
  sessionFact,
  share,
  turnFact,
} from "../events/facts.js";
import { DIGEST_ALGORITHM, digestOf, eventIdOf, hexOf } from "../events/identity.js";
import { courseOf, type Spoken } from "../retention/context.js";
import { checkpointFault } from "../retention/degenerate.js";
import type { Passage } from "../retention/passages.js";
import { type Calls, callAnswered, callMade, sayViolation } from "./calls.js";
import { canonicalJson } from "./canonical.js";
import { contentFact } from "./content.js";
import type { Answer, At, Call, Compaction, Conversation, Failure, Subagent } from "./conversation.js";
import type { MapOptions, Say, Tally } from "./importer.js";
import { decoded, object, type Utf8, utf8 } from "./json.js";

/**
 * Says everything that is known of one session, from its beginning to `end`, the end of the document. `said` tells what
 * its parent lane says; it is asked only when there is a compaction to judge.
 */
export function sayConversation(
  agent: string,
  conversation: Conversation,
  end: number,
  said: () => Passage[],
  { options, tally, say }: { options: MapOptions; tally: Tally; say: Say },
): void {
  const { steps, session } = conversation;
  const begun = steps.find(({ atMs }) => atMs !== null)?.atMs ?? null;
  const now: Now = {
    agent,
    conversation,
    options,
    tally,
    say,
    atMs: begun,
    turn: null,
    turns: new Map(),
    calls: new Map(),
    compactions: [],
    compacted: [],
    changes: [],
    contextTokens: null,
    model: null,
    checkpoint: null,
    seen: { requests: 0, withoutUsage: 0, withoutCounters: 0, cutOff: 0, withoutShell: 0 },
  };
  const { agentVersion, project, branch, title, parent, sessionKind } = conversation;
  const first = { atMs: begun, line: steps[0]?.line ?? 1, offset: steps[0]?.offset ?? 0 };
  say(sessionFact(headerOf(now, first), { agentVersion, project, branch, title, parentSession: parent, sessionKind }));
  for (const step of steps) {
    now.atMs = step.atMs ?? now.atMs;
    if (step.kind === "prompt") turnBegins(now, step, step.key);
    else if (step.kind === "answer") sayAnswer(now, step);
    else if (step.kind === "failure") sayFailure(now, step);
    else if (step.kind === "compaction") compacted(now, step);
    else if (step.kind === "subagent") saySubagent(now, step);
    else say(noteFact(headerOf(now, step), "unknown_record", step.type));
  }
  compactionsEnd(now, null);
  sayCompactions(now, said);
  for (const turn of now.turns.values()) say(turnFact(turn.header, turn.told));
  for (const { fact } of now.calls.values()) say(fact);
  sayCoverage(now, { ...NOWHERE, agent, session, tenant: options.tenant, offset: end });
}

const NOWHERE = { lane: "main", turn: null, atMs: null, timeQuality: "inherited", line: null } as const;

interface Now {
  agent: string;
  conversation: Conversation;
  options: MapOptions;
  tally: Tally;
  say: Say;
  atMs: number | null;
  turn: string | null;
  turns: Map<string, Turn>;
  calls: Calls;
  /** Compactions that wait for the next request. */
  compactions: { step: At & Compaction; header: Header; tokensBefore: number | null; repeats: boolean }[];
  /** Compactions that are over. */
  compacted: { fact: CompactionFact; cleared: string[] }[];
  changes: DeclaredChange[];
  /** Prompt of the newest request. */
  contextTokens: number | null;
  model: string | null;
  /** Digest of the newest checkpoint in hex. */
  checkpoint: string | null;
  seen: { requests: number; withoutUsage: number; withoutCounters: number; cutOff: number; withoutShell: number };
}

interface Turn {
  header: Header & { turn: string };
  told: Pick<TurnFact, "endedAtMs" | "outcome" | "branch" | "project" | "clientVersion">;
}

function headerOf({ agent, conversation, options, atMs, turn }: Now, at: At, lane = at.lane ?? "main"): Header {
  return {
    agent,
    session: conversation.session,
    lane,
    turn: lane === "main" ? turn : null,
    tenant: options.tenant,
    atMs: at.atMs ?? atMs,
    timeQuality: at.atMs === null ? "inherited" : "exact",
    line: at.line,
    offset: at.offset,
  };
}

function turnBegins(now: Now, at: At, key: string): void {
  const { branch, project, agentVersion } = now.conversation;
  now.turn = key;
  const header = { ...headerOf(now, at), turn: key };
  if (now.turns.has(key)) return;
  now.turns.set(key, {
    header,
    told: { endedAtMs: null, outcome: null, branch, project, clientVersion: agentVersion },
  });
}

/** A failure may be tried again, so a later ending goes before it; an answer goes before everything. */
function turnGoesOn(now: Now, atMs: number | null, outcome: TurnFact["outcome"]): void {
  const told = now.turn === null ? undefined : now.turns.get(now.turn)?.told;
  if (told === undefined) return;
  told.endedAtMs = Math.max(told.endedAtMs ?? 0, atMs ?? 0) || null;
  if (RANKS.indexOf(outcome) < RANKS.indexOf(told.outcome)) told.outcome = outcome;
}

const RANKS: TurnFact["outcome"][] = ["answered", "failed", "interrupted", null];

function sayAnswer(now: Now, step: At & Answer): void {
  const { agent, say, tally, seen } = now;
  if (step.prompt !== null && now.turns.has(step.prompt)) now.turn = step.prompt;
  const endedMs = step.atMs !== null && step.latencyMs !== null ? step.atMs + step.latencyMs : step.atMs;
  const aside = step.compacting || step.lane !== undefined;
  if (!aside) turnGoesOn(now, endedMs, step.outcome);
  const { usage } = step;
  if (usage !== null) {
    const header = step.compacting ? headerOf(now, step, "compaction") : headerOf(now, step);
    if (step.compacting) say(laneFact(header, { laneKind: "compaction", parentLane: "main" }));
    if (step.messageId === null) tally.withoutKey += 1;
    const tokens = promptTokens(usage);
    const compactedBefore = now.compactions.some(({ step: { form } }) => form === "full");
    if (!aside) compactionsEnd(now, tokens);
    const odd = usage.usageState === "contradictory";
    say(
      requestFact(eventIdOf("request", agent, step.key), header, {
        messageId: step.messageId,
        provider: step.provider,
        model: step.model,
        status: step.cutOff ? "interrupted" : "reported",
        finishReason: step.finishReason,
        ...usage,
        outputQuality: step.cutOff && usage.outputTokens !== null ? "provisional" : usage.outputQuality,
        rawUsage: odd ? decoded(canonicalJson(step.raw)).slice(0, RAW_LIMIT) : null,
        providerCostMicros: step.costMicros,
        latencyMs: step.latencyMs,
        shellDigest: step.shellDigest,
        digestAlgorithm: step.shellDigest === null ? null : DIGEST_ALGORITHM,
        declaredChanges: aside ? [] : changesBefore(now, step, compactedBefore),
        rewriteKind: aside ? null : compactedBefore ? "compaction" : step.rewriteKind,
      }),
    );
    seen.requests += 1;
    seen.withoutUsage += usage.usageState === "partial" ? 1 : 0;
    seen.withoutCounters += usage.cacheReported ? 0 : 1;
    seen.cutOff += step.cutOff ? 1 : 0;
    seen.withoutShell += step.shellDigest === null ? 1 : 0;
    if (!aside) {
      now.contextTokens = tokens;
      now.model = step.model ?? now.model;
    }
  }
  for (const [index, call] of step.calls.entries()) sayCall(now, step, call, index);
}

const RAW_LIMIT = 2000;

function promptTokens({ uncachedTokens, readTokens, writeUnsplitTokens }: Usage): number | null {
  return uncachedTokens === null ? null : uncachedTokens + (readTokens ?? 0) + (writeUnsplitTokens ?? 0);
}

function changesBefore(now: Now, { model }: Answer, compactedBefore: boolean): DeclaredChange[] {
  const changes: DeclaredChange[] = compactedBefore ? ["compaction"] : [];
  if (now.model !== null && model !== null && model !== now.model) changes.push("model");
  return changes;
}

function sayCall(now: Now, step: At & Answer, { id, tool, input, result, refusal }: Call, index: number): void {
  const { calls, say, options } = now;
  const header = step.compacting ? headerOf(now, step, "compaction") : headerOf(now, step);
  const args = canonicalJson(input);
  const target = targetOf(input);
  const named = id ?? `${step.key}/${index}`;
  const made = {
    id,
    tool,
    argumentsDigest: digestOf(args, "latin1"),
    targetDigest: target === null ? null : digestOf(target, "latin1"),
  };
  const call = callMade(calls, step.key, header, made, named, say);
  if (options.content) say(contentFact(header, args));
  if (object(input) === null) sayViolation(header, call, "args_not_json", say);
  if (refusal !== null) sayViolation(header, call, refusal, say);
  if (result === null) return;
  const answered = { ...header, atMs: result.atMs ?? header.atMs };
  const { text, isError } = result;
  const durationMs = result.durationMs ?? (result.atMs === null ? 0 : null);
  callAnswered(
    calls,
    step.key,
    answered,
    named,
    { text, isError, durationMs: durationMs === 0 ? null : durationMs },
    say,
  );
  if (options.content) say(contentFact(answered, text));
}

function targetOf(input: unknown): Utf8 | null {
  const said = object(input);
  const names = ["command", "filePath", "file_path", "absolute_path", "path"];
  for (const name of names) {
    const target = utf8(said?.[name]);
    if (target !== null) return target;
  }
  return null;
}

function sayFailure(now: Now, step: At & Failure): void {
  const { key, outcome, errorClass, httpStatus } = step;
  turnGoesOn(now, step.atMs, outcome === "failed" ? "failed" : "interrupted");
  now.say(attemptFact(eventIdOf("attempt", now.agent, key), headerOf(now, step), { outcome, errorClass, httpStatus }));
}

function compacted(now: Now, step: At & Compaction): void {
  const header = headerOf(now, step);
  const digest = step.checkpoint === null ? null : hexOf(digestOf(step.checkpoint, "latin1"));
  const tokensBefore = step.tokensBefore ?? now.contextTokens;
  now.compactions.push({ step, header, tokensBefore, repeats: digest !== null && digest === now.checkpoint });
  now.checkpoint = digest ?? now.checkpoint;
  if (step.checkpoint !== null && now.options.content) now.say(contentFact(header, step.checkpoint));
}

/** The first request after compactions shows what they came to. */
function compactionsEnd(now: Now, tokensAfter: number | null): void {
  const { agent, conversation } = now;
  for (const { step, header, tokensBefore, repeats } of now.compactions) {
    const { key, form, trigger, checkpoint, durationMs, kept, cleared } = step;
    const before = step.tokensBefore === null ? "previous_request" : "recorded";
    now.compacted.push({
      cleared,
      fact: compactionFact(eventIdOf("compaction", agent, key), header, {
        form,
        trigger,
        recipeVersion: conversation.agentVersion,
        tokensBefore,
        tokensAfter,
        countMethod: tokensBefore === null || tokensAfter === null ? null : `${before}>next_request`,
        summaryDigest: checkpoint === null ? null : digestOf(checkpoint, "latin1"),
        summaryBytes: checkpoint?.length ?? null,
        checkpointFault:
          checkpoint === null
            ? null
            : checkpointFault(decoded(checkpoint), { removedTokens: tokensBefore, repeatsEarlier: repeats }),
        durationMs,
        items: (form === "full" ? kept : cleared).map((messageId) => ({
          messageId,
          fate: form === "full" ? "kept" : "stubbed",
          tokens: null,
        })),
      }),
    });
  }
  now.compactions = [];
}

/** Compactions, each with the context that it found, and with what it put there. */
function sayCompactions({ compacted, say }: Now, said: () => Passage[]): void {
  const full = compacted.filter(({ fact }) => fact.form === "full");
  const passages = full.length === 0 ? [] : said().map(spoken);
  const { changes } = courseOf(
    passages,
    full.map(({ fact, cleared }) => ({ ...fact, digest: hexed(fact.summaryDigest), cleared })),
  );
  const found = new Map(changes.map((change) => [change.compaction.eventId, change]));
  for (const { fact } of compacted) {
    const change = found.get(fact.eventId);
    const cleared = new Set(change?.compaction.cleared);
    const isThere = (passage: Passage) =>
      !cleared.has(passage.message ?? "") && (passage.kind !== "result" || !cleared.has(passage.call ?? ""));
    const context = change?.before.map(({ passage }) => passage).filter(isThere) ?? [];
    if (fact.form === "full") say(fact, { context, replacement: change?.added ?? [] });
    else say(fact);
  }
}

const hexed = (digest: Digest | null) => (digest === null ? null : hexOf(digest));

function spoken(passage: Passage): Spoken {
  return { ...passage, digest: passage.kind === "checkpoint" ? hexOf(digestOf(passage.text)) : null };
}

function saySubagent(now: Now, step: At & Subagent): void {
  const { agentType, parentToolCall } = step;
  now.say(laneFact(headerOf(now, step), { laneKind: "subagent", agentType, parentLane: "main", parentToolCall }));
}

function sayCoverage({ conversation, compacted, seen, options, say }: Now, header: Header): void {
  const { requests } = seen;
  const full = compacted.filter(({ fact }) => fact.form === "full");
  const silent = full.filter(({ fact }) => fact.summaryDigest === null).length;
  const levels: Levels = {
    ...(silent > 0
      ? { checkpoint_text: share(silent, full.length, "checkpoints were recorded without their text") }
      : {}),
    usage: share(seen.withoutUsage, requests, "some answers were recorded without their usage"),
    cache_counters: share(seen.withoutCounters, requests, "some answers carry no cache counters"),
    final_output: cutOff(seen.cutOff),
    shell_digests: share(seen.withoutShell, requests, "the system prompt and the tools are not recorded"),
    tenant: options.tenant === null ? { level: "absent", why: "import with --tenant" } : FULL,
    ...conversation.levels,
  };
  for (const fact of coverageFacts(header, levels)) say(fact);
}

function cutOff(answers: number): Level {
  return answers === 0 ? FULL : partial("output counts of answers that were cut off are lower bounds");
}
