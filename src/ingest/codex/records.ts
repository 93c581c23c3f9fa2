import type { Digest, LaneKind } from "../../events/event.js";
import type { Utf8 } from "../json.js";

/** One cumulative counter, or the last request's share of it; null is unsaid. `input` includes cached and written. */
export interface Counter {
  input: number;
  cached: number | null;
  written: number | null;
  output: number;
  /** Part of `output`. */
  reasoning: number | null;
  /** As said; after a compaction an estimate of the context, with all other counts 0. */
  total: number | null;
}

/** Who a session is: its first record. A fork's file may go on with those of its ancestors. */
export interface MetaRecord {
  kind: "meta";
  id: string | null;
  /** The session whose history this one begins with. */
  parent: string | null;
  version: string | null;
  project: string | null;
  branch: string | null;
  provider: string | null;
  /** Null for sessions of the user's own. */
  laneKind: LaneKind | null;
  agentType: string | null;
  /** Digests of the base instructions and of tools defined by the client's host, in this order. */
  shell: Digest[];
  /** True for the form before there were envelopes: it holds no usage. */
  bare: boolean;
}

/** What the next requests are made with. */
export interface ContextRecord {
  kind: "context";
  model: string | null;
  project: string | null;
  mode: string | null;
  params: Digest | null;
}

export interface TurnRecord {
  kind: "turn_started" | "turn_answered" | "turn_interrupted" | "turn_failed";
  turnId: string | null;
}

/** Text of the user's: begins a turn in versions that do not say so themselves. */
export interface PromptRecord {
  kind: "prompt";
  text: Utf8;
}

export interface CounterRecord {
  kind: "counter";
  total: Counter | null;
  last: Counter | null;
  model: string | null;
  windowTokens: number | null;
  /** As recorded; null for rows that tell of rate limits only. */
  info: Record<string, unknown> | null;
}

export interface CallRecord {
  kind: "call";
  id: string | null;
  tool: string | null;
  /** As the model wrote them: text, or an object for tools that the provider runs. */
  input: unknown;
  /** True when the input must be JSON. */
  json: boolean;
  /** True when no result will follow. */
  hosted: boolean;
}

export interface ResultRecord {
  kind: "result";
  id: string | null;
  output: unknown;
}

/** The client's word on how a call went, before its result. */
export interface CallEndRecord {
  kind: "call_ended";
  id: string | null;
  failed: boolean;
  durationMs: number | null;
}

export interface CompactionRecord {
  kind: "compaction";
  /** The checkpoint; empty when the provider made it and encrypted it. */
  text: Utf8;
  messagesAfter: number | null;
  /** Names of the user's messages that stay in the context; null when that is not told. */
  kept: string[] | null;
}

/** A message of the user's own, as the model gets it. */
export interface SaidRecord {
  kind: "said";
  name: string;
  bytes: number;
}

/** The user took back the latest turns. */
export interface RolledBackRecord {
  kind: "rolled_back";
  turns: number;
}

export interface FailureRecord {
  kind: "failure";
  errorClass: string;
  status: number | null;
}

/** Known records without anything to tell, and unknown ones. */
export interface OtherRecord {
  kind: "known" | "unknown";
  type: string;
}

export type CodexRecord =
  | MetaRecord
  | ContextRecord
  | TurnRecord
  | PromptRecord
  | CounterRecord
  | CallRecord
  | ResultRecord
  | CallEndRecord
  | CompactionRecord
  | SaidRecord
  | RolledBackRecord
  | FailureRecord
  | OtherRecord;
