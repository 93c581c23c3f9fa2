import type {
  CompactionFact,
  ContractFact,
  JudgmentFact,
  LaneFact,
  RequestFact,
  SessionEvent,
  ToolCallFact,
  TurnFact,
} from "../events/event.js";
import { digestOf, hexOf } from "../events/identity.js";
import { type OwnAttributes, ownAttributes } from "./own.js";

/** A span to be sent, as plain data: it waits in the outbox as JSON. */
export interface OutSpan {
  traceId: string;
  spanId: string;
  parentId: string | null;
  name: string;
  /** `client` for a call to a model provider. */
  kind: "internal" | "client";
  startMs: number;
  endMs: number;
  failed: boolean;
  /** Name of the service: the agent. */
  service: string;
  attributes: OwnAttributes;
  events: { name: string; atMs: number; attributes: OwnAttributes }[];
}

export interface SpanOptions {
  /** True names things as the newest conventions do; else as the last released ones. Never both. */
  latest: boolean;
  /** Texts by the hex of their digest, when content is to be sent. */
  texts: { get(digest: string): string | undefined } | null;
  /** What another session counts: it goes out without the counts that others would add up. */
  inherited: Set<SessionEvent>;
}

/**
 * A session as spans with their original times: a trace per turn, with its requests, tool calls and compactions below
 * the turn, and one trace for what belongs to no turn. All ids follow from the events: sending them twice sends the
 * same bytes. Every span and span event also carries the whole event as sonny's own attributes, but for texts.
 */
export function spansOf(events: SessionEvent[], options: SpanOptions): OutSpan[] {
  const groups = new Map<string, SessionEvent[]>();
  for (const event of events) {
    const key = event.turn === null || ABOUT_SESSIONS.has(event.kind) ? "" : `${event.lane}\0${event.turn}`;
    groups.set(key, [...(groups.get(key) ?? []), event]);
  }
  const sessionStart = Math.min(...events.flatMap(({ atMs }) => (atMs === null ? [] : [atMs])));
  const lanes = new Map(events.filter((event) => event.kind === "lane").map((event) => [event.lane, event]));
  return [...groups].flatMap(([key, group]) =>
    traceOf(key, group, { ...options, lanes, startMs: Number.isFinite(sessionStart) ? sessionStart : 0 }),
  );
}

const ABOUT_SESSIONS = new Set<SessionEvent["kind"]>(["session", "lane", "coverage", "note", "content"]);

interface Surroundings extends SpanOptions {
  lanes: Map<string, LaneFact>;
  /** Time of what has none. */
  startMs: number;
}

function traceOf(key: string, events: SessionEvent[], around: Surroundings): OutSpan[] {
  const { agent, session } = events[0]!;
  const traceId = hexOf(digestOf(["trace", agent, session, key].join("\0")));
  const root = rootOf(key, traceId, events, around);
  const spans = new Map<string, OutSpan>();
  const compacted = compactedRequests(events);
  for (const event of events) {
    const span = spanOf(event, root, around);
    if (span === null) continue;
    if (event.kind === "request" && compacted.has(event)) span.attributes["gen_ai.conversation.compacted"] = true;
    spans.set(hexOf(event.eventId), span);
  }
  const byCall = new Map(
    events.flatMap((event) =>
      event.kind === "tool_call" && event.callId !== null ? [[event.callId, spans.get(hexOf(event.eventId))!]] : [],
    ) as [string, OutSpan][],
  );
  for (const event of events) {
    if (spans.has(hexOf(event.eventId)) || event.kind === "turn") continue;
    const subject =
      event.kind === "judgment"
        ? spans.get(hexOf(event.compaction))
        : event.kind === "contract"
          ? byCall.get(event.subjectRef ?? "")
          : undefined;
    const at = eventOf(event, around);
    if (at !== null) (subject ?? root).events.push(at);
  }
  const all = [...spans.values()];
  root.endMs = Math.max(root.endMs, ...all.map(({ endMs }) => endMs), ...root.events.map(({ atMs }) => atMs));
  root.startMs = Math.min(root.startMs, ...all.map(({ startMs }) => startMs));
  return [root, ...all];
}

