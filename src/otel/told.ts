import type { Usage } from "../events/event.js";

/**
 * What one span tells, in the words of the house: everything that is kept of it. Texts are gone; of system instructions
 * and tool definitions their digests stay. It is kept as JSON, without the fields that are not known.
 */
export interface Told {
  /** Span, parent and trace by their ids in hex. */
  span: string;
  parent?: string | undefined;
  startMs?: number | undefined;
  endMs?: number | undefined;
  failed?: true | undefined;
  /** Of the emitter, from the resource; null fields of a span are asked of its ancestors. */
  agent?: string | undefined;
  agentVersion?: string | undefined;
  session?: string | undefined;
  tenant?: string | undefined;
  /** Key of the turn, where the emitter names it; else a trace is a turn. */
  turn?: string | undefined;
  lane?: string | undefined;
  /** Set on the span that runs an agent: its kind of agent. */
  agentName?: string | undefined;
  request?: ToldRequest | undefined;
  tool?: ToldTool | undefined;
  compaction?: ToldCompaction | undefined;
  /** Events of sonny's own, as `own.ts` encodes them. */
  own?: Record<string, unknown>[] | undefined;
}

export interface ToldRequest {
  provider?: string | undefined;
  model?: string | undefined;
  requestedModel?: string | undefined;
  responseId?: string | undefined;
  /** The provider's id of the call, where it is another than that of the response. */
  requestId?: string | undefined;
  finishReason?: string | undefined;
  /** Null when the span only says that a model was called. */
  usage: Usage | null;
  raw?: string | undefined;
  costMicros?: number | undefined;
  ttftMs?: number | undefined;
  /** Hex. */
  shellDigest?: string | undefined;
  shellSetDigest?: string | undefined;
  contradictory?: true | undefined;
}

export interface ToldTool {
  tool?: string | undefined;
  callId?: string | undefined;
  /** Hex. */
  argumentsDigest?: string | undefined;
  targetDigest?: string | undefined;
  resultDigest?: string | undefined;
  resultBytes?: number | undefined;
  isError?: boolean | undefined;
}

export interface ToldCompaction {
  tokensBefore?: number | undefined;
  tokensAfter?: number | undefined;
  trigger?: "manual" | "auto" | undefined;
  succeeded?: boolean | undefined;
}
