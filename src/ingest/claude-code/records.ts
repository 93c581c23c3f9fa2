import type { Utf8 } from "../json.js";

/** What every record of a conversation carries. */
export interface Frame {
  uuid: string | null;
  parentUuid: string | null;
  session: string | null;
  atMs: number | null;
  version: string | null;
  project: string | null;
  branch: string | null;
  sessionKind: string | null;
  /** True for records of a subagent. */
  sidechain: boolean;
  agentId: string | null;
  /** The record of another session that this one copies, when the copy says so. */
  copyOf: { session: string | null; uuid: string | null } | null;
  /** The tool call whose progress carried this record; null for records of their own. */
  progressOf: string | null;
}

/** One content block of a response, or a whole one; or a reply that the client made up itself. */
export interface AssistantRecord {
  frame: Frame;
  kind: "assistant";
  messageId: string | null;
  requestId: string | null;
  model: string | null;
  stopReason: string | null;
  /** As recorded; null when absent. */
  usage: Record<string, unknown> | null;
  toolUses: ToolUse[];
  /** Whether this version writes diagnostics at all, and what they say. */
  diagnosed: boolean;
  missReason: string | null;
  missedTokens: number | null;
  /** True for replies that no provider sent. */
  synthetic: boolean;
  /** What went wrong, for replies that stand for a failure. */
  failure: { status: number | null; errorClass: string } | null;
}

export interface ToolUse {
  id: string | null;
  name: string | null;
  input: unknown;
}

export interface ToolResult {
  id: string | null;
  isError: boolean;
  content: unknown;
}

/** A prompt, results of tools, or the checkpoint of a compaction. */
export interface UserRecord {
  frame: Frame;
  kind: "user";
  /** Text of the content, joined; null when it has none: then it is no prompt. */
  text: Utf8 | null;
  /** True for texts of the client's own: caveats, reminders, skill bodies. */
  meta: boolean;
  checkpoint: boolean;
  results: ToolResult[];
  /** From the structured result beside the block: the subagent that ran, and how long the tool took. */
  ranAgent: string | null;
  /** Uuid of the record that made the call. */
  calledBy: string | null;
  durationMs: number | null;
  permissionMode: string | null;
}

export interface BoundaryRecord {
  frame: Frame;
  kind: "boundary";
  form: "full" | "micro";
  trigger: string | null;
  preTokens: number | null;
  savedTokens: number | null;
  durationMs: number | null;
  keptMessages: string[];
  clearedResults: string[];
  clearedMessages: string[];
}

/** A try that failed and will be repeated. */
export interface RetryRecord {
  frame: Frame;
  kind: "retry";
  number: number | null;
  backoffMs: number | null;
  failure: { status: number | null; errorClass: string };
}

/** The requested model refused and another one answered. */
export interface FallbackRecord {
  frame: Frame;
  kind: "fallback";
  requestId: string | null;
  requestedModel: string | null;
}

/** Something said about tools or instructions in the context. */
interface ListingRecord {
  frame: Frame;
  kind: "listing";
  change: "tools" | "instructions";
  initial: boolean;
}

interface TitleRecord {
  frame: Frame;
  kind: "title";
  title: string;
  /** Greater is a better source: a summary, a made-up title, a title the user gave. */
  rank: number;
}

interface ModeRecord {
  frame: Frame;
  kind: "mode";
  mode: string;
  /** Two switches exist: the permission mode and the client's mode. */
  which: "permission" | "client";
}

/** The client said that a turn is over, or that the session was resumed. */
export interface SignalRecord {
  frame: Frame;
  kind: "turn_end" | "resume";
}

/** Known records that hold nothing of interest, and unknown ones. */
interface OtherRecord {
  frame: Frame;
  kind: "known" | "unknown";
  type: string;
}

export type ClaudeRecord =
  | AssistantRecord
  | UserRecord
  | BoundaryRecord
  | RetryRecord
  | FallbackRecord
  | ListingRecord
  | TitleRecord
  | ModeRecord
  | SignalRecord
  | OtherRecord;
