import type { NoteFact, SessionEvent, SessionFact } from "../../events/event.js";
import { eventIdOf } from "../../events/identity.js";
import type { MapOptions, Mapper, Tally, TranscriptFile } from "../importer.js";
import { object } from "../json.js";
import { boundaryEvents, checkpointEvents, compactionOf } from "./compactions.js";
import { coverageEvents, sawVersion } from "./coverage.js";
import { laneEvents, laneIdOf, laneOf, rankOf } from "./lanes.js";
import { recordOf } from "./parse.js";
import { AGENT, headed, type Place } from "./place.js";
import type { ClaudeRecord } from "./records.js";
import { fallback, requestEvents, requestOf, retryEvents, syntheticEvents } from "./requests.js";
import { type FileState, type LaneState, newFile, newSession, restored, type SessionState, written } from "./state.js";
import { callEvents, callOf, resultEvents } from "./tools.js";
import { carriedTurn, interruption, isPrompt, promptEvents, turnGoesOn, turnOf } from "./turns.js";

/** Reads one transcript of Claude Code, record by record. */
export function map(file: TranscriptFile, options: MapOptions, remembered: string | null): Mapper {
  const state = remembered === null ? newFile() : restored(remembered);
  const tally: Tally = { repeated: 0, withoutKey: 0 };
  return {
    tally,
    state: () => written(state),

    take({ value, ...found }) {
      const record = recordOf({ value });
      const session = sessionOf(state, record, file.path);
      if (session === null) return [];
      if (record.atMs !== null) session.atMs = record.atMs;
      const id = laneIdOf(state, record);
      if (isConversation(record)) state.own ??= id;
      const rank = rankOf(state, record, id);
      const here: Place = { file: state, session, lane: laneOf(state, id), rank, ...options, ...found };
      const said: SessionEvent[] = sessionEvents(here, record);
      said.push(...laneEvents(here, record, () => agentTypeBeside(file, state, id)));
      said.push(...tellings(here, record, tally));
      return said;
    },

    rest(offset) {
      const events: SessionEvent[] = [];
      for (const { request, compaction, turn } of state.lanes.values()) {
        if (request !== null) events.push(requestOf(request));
        if (compaction !== null) events.push(compactionOf(compaction));
        if (turn !== null && turn.endedAtMs !== null) events.push(turnOf(turn));
      }
      for (const call of state.calls.values()) events.push(callOf(call));
      for (const session of state.sessions.values()) {
        if (session.announced) events.push(...coverageEvents(state, session, options.tenant, offset));
      }
      return events;
    },
  };
}

/** What one record tells. */
function tellings(place: Place, record: ClaudeRecord, tally: Tally): SessionEvent[] {
  const { lane } = place;
  switch (record.kind) {
    case "assistant": {
      const carried = carriedTurn(place);
      turnGoesOn(place, record);
      if (record.synthetic) return [...carried, ...syntheticEvents(place, record)];
      const events = [...carried, ...requestEvents(place, record, tally)];
      return record.progressOf === null ? [...events, ...callEvents(place, record)] : events;
    }
    case "user":
      if (record.permissionMode !== null) changeMode(lane, "permission", record.permissionMode);
      if (record.checkpoint) return checkpointEvents(place, record);
      if (isPrompt(record)) return promptEvents(place, record);
      interruption(place, record);
      return record.progressOf === null ? resultEvents(place, record) : [];
    case "boundary":
      return boundaryEvents(place, record);
    case "retry":
      return retryEvents(place, record);
    case "fallback":
      return fallback(place, record);
    case "listing":
      if (lane.requests > 0 && !record.initial) lane.changes.push(record.change);
      return [];
    case "resume":
      if (lane.requests > 0) lane.changes.push("resume");
      return [];
    case "mode":
      changeMode(lane, record.which, record.mode);
      return [];
    case "turn_end":
      turnGoesOn(place, record);
      return [];
    case "unknown":
      return unknownRecord(place, record.type);
    default:
      return [];
  }
}

/** Records that are part of a conversation, as opposed to the client's book-keeping. */
function isConversation(record: ClaudeRecord): boolean {
  return !["title", "mode", "known", "unknown"].includes(record.kind);
}

/** The session of a record; null for book-keeping before any session is known. */
function sessionOf(state: FileState, record: ClaudeRecord, path: string): SessionState | null {
  const stem = () => path.replace(/^.*[\\/]/, "").replace(/\.jsonl$/, "");
  const id = record.session ?? state.session ?? (isConversation(record) ? stem() : null);
  if (id === null) {
    if (record.kind === "title") state.title = record.title;
    return null;
  }
  state.session = id;
  const known = state.sessions.get(id);
  if (known !== undefined) return known;
  const session = newSession(id);
  session.title = state.title;
  session.titleRank = state.title === null ? 0 : 1;
  state.sessions.set(id, session);
  return session;
}

/** The session as a whole: said with its first record, and again when its version or title changes. */
function sessionEvents(place: Place, record: ClaudeRecord): SessionFact[] {
  const { session } = place;
  sawVersion(session.seen, record.version);
  const titled = record.kind === "title" && record.rank >= session.titleRank && record.title !== session.title;
  if (titled) Object.assign(session, { title: record.title, titleRank: record.rank });
  const upgraded = record.version !== null && record.version !== session.version;
  session.version = record.version ?? session.version;
  const first = !session.announced && isConversation(record);
  if (!first && !(session.announced && (titled || upgraded))) return [];
  session.announced = true;
  const parent = record.copyOf?.session ?? null;
  return [
    {
      kind: "session",
      ...headed(place, record, eventIdOf("session", AGENT, session.id)),
      turn: null,
      agentVersion: session.version,
      project: record.project,
      branch: record.branch,
      title: session.title,
      parentSession: parent === session.id ? null : parent,
      sessionKind: record.sessionKind ?? "task",
      status: null,
    },
  ];
}

/** Beside a subagent's file stands one that tells its type. */
function agentTypeBeside(file: TranscriptFile, state: FileState, lane: string): string | null {
  if (state.own !== lane) return null;
  try {
    const said = object(JSON.parse(file.beside(`agent-${lane}.meta.json`) ?? "null"));
    return typeof said?.agentType === "string" ? said.agentType : null;
  } catch {
    return null;
  }
}

function changeMode(lane: LaneState, which: "permission" | "client", mode: string): void {
  const before = lane.modes[which];
  if (lane.requests > 0 && before !== null && before !== mode) lane.changes.push("mode");
  lane.modes[which] = mode;
}

/** Each unknown type is noted once per file. */
function unknownRecord(place: Place, type: string): NoteFact[] {
  const { unknown } = place.file;
  if (unknown.includes(type) || unknown.length >= UNKNOWN_TYPES) return [];
  unknown.push(type);
  const eventId = eventIdOf("note", AGENT, place.session.id, type, place.offset);
  const header = headed(place, { atMs: null }, eventId);
  return [
    { kind: "note", ...header, note: "unknown_record", name: type.slice(0, 100) || null, count: 1, detail: null },
  ];
}

const UNKNOWN_TYPES = 50;
