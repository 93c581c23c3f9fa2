import type { Usage } from "../../events/event.js";
import type { Utf8 } from "../json.js";

/** What every entry may carry. Entries of the oldest form have no ids; those of later forms are a tree. */
export interface Frame {
  id: string | null;
  parentId: string | null;
  /** When the entry was written. */
  atMs: number | null;
}

export interface HeaderRecord {
  kind: "header";
  id: string | null;
  project: string | null;
  thinking: string | null;
  /** Id of the session whose entries this file begins with. */
  parent: string | null;
}

export interface PromptRecord {
  kind: "prompt";
  text: Utf8;
  /** When the message was made; copies keep it. */
  madeMs: number | null;
}

export interface AnswerRecord {
  kind: "answer";
  /** When the request was sent; copies keep it. */
  madeMs: number | null;
  responseId: string | null;
  provider: string | null;
  model: string | null;
  stopReason: string | null;
  usage: Usage | null;
  costMicros: number | null;
  /** As recorded, when there is more to it. */
  raw: Record<string, unknown> | null;
  error: string | null;
  calls: { id: string | null; tool: string | null; input: unknown }[];
}

export interface ResultRecord {
  kind: "result";
  id: string | null;
  content: unknown;
  isError: boolean;
}

export interface CompactionRecord {
  kind: "compaction";
  text: Utf8 | null;
  tokensBefore: number | null;
  /** The oldest entry that stays: by its id, or, in the oldest form, by its number in the file. */
  firstKeptId: string | null;
  firstKeptIndex: number | null;
}

export interface TitleRecord {
  kind: "title";
  title: string;
}

export interface ThinkingRecord {
  kind: "thinking";
  level: string | null;
}

export interface OtherRecord {
  kind: "known" | "unknown";
  type: string;
}

export type PiRecord = { frame: Frame } & (
  | HeaderRecord
  | PromptRecord
  | AnswerRecord
  | ResultRecord
  | CompactionRecord
  | TitleRecord
  | ThinkingRecord
  | OtherRecord
);
