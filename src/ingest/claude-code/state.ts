import type { DeclaredChange, EventHeader, RequestFact, ToolCallFact, TurnFact } from "../../events/event.js";

/** What must be remembered to go on in the middle of a file. Bounded: it grows with lanes, not with records. */
export interface FileState {
  /** Lane whose own file this is: `main`, or the id of a subagent. */
  own: string | null;
  /** Session of the latest record that named one. */
  session: string | null;
  /** A title that was said before any session was known. */
  title: string | null;
  /** Unknown record types that were noted already. */
  unknown: string[];
  /** Usually one; a copied history may name others. */
  sessions: Map<string, SessionState>;
  /** The conversation goes on from one session to the next, so its lanes belong to the file. */
  lanes: Map<string, LaneState>;
  /** Tool calls without a result, by the provider's id. */
  calls: Map<string, OpenCall>;
  /** Lanes of the latest records of sidechains that have no agent id, by uuid. */
  sidechains: Map<string, string>;
  /** How often each record without any id was seen, by digest. */
  keyless: Map<string, number>;
}

export interface SessionState {
  id: string;
  /** True once the session has been said. */
  announced: boolean;
  /** Time of the latest record that had one. */
  atMs: number | null;
  version: string | null;
  title: string | null;
  titleRank: number;
  /** Lanes that were said to be in this session. */
  lanes: string[];
  seen: Seen;
}

/** Counts that coverage is judged by. */
export interface Seen {
  oldest: string | null;
  newest: string | null;
  requests: number;
  withoutUsage: number;
  withoutCounters: number;
  provisional: number;
  undiagnosed: number;
}

export interface LaneState {
  id: string;
  turn: OpenTurn | null;
  /** The newest request: its lines may go on. */
  request: OpenRequest | null;
  /** A compaction whose next request has not come. */
  compaction: OpenCompaction | null;
  /** Changes said since the newest request. */
  changes: DeclaredChange[];
  rewritten: "compaction" | "gc" | null;
  /** Requests begun so far. */
  requests: number;
  /** Prompt tokens of the newest request. */
  contextTokens: number | null;
  model: string | null;
  version: string | null;
  requestedModel: string | null;
  modes: { permission: string | null; client: string | null };
  /** Digest of the latest checkpoint, to notice one that repeats it. */
  checkpoint: string | null;
  /** Where that checkpoint stands: the context begins there. 0 before the first one. */
  contextFrom: number;
}

type Without<T extends EventHeader> = Omit<T, "eventId">;

export interface OpenTurn extends Without<TurnFact> {
  key: string;
}

export interface OpenCompaction {
  key: string;
  header: Without<EventHeader>;
  version: string | null;
  trigger: string | null;
  tokensBefore: number | null;
  /** Where `tokensBefore` comes from. */
  countedBy: "boundary" | "previous_request";
  durationMs: number | null;
  kept: string[];
  /** The checkpoint that replaced the older context: its digest in hex, its size, and what is wrong with it. */
  checkpoint: { digest: string; bytes: number; fault: string; from: number } | null;
  /** Bytes of the file in which the replaced context stands. */
  context: [from: number, to: number];
}

export interface OpenRequest {
  /** The provider's id of the response, or what stands for it. */
  key: string;
  /** The latest tool call in the response. */
  lastCall: string | null;
  /** Whether the record has room for the provider's own miss reason. */
  diagnosed: boolean;
  fact: Without<RequestFact>;
}

/** A call that waits for its result. */
export interface OpenCall
  extends Pick<ToolCallFact, "callId" | "tool" | "useSeen" | "argumentsDigest" | "targetDigest"> {
  /** What names the call everywhere. */
  key: string;
  header: Without<EventHeader>;
  /** For calls that start a subagent: its type, and the digest of its prompt. */
  agentType: string | null;
  promptDigest: string | null;
}

export function newFile(): FileState {
  return {
    own: null,
    session: null,
    title: null,
    unknown: [],
    sessions: new Map(),
    lanes: new Map(),
    calls: new Map(),
    sidechains: new Map(),
    keyless: new Map(),
  };
}

export function newSession(id: string): SessionState {
  return {
    id,
    announced: false,
    atMs: null,
    version: null,
    title: null,
    titleRank: 0,
    lanes: [],
    seen: {
      oldest: null,
      newest: null,
      requests: 0,
      withoutUsage: 0,
      withoutCounters: 0,
      provisional: 0,
      undiagnosed: 0,
    },
  };
}

export function newLane(id: string): LaneState {
  return {
    id,
    turn: null,
    request: null,
    compaction: null,
    changes: [],
    rewritten: null,
    requests: 0,
    contextTokens: null,
    model: null,
    version: null,
    requestedModel: null,
    modes: { permission: null, client: null },
    checkpoint: null,
    contextFrom: 0,
  };
}
