import type { LaneKind } from "../../events/event.js";
import { digestOf, eventIdOf, hexOf } from "../../events/identity.js";
import { bounded } from "../remember.js";
import { AGENT, headed, type Place } from "./place.js";
import type { ClaudeRecord } from "./records.js";
import { type FileState, type LaneState, newLane } from "./state.js";

/**
 * The lane a record belongs to. Subagents stand in three places: files of their own and progress records name an
 * agent; the inline sidechains of old versions are chains of parents, named after the uuid of their first record.
 */
export function laneIdOf({ sidechains }: FileState, record: ClaudeRecord): string {
  if (!record.frame.sidechain) return "main";
  if (record.frame.agentId !== null) return record.frame.agentId;
  const parent = record.frame.parentUuid === null ? undefined : sidechains.get(record.frame.parentUuid);
  const lane = parent ?? record.frame.uuid ?? "sidechain";
  if (record.frame.uuid !== null) sidechains.set(record.frame.uuid, lane);
  bounded(sidechains, SIDECHAIN_RECORDS);
  return lane;
}

/** So many records back a parent is found; chains of parallel subagents interleave closely. */
const SIDECHAIN_RECORDS = 1000;

export function laneOf({ lanes }: FileState, id: string): LaneState {
  const lane = lanes.get(id) ?? newLane(id);
  lanes.set(id, lane);
  return lane;
}

/** Where a record of the lane was found; see `RequestFact.copyRank`. A side lane's own file replays its parent's. */
export function rankOf(file: FileState, record: ClaudeRecord, lane: string): 0 | 1 | 2 {
  if (record.frame.progressOf !== null) return 2;
  if (lane === "main") return 0;
  return file.own === lane && laneKindOf(lane) === "subagent" ? 0 : 1;
}

/** The client runs some subagents for itself and marks their ids. */
export function laneKindOf(agentId: string): LaneKind {
  if (agentId.startsWith("acompact")) return "compaction";
  return /^a(?:side_question|prompt_suggestion)/.test(agentId) ? "side" : "subagent";
}

/** What is known about a subagent's lane when its first record in a session comes. */
export function sayLane(place: Place, record: ClaudeRecord, agentTypeBeside: () => string | null): void {
  const { session, lane } = place;
  if (lane.id === "main" || session.lanes.includes(lane.id)) return;
  session.lanes.push(lane.id);
  const call = callOfLane(place, record);
  place.say({
    kind: "lane",
    ...headed(place, eventIdOf("lane", AGENT, session.id, lane.id)),
    turn: null,
    laneKind: laneKindOf(lane.id),
    agentType: agentTypeBeside() ?? call?.agentType ?? null,
    parentLane: call?.header.lane ?? null,
    parentToolCall: call?.callId ?? (record.frame.progressOf || null),
  });
}

/** The call that started the lane: named by a progress record, else the open call with the lane's first prompt. */
function callOfLane({ file }: Place, record: ClaudeRecord) {
  if (record.frame.progressOf !== null) return file.calls.get(record.frame.progressOf);
  if (record.kind !== "user" || record.text === null || record.frame.agentId !== null) return undefined;
  const prompt = hexOf(digestOf(record.text, "latin1"));
  return [...file.calls.values()].find((call) => call.promptDigest === prompt);
}