/** The span that runs the agent; for what belongs to no turn, a span that only holds events. */
function rootOf(key: string, traceId: string, events: SessionEvent[], { lanes, startMs }: Surroundings): OutSpan {
  const { agent, session, lane } = events[0]!;
  const turn = events.find((event): event is TurnFact => event.kind === "turn");
  const times = events.flatMap(({ atMs }) => (atMs === null ? [] : [atMs]));
  const first = turn?.atMs ?? (times.length > 0 ? Math.min(...times) : startMs);
  const name = (key === "" ? null : lanes.get(lane)?.agentType) ?? agent;
  return {
    traceId,
    spanId: spanIdOf(`root\0${traceId}`),
    parentId: null,
    name: key === "" ? `session ${agent}` : `invoke_agent ${name}`,
    kind: "internal",
    startMs: first,
    endMs: Math.max(first, turn?.endedAtMs ?? first),
    failed: turn?.outcome === "failed",
    service: agent,
    attributes: {
      ...(key === "" ? {} : { "gen_ai.operation.name": "invoke_agent" }),
      "gen_ai.agent.name": name,
      "gen_ai.conversation.id": session,
      ...(turn === undefined ? {} : ownAttributes(turn)),
    },
    events: [],
  };
}

function spanOf(event: SessionEvent, root: OutSpan, around: Surroundings): OutSpan | null {
  if (event.kind === "request") return requestSpan(event, root, around);
  if (event.kind === "tool_call") return toolSpan(event, root, around);
  return event.kind === "compaction" ? compactionSpan(event, root, around) : null;
}

type Bare = Pick<OutSpan, "name" | "kind" | "startMs" | "endMs" | "failed" | "attributes">;

function below(root: OutSpan, event: SessionEvent, bare: Bare): OutSpan {
  const own = ownAttributes(event) ?? {};
  return {
    traceId: root.traceId,
    spanId: spanIdOf(hexOf(event.eventId)),
    parentId: root.spanId,
    service: root.service,
    events: [],
    ...bare,
    attributes: { "gen_ai.conversation.id": event.session, ...bare.attributes, ...own },
  };
}

function requestSpan(event: RequestFact, root: OutSpan, { latest, startMs, inherited }: Surroundings): OutSpan {
  const { model, requestedModel, provider, messageId, requestId, finishReason, status } = event;
  const endMs = event.atMs ?? startMs;
  const usage = inherited.has(event) ? { "sonny.inherited": true } : usageWords(event, latest);
  return below(root, event, {
    name: `chat ${model ?? "unknown"}`,
    kind: "client",
    startMs: endMs - (event.latencyMs ?? 0),
    endMs,
    failed: status === "failed",
    attributes: known({
      "gen_ai.operation.name": "chat",
      "gen_ai.provider.name": provider,
      "gen_ai.request.model": requestedModel ?? model,
      "gen_ai.response.model": model,
      "gen_ai.response.id": messageId ?? requestId,
      "gen_ai.response.finish_reasons": finishReason === null ? null : [finishReason],
      ...usage,
      "gen_ai.response.time_to_first_chunk": event.ttftMs === null ? null : event.ttftMs / 1000,
      "error.type": status === "failed" ? (finishReason ?? "_OTHER") : null,
    }),
  });
}

/** The convention's input holds what was read from the cache and written to it. */
function usageWords(event: RequestFact, latest: boolean) {
  return {
    "gen_ai.usage.input_tokens": inputOf(event),
    "gen_ai.usage.cache_read.input_tokens": event.readTokens,
    [latest ? "gen_ai.usage.cache_write.input_tokens" : "gen_ai.usage.cache_creation.input_tokens"]: sumOf(
      event.write5mTokens,
      event.write1hTokens,
      event.writeUnsplitTokens,
    ),
    "gen_ai.usage.output_tokens": event.outputTokens,
    "gen_ai.usage.reasoning.output_tokens": event.reasoningTokens,
  };
}

