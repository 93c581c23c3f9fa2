import { type RawBuilder, sql } from "kysely";

/** What requests can be grouped by. `agent-type` is the kind of subagent, or of lane; `version` the client's. */
export const REQUEST_GROUPINGS = [
  "day",
  "week",
  "month",
  "model",
  "agent",
  "project",
  "branch",
  "session",
  "lane",
  "agent-type",
  "version",
] as const;
export type RequestGrouping = (typeof REQUEST_GROUPINGS)[number];

/**
 * How a request names its group. All parts are numbers or short words of the row itself; names are looked up once per
 * group, not once per request.
 */
export interface GroupColumns {
  joins: ("turns" | "lanes")[];
  /** A word that names the group. */
  word?: RawBuilder<number | null>;
  /** A session that does, through `label`: where the word is unknown, or instead of it. */
  session?: RawBuilder<number | null>;
  label?: RawBuilder<string | null>;
  text?: RawBuilder<string | null>;
  /** Start of the slot that the request lies in. */
  slot?: RawBuilder<number | null>;
}

/** The columns of a grouping; `slotMs` is the length of a slot of time. */
export function columnsOf(by: RequestGrouping, slotMs: number): GroupColumns {
  if (by !== "day" && by !== "week" && by !== "month") return NAMED[by];
  return { joins: [], slot: sql<number | null>`requests.at_ms - requests.at_ms % ${sql.lit(slotMs)}` };
}

/** What stands on the turn (a session can change its branch midway), else what the session says. */
function ofTurn(column: string, field: string): GroupColumns {
  return {
    joins: ["turns"],
    word: sql.ref(`turns.${column}`),
    session: sql`iif(${sql.ref(`turns.${column}`)} is null, requests.session, null)`,
    label: sql.ref(`sessions.${field}`),
  };
}

const NAMED: Record<Exclude<RequestGrouping, "day" | "week" | "month">, GroupColumns> = {
  model: { joins: [], word: sql.ref("requests.model") },
  agent: {
    joins: [],
    session: sql.ref("requests.session"),
    label: sql`(select text from words where words.id = sessions.agent)`,
  },
  project: ofTurn("project", "project"),
  branch: ofTurn("branch", "branch"),
  version: ofTurn("client_version", "agent_version"),
  session: { joins: [], session: sql.ref("requests.session"), label: sql.ref("sessions.session_id") },
  lane: { joins: ["lanes"], text: sql.ref("lanes.kind") },
  "agent-type": {
    joins: ["lanes"],
    word: sql.ref("lanes.agent_type"),
    // Only a subagent has a type; every other lane is named by what it is for.
    text: sql`iif(lanes.agent_type is null and lanes.kind <> 'subagent', lanes.kind, null)`,
  },
};
