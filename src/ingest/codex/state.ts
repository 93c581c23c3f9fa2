import type { DeclaredChange, Digest, TurnFact } from "../../events/event.js";
import type { Header } from "../../events/facts.js";
import type { Calls } from "../calls.js";
import type { Span } from "../importer.js";
import type { Counter } from "./records.js";

/** What must be remembered to go on in the middle of a file. */
export interface FileState {
  /** The file's own session: the one its first record names. */
  session: string | null;
  /** The oldest known ancestor of the session: forks of one history share it. */
  root: string | null;
  parent: string | null;
  /** True until something other than the heads of ancestors was read. */
  heading: boolean;
  bare: boolean;
  version: string | null;
  project: string | null;
  branch: string | null;
  provider: string | null;
  shell: Digest | null;
  shellSet: Digest | null;
  params: Digest | null;
  model: string | null;
  mode: string | null;
  /** Time of the latest record that had one. */
  atMs: number | null;
  turn: OpenTurn | null;
  /** True once the client said itself where a turn begins. */
  saysTurns: boolean;
  /** A prompt that begins a turn unless the client says so itself. */
  prompt: { header: Header; key: string } | null;
  prompts: number;
  /** The cumulative counter; null before its first row. */
  counter: Counter | null;
  /** Names the history up to the newest request: equal in copies, different everywhere else. */
  chain: string;
  /** How often the counter began again in this turn. */
  resets: number;
  /** What came since the newest request: numbers name what has no id. */
  since: { calls: number; compactions: number; failures: number };
  /** Model context after the newest request. */
  contextTokens: number | null;
  modelRequested: string | null;
  changes: DeclaredChange[];
  compaction: OpenCompaction | null;
  live: Live;
  compacted: boolean;
  /** Digest of the latest checkpoint in hex. */
  checkpoint: string | null;
  calls: Calls;
  /** Unknown record types that were noted. */
  unknown: string[];
  seen: Seen;
}

export interface OpenTurn {
  header: Header & { turn: string };
  /** The client's id of the turn when it is unique everywhere. */
  unique: string | null;
  endedAtMs: number | null;
  outcome: TurnFact["outcome"];
  /** Where the turn worked; said after it began. */
  project: string | null;
}

/** Where that stands which is in the model's context now. */
export interface Live {
  /** Parts of what was said before `from`; all that was said after it. */
  spans: Span[];
  from: number;
  /** Messages of the user's in the context. */
  prompts: { name: string; bytes: number; at: Span }[];
}

export interface OpenCompaction {
  key: string;
  header: Header;
  tokensBefore: number | null;
  messagesAfter: number | null;
  /** Names of the messages that stay. */
  kept: string[];
  context: Span[];
  replacement: Span;
  checkpoint: { digest: string; bytes: number; fault: string } | null;
}

/** Counts that coverage is judged by. */
export interface Seen {
  requests: number;
  withoutCounters: number;
  withoutShell: number;
  /** Rows of usage in a form that is not understood. */
  unreadable: number;
  /** Requests whose sum holds one that was not logged. */
  merged: number;
  /** The counter began with somebody else's requests. */
  inherited: boolean;
  compactions: number;
  encrypted: number;
}

export function newFile(): FileState {
  return {
    session: null,
    root: null,
    parent: null,
    heading: true,
    bare: false,
    version: null,
    project: null,
    branch: null,
    provider: null,
    shell: null,
    shellSet: null,
    params: null,
    model: null,
    mode: null,
    atMs: null,
    turn: null,
    saysTurns: false,
    prompt: null,
    prompts: 0,
    counter: null,
    chain: "",
    resets: 0,
    since: { calls: 0, compactions: 0, failures: 0 },
    contextTokens: null,
    modelRequested: null,
    changes: [],
    compaction: null,
    live: { spans: [], from: 0, prompts: [] },
    compacted: false,
    checkpoint: null,
    calls: new Map(),
    unknown: [],
    seen: {
      requests: 0,
      withoutCounters: 0,
      withoutShell: 0,
      unreadable: 0,
      merged: 0,
      inherited: false,
      compactions: 0,
      encrypted: 0,
    },
  };
}
