/** What a conversation consists of, whichever agent wrote it: the ground from which facts are taken. */
export type Passage = Text | Call | Result | Plan;

interface Told {
  /** Byte offset of the record in its source. */
  position: number;
  turn: string | null;
  /** The agent's id of the message, as a compaction names the messages that it keeps; null when it has none. */
  message: string | null;
}

/** Something that was said. A `checkpoint` replaced an older part; `reinjected` is what the agent put back beside it. */
export interface Text extends Told {
  kind: "user" | "assistant" | "checkpoint" | "reinjected";
  text: string;
  /**
   * Message of the earlier prompt in whose place this one was put, when the user went back to it: that one and all that
   * followed it is not in the context any more. Absent when nothing was taken back.
   */
  insteadOf?: string;
}

/** A tool was called. */
export interface Call extends Told {
  kind: "call";
  /** What the result will name; null for a call without a result. */
  call: string | null;
  action: "read" | "modify" | "run" | "other";
  /** The file that was read or modified; null when there is none. */
  target: string | null;
  /** The command line, for `run`. */
  command: string | null;
  /** Texts among the arguments, without the target, the command, and file contents. */
  arguments: string[];
}

/** What a call gave. Only the first and the last lines of `text` are looked at. */
export interface Result extends Told {
  kind: "result";
  call: string | null;
  isError: boolean;
  text: string;
}

/** The whole plan or todo list as it stands now; it replaces an earlier one. */
export interface Plan extends Told {
  kind: "plan";
  items: { text: string; open: boolean }[];
}
