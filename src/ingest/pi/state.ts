import type { Digest, TurnFact } from "../../events/event.js";
import type { Header } from "../../events/facts.js";
import type { Calls } from "../calls.js";
import type { Span } from "../importer.js";

/** What must be remembered to go on in the middle of a file. */
export interface FileState {
  session: string | null;
  parent: string | null;
  project: string | null;
  title: string | null;
  /** Time of the latest entry that had one. */
  atMs: number | null;
  /** The newest entry: one that hangs on another began a branch. */
  last: string | null;
  branched: boolean;
  turn: OpenTurn | null;
  /** Model and params of the newest request. */
  model: string | null;
  params: Digest | null;
  /** All entries by their ids, or by their numbers; and the newest one. */
  entries: Map<string, Entry>;
  leaf: string | null;
  entriesRead: number;
  compaction: OpenCompaction | null;
  compacted: boolean;
  /** Digest of the latest checkpoint in hex. */
  checkpoint: string | null;
  calls: Calls;
  /** How often each record without any time was seen, by digest. */
  keyless: Map<string, number>;
  unknown: string[];
  seen: { requests: number; withoutCounters: number; withoutUsage: number; cutOff: number };
}

export interface OpenTurn {
  header: Header & { turn: string };
  endedAtMs: number | null;
  outcome: TurnFact["outcome"];
}

export interface Entry {
  /** Its id, or where it stands. */
  name: string;
  parent: string | null;
  at: Span;
  /** Of a compaction: the oldest entry that stayed; null when none did. */
  firstKept?: string | null;
}

export interface OpenCompaction {
  key: string;
  header: Header;
  tokensBefore: number | null;
  /** Names of the entries that stay. */
  kept: string[];
  context: Span[];
  replacement: Span;
  checkpoint: { digest: string; bytes: number; fault: string } | null;
}

export function newFile(): FileState {
  return {
    session: null,
    parent: null,
    project: null,
    title: null,
    atMs: null,
    last: null,
    branched: false,
    turn: null,
    model: null,
    params: null,
    entries: new Map(),
    leaf: null,
    // The head of the file is the first.
    entriesRead: 1,
    compaction: null,
    compacted: false,
    checkpoint: null,
    calls: new Map(),
    keyless: new Map(),
    unknown: [],
    seen: { requests: 0, withoutCounters: 0, withoutUsage: 0, cutOff: 0 },
  };
}
