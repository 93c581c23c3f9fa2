import type { AttemptFact, CompactionFact, Digest, RequestFact, SessionEvent, ToolCallFact } from "../events/event.js";
import {
  attemptFact,
  compactionFact,
  type Header,
  laneFact,
  requestFact,
  sessionFact,
  toolCallFact,
  turnFact,
} from "../events/facts.js";
import { eventIdOf } from "../events/identity.js";
import { isUnique } from "./origin.js";
import { ownEvent } from "./own.js";
import { SHELL_ALGORITHM } from "./shell.js";
import type { Told, ToldRequest } from "./told.js";

/**
 * What all spans of one trace that have arrived so far come to. The answer depends on the spans alone, not on the order
 * in which they came: with each new span the trace is told again.
 *
 * - A span counts as a request only if nothing below it carries usage: outer spans repeat the sums of inner ones.
 * - Sessions, agents and tenants are inherited from the nearest span above that names one; a session also from any span
 *   of the trace. A trace without a session is one of its own.
 * - A trace is one turn, unless the emitter names turns. An agent that runs inside another one has a lane of its own.
 */
export function eventsOfTrace(traceId: string, spans: Told[]): SessionEvent[] {
  const trace = treeOf(traceId, spans);
  const events: SessionEvent[] = [];
  const turns = new Map<string, { header: Header & { turn: string }; endedAtMs: number | null; outcome: Outcome }>();
  const sessions = new Map<string, SessionEvent>();
  const lanes = new Map<string, SessionEvent>();

  const sees = (node: Node, header: Header) => {
    const { agent, session, lane, turn } = header;
    const name = `${agent}\0${session}`;
    const agentVersion = inherited(node, ({ told }) => told.agentVersion) ?? null;
    if (!sessions.has(name)) sessions.set(name, sessionFact({ ...header, lane: "main" }, { agentVersion }));
    if (lane !== "main" && !lanes.has(`${name}\0${lane}`)) lanes.set(`${name}\0${lane}`, laneOf(node, header));
    if (turn === null) return;
    const startMs = lane === "main" ? (trace.startMs ?? header.atMs) : header.atMs;
    const known = turns.get(`${name}\0${lane}\0${turn}`) ?? {
      header: { ...header, turn, atMs: startMs },
      endedAtMs: null,
      outcome: null,
      agentVersion,
    };
    known.endedAtMs = later(known.endedAtMs, node.told.endMs ?? null);
    known.header.atMs = earlier(known.header.atMs, startMs);
    if (node.told.request?.usage) known.outcome = "answered";
    else if (node.told.failed && node.told.request) known.outcome ??= "failed";
    turns.set(`${name}\0${lane}\0${turn}`, known);
  };

  for (const node of trace.nodes) {
    if (node.told.own !== undefined) {
      for (const carried of node.told.own) {
        const event = ownEvent(carried);
        if (event !== null) events.push(event);
      }
      continue;
    }
    for (const event of eventsOfSpan(node)) {
      const { agent, session, lane, turn, tenant, atMs, timeQuality } = event;
      events.push(event);
      sees(node, { agent, session, lane, turn, tenant, atMs, timeQuality, line: null, offset: null });
    }
  }
  for (const { header, endedAtMs, outcome } of turns.values()) events.push(turnFact(header, { endedAtMs, outcome }));
  return [...sessions.values(), ...lanes.values(), ...events];
}

type Outcome = "answered" | "failed" | null;

interface Tree {
  nodes: Node[];
  startMs: number | null;
}

interface Node {
  traceId: string;
  told: Told;
  parent: Node | null;
  /** Something below carries usage; something above or below asks a model. */
  usageBelow: boolean;
  requestNear: boolean;
  /** A session that some span of the trace names. */
  session: string | null;
}

