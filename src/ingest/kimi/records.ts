import type { Usage } from "../../events/event.js";
import type { Utf8 } from "../json.js";

/** The agent's settings; null leaves one as it was. */
export interface ConfigRecord {
  kind: "config";
  project: string | null;
  profile: string | null;
}

export interface PromptRecord {
  kind: "prompt";
  text: Utf8;
  /** True when the prompt came from another agent, not from a person. */
  spawned: boolean;
}

/** A request that is being sent. */
export interface SentRecord {
  kind: "sent";
  purpose: "loop" | "compaction" | "other";
  provider: string | null;
  /** Hashes of the system prompt and of the tools, as the client tells them. */
  shell: [system: string, tools: string] | null;
  params: Record<string, unknown>;
}

/** The end of a step: what the provider said of the response, just before its usage is recorded. */
export interface StepRecord {
  kind: "step";
  messageId: string | null;
  finishReason: string | null;
  ttftMs: number | null;
  streamMs: number | null;
}

export interface UsageRecord {
  kind: "usage";
  model: string | null;
  usage: Usage;
  /** True for the call that writes a checkpoint. */
  compaction: boolean;
}

export interface CallRecord {
  kind: "call";
  id: string | null;
  /** Unique everywhere. */
  step: string | null;
  tool: string | null;
  input: unknown;
}

export interface ResultRecord {
  kind: "result";
  id: string | null;
  output: unknown;
  isError: boolean;
}

export interface CompactionRecord {
  kind: "compaction";
  text: Utf8 | null;
  tokensBefore: number | null;
  /** Messages that were summarised, from the oldest on. */
  messagesBefore: number | null;
  /** Prompts that stay word for word, and how many of them are the oldest; null before the client told. */
  keptPrompts: number | null;
  keptHead: number;
}

/** A message begins in the context; `prompt` is one that a compaction may keep. */
export interface MessageRecord {
  kind: "message";
  prompt: boolean;
}

/** The latest prompts were taken back; null: all of the context was. */
export interface UndoRecord {
  kind: "undo";
  prompts: number | null;
}

/** A compaction begins. */
export interface CompactingRecord {
  kind: "compacting";
  trigger: "auto" | "manual" | "unknown";
}

/** The shell, or the mode, is another one from now on. */
export interface ChangeRecord {
  kind: "change";
  change: "tools" | "mode";
}

export interface OtherRecord {
  kind: "known" | "unknown" | "cancelled";
  type: string;
}

export type KimiRecord = { atMs: number | null } & (
  | ConfigRecord
  | PromptRecord
  | SentRecord
  | StepRecord
  | UsageRecord
  | CallRecord
  | ResultRecord
  | CompactionRecord
  | CompactingRecord
  | MessageRecord
  | UndoRecord
  | ChangeRecord
  | OtherRecord
);
