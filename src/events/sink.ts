import type { SessionEvent } from "./event.js";

/** Where events come from: a file on disk, an OTLP sender, the door, a run of the runtime. */
export interface Source {
  kind: "runtime" | "import" | "otlp" | "fixture" | "manual";
  /** Which importer or protocol, such as `claude-code`. */
  format: string;
  /** Absolute path, or another name that is unique within the format. */
  locator: string;
}

/** How far a source has been read. Commits in the same transaction as the events it stands for. */
export interface Cursor {
  /** Size, modification time and identity of the file when it was last looked at: equal means nothing to read. */
  size: number;
  mtimeMs: number;
  fileId: string;
  /** Bytes consumed so far: up to the end of the last whole line. */
  offset: number;
  /** Whole lines consumed so far. */
  line: number;
  /** Hex digest of up to 64 bytes before `offset`, to notice a file that was rewritten in place. */
  tailDigest: string;
  linesSkipped: number;
  parserVersion: number;
  /** What the parser must remember to go on at `offset`, as JSON; null at the start of a file. */
  state: string | null;
}

/** One skipped line: where and why. */
export interface SkippedLine {
  line: number;
  offset: number;
  reason: string;
}

/** Events of one source, and where reading stands after them. */
export interface SourceBatch {
  source: Source;
  events: SessionEvent[];
  skipped: SkippedLine[];
  /** Null for sources that are not read by offset. */
  cursor: Cursor | null;
  /** The cursor this batch started from (its `offset`); another value in the store means somebody else was faster. */
  expectedOffset: number | null;
  /** True removes everything this source said before: the file was rewritten, or the parser was fixed. */
  replace: boolean;
}

export interface Appended {
  /** New rows per kind of event. */
  added: Partial<Record<SessionEvent["kind"], number>>;
  /** Events that were already there, unchanged. */
  known: number;
  /**
   * Of the new rows: those that stand for what the same source had said before it was read anew. Absent where nothing
   * was replaced; requests that were copies of counted ones are not among them.
   */
  replaced?: Partial<Record<SessionEvent["kind"], number>>;
  /** Requests that are a copy of one already counted elsewhere in the store. */
  copies: number;
  /** Facts whose recorded tenant contradicts a known one; the known one stays. */
  tenantConflicts: number;
  /** Events of sessions that were forgotten on purpose, left out. */
  forgotten: number;
  /** Events of imports and receivers that contradict themselves, left out; from everybody else one ends the batch. */
  refused: Refused[];
}

/** An event that no store can hold. */
export interface Refused {
  source: Source;
  /** 1-based line in the source; null outside files. */
  line: number | null;
  /** What it is, whose, and what contradicts. */
  reason: string;
}

/** Raised by `append` when the stored cursor is not the expected one: read the source again from its cursor. */
export class CursorMoved extends Error {
  constructor(readonly source: Source) {
    super(`another import has read ${source.locator} meanwhile`);
  }
}

/** Takes whole batches and answers when they are durable. Driven by importers, receivers and the door. */
export interface Sink {
  /** How far this source was read; null when it is new. */
  cursorOf(source: Source): Cursor | null;
  /**
   * One transaction for all parts: afterwards either everything is there or nothing. Throws `CursorMoved`, and a
   * `Failure` `event.refused` for an event that contradicts itself, unless it was read from a file or received.
   */
  append(parts: SourceBatch[]): Appended;
}

/** Takes single events while an agent works. Never throws, never waits; counts what it had to drop. */
export interface Recorder {
  record(event: SessionEvent): void;
  /** Resolves when everything recorded so far is durable or counted as lost. */
  flush(): Promise<void>;
  /** Events that could not be kept, and why the last one failed. */
  readonly lost: { count: number; lastReason: string | null };
}