function treeOf(traceId: string, spans: Told[]): Tree {
  const sorted = [...spans].sort(
    (a, b) => (a.startMs ?? 0) - (b.startMs ?? 0) || (a.span < b.span ? -1 : a.span > b.span ? 1 : 0),
  );
  const named = sorted.find(({ session, own }) => session !== undefined && own === undefined)?.session ?? null;
  const nodes = sorted.map(
    (told): Node => ({ traceId, told, parent: null, usageBelow: false, requestNear: false, session: named }),
  );
  const byId = new Map(nodes.map((node) => [node.told.span, node]));
  for (const node of nodes) node.parent = (node.told.parent && byId.get(node.told.parent)) || null;
  for (const node of nodes) {
    if (node.told.request === undefined) continue;
    for (const above of ancestors(node)) {
      if (node.told.request.usage !== null) above.usageBelow = true;
      if (above.told.request === undefined) continue;
      above.requestNear = true;
      node.requestNear = true;
    }
  }
  dropRepeats(nodes);
  const starts = nodes.map(({ told }) => told.startMs).filter((startMs) => startMs !== undefined);
  return { nodes, startMs: starts.length === 0 ? null : Math.min(...starts) };
}

/** The spans above, the nearest first; a ring of parents ends. */
function* ancestors(node: Node): Generator<Node> {
  const seen = new Set<Node>([node]);
  for (let above = node.parent; above !== null && !seen.has(above); above = above.parent) {
    seen.add(above);
    yield above;
  }
}

