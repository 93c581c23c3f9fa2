import type { SessionEvent } from "../events/event.js";
import type { Levels } from "../events/facts.js";
import type { Passage } from "../retention/passages.js";
import type { Line } from "./lines.js";
import type { Found } from "./values.js";

/** What an agent's folder must hold to be an importer; each lives in a folder of its own. */
export interface Importer {
  /** Name from the closed list, as it stands on every event. */
  agent: string;
  /** Raised whenever the same bytes would give other events: sources read by an older version are read again. */
  parserVersion: number;
  /** True when this record can only have been written by this agent. Judged by content, never by the file's name. */
  recognises(record: Record<string, unknown>): boolean;
  /**
   * What transcripts of this agent can tell, before any is looked at; a kind that is not mentioned is full. A kind that
   * is full may still be missing in some, and one that is absent is absent in all.
   */
  coverage: Levels;
  /** Folders where this agent keeps its transcripts, most usual first; they need not exist. */
  places(surroundings: Surroundings): string[];
  /** When the agent itself deletes transcripts. Absent where it is not known to. */
  cleanup?(surroundings: Surroundings): Cleanup;
  /** True for names worth opening when a folder is searched. */
  mayBe(fileName: string): boolean;
  /** True for documents that are rewritten in place: whatever changed in one, it is read as a whole again. */
  whole?: boolean;
  /** What a file stands for that holds no records itself; null for other files. Throws `Damaged`. */
  gather?(path: string): Gathered | null;
  /** Begins or continues one file. `state` is what `Mapper.state` said at the place where reading goes on. */
  map(file: TranscriptFile, options: MapOptions, state: string | null): Mapper;
  /**
   * Reads records once more, as what was said in the lane of a compaction, so that its checkpoint can be judged.
   * Absent where checkpoints cannot be read.
   */
  passages?(lane: string): (record: Found) => Passage[];
}

/** Where places are looked up: handed in, because only the door reads the environment. */
export interface Surroundings {
  home: string;
  variables: Record<string, string | undefined>;
}

/** How long an agent keeps a transcript after its last change. */
export interface Cleanup {
  /** Null: for ever. */
  days: number | null;
  /** Name of the setting that says so, and the file that does; null when the agent's default stands. */
  setting: string;
  file: string | null;
}

/** The file that is read, and what stands beside it. */
export interface TranscriptFile {
  path: string;
  /** Text of a small file beside this one, such as a description of a subagent; null when there is none. */
  beside(name: string): string | null;
}

/** A database, or a file that only names others: what is read instead of its bytes. */
export interface Gathered {
  /** Differs from what it was whenever something is new. */
  size: number;
  mtimeMs: number;
  /** Each holds a record. */
  lines(): Iterable<Line>;
}

export interface MapOptions {
  /** Put on every event; null when none was given. */
  tenant: string | null;
  /** True says texts too, as `content` events. */
  content: boolean;
}

/**
 * Turns the records of one file, in file order, into events. What it says depends on the records alone: leaving the
 * file at any place and continuing from `state` gives the same store as reading it in one go.
 */
export interface Mapper {
  /** Takes one record and says the events it completes. */
  take(record: Found, say: Say): void;
  /** Called at `offset`, the end of the file as it stands now: says what is still open, without closing it. */
  rest(offset: number, say: Say): void;
  /** What must be remembered to go on from here, as JSON. */
  state(): string;
  readonly tally: Tally;
}

/** Takes an event. A compaction that is over is said with what it replaced, and then judged. */
export type Say = (event: SessionEvent, replaced?: Replaced) => void;

/** What a compaction replaced, and by what: where it stands in the file, or what it says. */
export interface Replaced {
  /** All that was in the context, in order, with what stays there. */
  context: (Span | Passage)[];
  /** The checkpoint, and what was put into the context beside it; nothing of either when it cannot be read. */
  replacement: (Span | Passage)[];
}

/** Byte offsets of whole records. */
export type Span = [from: number, to: number];

/** Counts for the report that cannot be seen from the events. */
export interface Tally {
  /** Lines that repeat a request of the same file. */
  repeated: number;
  /** Requests without an id of the provider. */
  withoutKey: number;
}
