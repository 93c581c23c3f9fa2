import type { CompactionFact, DeclaredChange, Digest, TurnFact } from "../../events/event.js";
import type { Header } from "../../events/facts.js";
import type { Calls } from "../calls.js";
import type { Span } from "../importer.js";
import type { StepRecord } from "./records.js";

/** What must be remembered to go on in the middle of a file. */
export interface FileState {
  announced: boolean;
  project: string | null;
  profile: string | null;
  /** Time of the latest record that had one. */
  atMs: number | null;
  turn: OpenTurn | null;
  /** The request that was sent and has not been answered. */
  sent: OpenRequest | null;
  /** The end of the step whose usage comes next. */
  step: StepRecord | null;
  requests: number;
  changes: DeclaredChange[];
  model: string | null;
  /** Prompt tokens of the newest request. */
  contextTokens: number | null;
  compacting: { atMs: number | null; trigger: CompactionFact["trigger"] } | null;
  compaction: OpenCompaction | null;
  live: Live;
  compacted: boolean;
  /** Digest of the latest checkpoint in hex. */
  checkpoint: string | null;
  calls: Calls;
  unknown: string[];
  withoutShell: number;
}

export interface OpenTurn {
  header: Header & { turn: string };
  endedAtMs: number | null;
  outcome: TurnFact["outcome"];
}

export interface OpenRequest {
  header: Header;
  purpose: "loop" | "compaction" | "other";
  provider: string | null;
  shell: Digest | null;
  shellSet: Digest | null;
  params: Digest;
}

/** Where that stands which is in the model's context now. */
export interface Live {
  /** Parts of what was said before `from`; all that was said after it. */
  spans: Span[];
  from: number;
  messages: Message[];
}

/** A message in the context; `at` is its record, or the first one of several. */
export interface Message {
  at: Span;
  prompt: boolean;
}

export interface OpenCompaction {
  header: Header;
  /** Names of the messages that stay. */
  kept: string[];
  context: Span[];
  replacement: Span;
  tokensBefore: number | null;
  countedBy: "previous_request" | "recorded";
  messagesBefore: number | null;
  trigger: CompactionFact["trigger"];
  durationMs: number | null;
  checkpoint: { digest: string; bytes: number; fault: string } | null;
}

export function newFile(): FileState {
  return {
    announced: false,
    project: null,
    profile: null,
    atMs: null,
    turn: null,
    sent: null,
    step: null,
    requests: 0,
    changes: [],
    model: null,
    contextTokens: null,
    compacting: null,
    compaction: null,
    live: { spans: [], from: 0, messages: [] },
    compacted: false,
    checkpoint: null,
    calls: new Map(),
    unknown: [],
    withoutShell: 0,
  };
}