function inherited<T>(node: Node, of: (node: Node) => T | undefined): T | undefined {
  const own = of(node);
  if (own !== undefined) return own;
  for (const above of ancestors(node)) {
    const found = of(above);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** Two spans side by side that overlap and name the same response are one request, told by two libraries. */
function dropRepeats(nodes: Node[]): void {
  const kept = new Map<string, Node[]>();
  for (const node of nodes) {
    const { request } = node.told;
    const id = request?.responseId ?? request?.requestId;
    if (id === undefined || node.usageBelow || !request?.usage) continue;
    const others = kept.get(id) ?? [];
    const overlaps = others.some((other) => (node.told.startMs ?? 0) < (other.told.endMs ?? other.told.startMs ?? 0));
    if (overlaps) node.usageBelow = true;
    else kept.set(id, [...others, node]);
  }
}

function headerOf(node: Node, atMs: number | undefined): Header {
  const agent = inherited(node, ({ told }) => told.agent) ?? "otlp";
  const lane = laneIdOf(node);
  const turn = inherited(node, ({ told }) => told.turn) ?? node.traceId;
  return {
    agent,
    session: inherited(node, ({ told }) => told.session) ?? node.session ?? node.traceId,
    lane,
    turn: lane === "main" ? turn : `${turn}/${lane}`,
    tenant: inherited(node, ({ told }) => told.tenant) ?? null,
    atMs: atMs ?? node.told.startMs ?? null,
    timeQuality: "exact",
    line: null,
    offset: null,
  };
}

/** The span of the innermost agent that runs inside another one; null outside such agents. */
function innerAgent(node: Node): Node | null {
  for (const at of [node, ...ancestors(node)]) {
    if (at.told.agentName === undefined) continue;
    for (const above of ancestors(at)) if (above.told.agentName !== undefined) return at;
    return null;
  }
  return null;
}

function laneIdOf(node: Node): string {
  return inherited(node, ({ told }) => told.lane) ?? innerAgent(node)?.told.span ?? "main";
}

function laneOf(node: Node, header: Header): SessionEvent {
  const agent = innerAgent(node);
  const laneKind =
    header.lane === "compaction" ? "compaction" : agent === null && !SUBAGENT.test(header.lane) ? "side" : "subagent";
  return laneFact(header, { laneKind, agentType: agent?.told.agentName ?? null, parentLane: "main" });
}

const SUBAGENT = /^(agent|subagent)\b|^[0-9a-f-]{8,}$/;

function eventsOfSpan(node: Node): (RequestFact | AttemptFact | ToolCallFact | CompactionFact)[] {
  const { told } = node;
  const events: (RequestFact | AttemptFact | ToolCallFact | CompactionFact)[] = [];
  if (told.request !== undefined) {
    const event = requestEvent(node, told.request);
    if (event !== null) events.push(event);
  }
  if (told.tool !== undefined) events.push(toolEvent(node));
  if (told.compaction !== undefined) events.push(compactionEvent(node));
  return events;
}

function requestEvent(node: Node, request: ToldRequest): RequestFact | AttemptFact | null {
  const { told, usageBelow, requestNear } = node;
  if (request.usage === null ? requestNear : usageBelow) return null;
  const header = headerOf(node, told.endMs);
  const latencyMs = told.endMs !== undefined && told.startMs !== undefined ? told.endMs - told.startMs : null;
  if (request.usage === null && told.failed) {
    return attemptFact(idOf("attempt", node), header, { outcome: "failed", errorClass: request.finishReason ?? null });
  }
  return requestFact(requestIdOf(node, header.agent, request), header, {
    requestId: request.requestId ?? null,
    messageId: request.responseId ?? null,
    provider: request.provider ?? null,
    model: request.model ?? null,
    requestedModel: request.requestedModel === request.model ? null : (request.requestedModel ?? null),
    status: request.usage === null ? "missing" : told.failed ? "failed" : "reported",
    finishReason: request.finishReason ?? null,
    ...(request.usage ?? { outputQuality: "missing" as const, usageState: "partial" as const }),
    providerCostMicros: request.costMicros ?? null,
    latencyMs,
    ttftMs: request.ttftMs ?? null,
    shellDigest: bytesOf(request.shellDigest),
    shellSetDigest: bytesOf(request.shellSetDigest),
    digestAlgorithm: request.shellDigest === undefined ? null : SHELL_ALGORITHM,
  });
}

/** The id of the response, also in transcripts; a span whose ids are not unique stands for itself. */
function requestIdOf(node: Node, agent: string, { responseId, requestId, provider }: ToldRequest): Digest {
  if (isUnique(responseId)) return eventIdOf("request", provider ?? agent, responseId);
  if (isUnique(requestId)) return eventIdOf("request", agent, "request", requestId);
  return idOf("request", node);
}

function toolEvent(node: Node): ToolCallFact {
  const { told } = node;
  const tool = told.tool!;
  const header = headerOf(node, told.startMs);
  const eventId = isUnique(tool.callId) ? eventIdOf("tool_call", header.agent, tool.callId) : idOf("tool_call", node);
  return toolCallFact(eventId, header, {
    callId: tool.callId ?? null,
    tool: tool.tool ?? null,
    useSeen: true,
    resultSeen: told.endMs !== undefined,
    argumentsDigest: bytesOf(tool.argumentsDigest),
    resultDigest: bytesOf(tool.resultDigest),
    resultBytes: tool.resultBytes ?? null,
    isError: tool.isError ?? null,
    durationMs: told.endMs !== undefined && told.startMs !== undefined ? told.endMs - told.startMs : null,
  });
}

function compactionEvent(node: Node): CompactionFact {
  const { tokensBefore, tokensAfter, trigger, succeeded } = node.told.compaction!;
  return compactionFact(idOf("compaction", node), headerOf(node, node.told.endMs), {
    recipeVersion: node.told.agentVersion ?? null,
    trigger: trigger ?? "unknown",
    outcome: succeeded === false ? "failed" : "applied",
    tokensBefore: tokensBefore ?? null,
    tokensAfter: tokensAfter ?? null,
    countMethod: tokensBefore === undefined || tokensAfter === undefined ? null : "recorded",
    durationMs:
      node.told.endMs !== undefined && node.told.startMs !== undefined ? node.told.endMs - node.told.startMs : null,
  });
}

function idOf(kind: string, { traceId, told }: Node): Digest {
  return eventIdOf(kind, "otlp", traceId, told.span);
}

function bytesOf(hex: string | undefined): Digest | null {
  return hex === undefined ? null : Buffer.from(hex, "hex");
}

function later(a: number | null, b: number | null): number | null {
  return a === null || b === null ? (a ?? b) : Math.max(a, b);
}

function earlier(a: number | null, b: number | null): number | null {
  return a === null || b === null ? (a ?? b) : Math.min(a, b);
}
