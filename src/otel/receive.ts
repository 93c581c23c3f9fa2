import type { CoveredFact, SessionEvent } from "../events/event.js";
import { coverageFacts, type Header, type Levels } from "../events/facts.js";
import { type Appended, type Cursor, CursorMoved, type Sink, type Source, type SourceBatch } from "../events/sink.js";
import { eventsOfLog } from "./logs.js";
import { eventsOfPoints } from "./metrics.js";
import type { Received } from "./signals.js";
import { tell } from "./tell.js";
import type { Told } from "./told.js";
import { eventsOfTrace } from "./trace.js";

/** What became of one body. */
export interface Outcome {
  appended: Appended;
  /** Items that were understood but not kept, and why the first was not. */
  rejected: number;
  reason: string | null;
  /** What was said about the sessions, for whoever watches. */
  events: SessionEvent[];
}

/**
 * Puts what one body says into the sink, in one transaction: when this returns, it is durable.
 *
 * Everything an emitter says over one signal is one source, and each trace is a source of its own: it is told again as
 * a whole whenever spans of it arrive, in whatever order. Receiving a body twice changes nothing.
 */
export function receive(sink: Sink, received: Received, tenant: string | null): Outcome {
  for (let tries = 0; ; tries += 1) {
    const { parts, tooMany } = partsOf(sink, received, tenant);
    try {
      const appended = sink.append(parts);
      const { refused } = appended;
      return {
        appended,
        rejected: received.rejected + tooMany + refused.length,
        reason:
          received.reason ??
          (tooMany > 0 ? `more than ${TRACE_SPANS} spans in one trace` : (refused[0]?.reason ?? null)),
        events: parts.flatMap(({ events }) => events),
      };
    } catch (error) {
      // Another receiver has added spans to the same trace meanwhile.
      if (!(error instanceof CursorMoved) || tries >= TRIES) throw error;
    }
  }
}

const TRIES = 20;

/** A trace is a turn; one with more spans than this is not looked at further. */
const TRACE_SPANS = 20_000;

function partsOf(sink: Sink, received: Received, tenant: string | null): { parts: SourceBatch[]; tooMany: number } {
  const parts: SourceBatch[] = [];
  let tooMany = 0;
  const said: SessionEvent[] = [];
  const traces = new Map<string, Told[]>();
  for (const span of received.spans) {
    const told = tell(span);
    if (tenant !== null) told.tenant ??= tenant;
    traces.set(span.traceId, [...(traces.get(span.traceId) ?? []), told]);
  }
  for (const [traceId, spans] of traces) {
    const { part, left } = partOfTrace(sink, traceId, spans);
    tooMany += left;
    if (part === null) continue;
    parts.push(part);
    if (spans.every(({ own }) => own === undefined)) said.push(...part.events);
  }
  const logs = received.logs.flatMap(eventsOfLog);
  const sums = eventsOfPoints(received.points);
  parts.push(
    ...partsBySession("otlp.logs", logs, tenant),
    ...partsBySession("otlp.metrics", sums, tenant),
    ...partsBySession("otlp", coverageOf([...said, ...logs, ...sums]), null),
  );
  return { parts, tooMany };
}

/** The trace with its new spans; null when nothing is new. */
function partOfTrace(sink: Sink, traceId: string, arrived: Told[]): { part: SourceBatch | null; left: number } {
  const source: Source = { kind: "otlp", format: "otlp.traces", locator: traceId };
  const cursor = sink.cursorOf(source);
  const known = new Map((JSON.parse(cursor?.state ?? "[]") as Told[]).map((told) => [told.span, told]));
  let left = 0;
  let news = cursor !== null && cursor.parserVersion !== VERSION;
  for (const told of arrived) {
    const before = known.get(told.span);
    if (before === undefined && known.size >= TRACE_SPANS) left += 1;
    else if (before === undefined || saysMore(told, before)) {
      known.set(told.span, told);
      news = true;
    }
  }
  if (!news) return { part: null, left };
  const spans = [...known.values()].sort((a, b) => (a.span < b.span ? -1 : 1));
  const part: SourceBatch = {
    source,
    events: eventsOfTrace(traceId, spans),
    skipped: [],
    cursor: cursorAfter(cursor, spans),
    expectedOffset: cursor?.offset ?? null,
    replace: cursor !== null,
  };
  return { part, left };
}

/** Raised whenever the same spans would give other events. */
const VERSION = 1;

/** `offset` counts the versions of the trace, so that two receivers do not overwrite each other. */
function cursorAfter(cursor: Cursor | null, spans: Told[]): Cursor {
  return {
    size: spans.length,
    mtimeMs: 0,
    fileId: "",
    offset: (cursor?.offset ?? 0) + 1,
    line: 0,
    tailDigest: "",
    linesSkipped: 0,
    parserVersion: VERSION,
    state: JSON.stringify(spans),
  };
}

/** Of two reports of one span the later end wins, then the longer report; the same whichever came first. */
function saysMore(told: Told, before: Told): boolean {
  if (told.endMs !== before.endMs) return (told.endMs ?? -1) > (before.endMs ?? -1);
  const [mine, theirs] = [JSON.stringify(told), JSON.stringify(before)];
  return mine.length !== theirs.length ? mine.length > theirs.length : mine > theirs;
}

/** Each session of an agent is a source of its own, so that it can be looked at and forgotten alone. */
function partsBySession(format: string, events: SessionEvent[], tenant: string | null): SourceBatch[] {
  const bySession = new Map<string, SessionEvent[]>();
  for (const event of events) {
    const locator = `${event.agent}/${event.session}`;
    const told = event.tenant === null && tenant !== null ? { ...event, tenant } : event;
    bySession.set(locator, [...(bySession.get(locator) ?? []), told]);
  }
  return [...bySession].map(([locator, said]) => ({
    source: { kind: "otlp", format, locator },
    events: said,
    skipped: [],
    cursor: null,
    expectedOffset: null,
    replace: false,
  }));
}

/** What no telemetry tells, for every session that was spoken of; sonny's own spans say it themselves. */
function coverageOf(events: SessionEvent[]): SessionEvent[] {
  const sessions = new Map(
    events.map(({ agent, session }): [string, Header] => [`${agent}\0${session}`, { ...NOWHERE, agent, session }]),
  );
  return [...sessions.values()].flatMap((header) => coverageFacts(header, LEVELS));
}

const NOWHERE = {
  lane: "main",
  turn: null,
  tenant: null,
  atMs: null,
  timeQuality: "inherited",
  line: null,
  offset: 0,
} as const;

const UNTOLD = "OpenTelemetry has no name for it";
const LEVELS: Levels = Object.fromEntries(
  (
    [
      "local_cache",
      "divergences",
      "checkpoint_text",
      "contracts",
      "miss_reasons",
      "shell_deltas",
    ] satisfies CoveredFact[]
  ).map((fact) => [fact, { level: "absent", why: UNTOLD }]),
);