/** All input of a request; null when the uncached part is not known. */
function inputOf(event: RequestFact): number | null {
  if (event.uncachedTokens === null) return null;
  const { uncachedTokens, readTokens, write5mTokens, write1hTokens, writeUnsplitTokens } = event;
  return sumOf(uncachedTokens, readTokens, write5mTokens, write1hTokens, writeUnsplitTokens);
}

function sumOf(...counts: (number | null)[]): number | null {
  const told = counts.filter((count) => count !== null);
  return told.length === 0 ? null : told.reduce((sum, count) => sum + count, 0);
}

function toolSpan(event: ToolCallFact, root: OutSpan, { startMs, texts }: Surroundings): OutSpan {
  const { tool, callId, isError, durationMs, argumentsDigest, resultDigest } = event;
  const begun = event.atMs ?? startMs;
  return below(root, event, {
    name: `execute_tool ${tool ?? "unknown"}`,
    kind: "internal",
    startMs: begun,
    endMs: begun + (durationMs ?? 0),
    failed: isError === true,
    attributes: known({
      "gen_ai.operation.name": "execute_tool",
      "gen_ai.tool.name": tool ?? "unknown",
      "gen_ai.tool.call.id": callId,
      "gen_ai.tool.call.arguments": argumentsDigest === null ? null : (texts?.get(hexOf(argumentsDigest)) ?? null),
      "gen_ai.tool.call.result": resultDigest === null ? null : (texts?.get(hexOf(resultDigest)) ?? null),
      "error.type": isError === true ? "tool_error" : null,
    }),
  });
}

function compactionSpan(event: CompactionFact, root: OutSpan, { startMs }: Surroundings): OutSpan {
  const endMs = event.atMs ?? startMs;
  return below(root, event, {
    name: `compact ${event.recipe}`,
    kind: "internal",
    startMs: endMs - (event.durationMs ?? 0),
    endMs,
    failed: event.outcome === "failed",
    attributes: known({ "error.type": event.outcome === "failed" ? "compaction_failed" : null }),
  });
}

/** Facts without a span of their own are events of the span that they are about, else of the turn. */
function eventOf(event: SessionEvent, { startMs }: Surroundings): OutSpan["events"][number] | null {
  const own = ownAttributes(event);
  if (own === null) return null;
  const atMs = event.atMs ?? startMs;
  if (event.kind === "judgment") return { name: EVALUATION, atMs, attributes: { ...judgmentWords(event), ...own } };
  if (event.kind === "contract") return { name: EVALUATION, atMs, attributes: { ...contractWords(event), ...own } };
  return { name: `sonny.${event.kind}`, atMs, attributes: own };
}

const EVALUATION = "gen_ai.evaluation.result";

function judgmentWords({ score, judge }: JudgmentFact): OwnAttributes {
  return known({
    "gen_ai.evaluation.name": "retention",
    "gen_ai.evaluation.score.value": score,
    "gen_ai.evaluation.explanation": `judged by ${judge}`,
  });
}

function contractWords({ outcome, code, contract }: ContractFact): OwnAttributes {
  return known({
    "gen_ai.evaluation.name": "return_contract",
    "gen_ai.evaluation.score.label": outcome,
    "gen_ai.evaluation.explanation": code === null ? contract : `${contract}: ${code}`,
  });
}

/** The first request after each applied compaction of its lane: it saw a compacted view. */
function compactedRequests(events: SessionEvent[]): Set<SessionEvent> {
  const found = new Set<SessionEvent>();
  let waiting = false;
  for (const event of events) {
    if (event.kind === "compaction" && event.outcome === "applied") waiting = true;
    else if (event.kind === "request" && (waiting || event.rewriteKind === "compaction")) {
      found.add(event);
      waiting = false;
    }
  }
  return found;
}

function known(attributes: Record<string, string | number | boolean | string[] | null>): OwnAttributes {
  return Object.fromEntries(Object.entries(attributes).filter(([, value]) => value !== null)) as OwnAttributes;
}

function spanIdOf(text: string): string {
  return hexOf(digestOf(text)).slice(0, 16);
}
