import { eventIdOf } from "../../events/identity.js";
import type { MapOptions, Mapper, Tally, TranscriptFile } from "../importer.js";
import { object } from "../json.js";
import { restored, written } from "../remember.js";
import { compactionOf, sayBoundary, sayCheckpoint } from "./compactions.js";
import { sawVersion, sayCoverage } from "./coverage.js";
import { laneIdOf, laneOf, rankOf, sayLane } from "./lanes.js";
import { recordOf } from "./parse.js";
import { AGENT, headed, type Place } from "./place.js";
import type { ClaudeRecord } from "./records.js";
import { fallback, requestOf, sayRequest, sayRetry, saySynthetic } from "./requests.js";
import { type FileState, type LaneState, newFile, newSession, type SessionState } from "./state.js";
import { callOf, sayCalls, sayResults } from "./tools.js";
import { carryTurn, interruption, isPrompt, sayTurn, turnGoesOn, turnOf } from "./turns.js";

/** Reads one transcript of Claude Code, record by record. */
export function map(file: TranscriptFile, options: MapOptions, remembered: string | null): Mapper {
  const state = remembered === null ? newFile() : restored<FileState>(remembered);
  const tally: Tally = { repeated: 0, withoutKey: 0 };
  return {
    tally,
    state: () => written(state),

    take(found, say) {
      const record = recordOf(found);
      if (record.kind === "known") return;
      const { frame } = record;
      const session = sessionOf(state, record, file.path);
      if (session === null) return;
      if (frame.atMs !== null) session.atMs = frame.atMs;
      const id = laneIdOf(state, record);
      if (isConversation(record)) state.own ??= id;
      const place: Place = {
        frame,
        file: state,
        session,
        lane: laneOf(state, id),
        rank: rankOf(state, record, id),
        tenant: options.tenant,
        content: options.content,
        line: found.line,
        offset: found.offset,
        bytes: found.bytes,
        say,
      };
      saySession(place, record);
      sayLane(place, record, () => agentTypeBeside(file, state, id));
      tell(place, record, tally);
    },

    rest(offset, say) {
      for (const { request, compaction, turn } of state.lanes.values()) {
        if (request !== null) say(requestOf(request));
        if (compaction !== null) say(compactionOf(compaction));
        if (turn !== null && turn.endedAtMs !== null) say(turnOf(turn));
      }
      for (const call of state.calls.values()) say(callOf(call));
      for (const session of state.sessions.values()) {
        if (session.announced) sayCoverage(state, session, options.tenant, offset, say);
      }
    },
  };
}

/** Says what one record tells. */
function tell(place: Place, record: ClaudeRecord, tally: Tally): void {
  const { frame, lane } = place;
  const ownRecord = frame.progressOf === null;
  switch (record.kind) {
    case "assistant":
      carryTurn(place);
      turnGoesOn(place, record);
      if (record.synthetic) saySynthetic(place, record);
      else sayRequest(place, record, tally);
      if (ownRecord && !record.synthetic) sayCalls(place, record);
      break;
    case "user":
      if (record.permissionMode !== null) changeMode(lane, "permission", record.permissionMode);
      if (record.checkpoint) sayCheckpoint(place, record);
      else if (isPrompt(record)) sayTurn(place);
      else {
        interruption(place, record);
        if (ownRecord) sayResults(place, record);
      }
      break;
    case "boundary":
      sayBoundary(place, record);
      break;
    case "retry":
      sayRetry(place, record);
      break;
    case "fallback":
      fallback(place, record);
      break;
    case "listing":
      if (lane.requests > 0 && !record.initial) lane.changes.push(record.change);
      break;
    case "resume":
      if (lane.requests > 0) lane.changes.push("resume");
      break;
    case "mode":
      changeMode(lane, record.which, record.mode);
      break;
    case "turn_end":
      turnGoesOn(place, record);
      break;
    case "unknown":
      sayUnknown(place, record.type);
  }
}

/** Records that are part of a conversation, as opposed to the client's book-keeping. */
function isConversation(record: ClaudeRecord): boolean {
  return !["title", "mode", "known", "unknown"].includes(record.kind);
}

/** The session of a record; null for book-keeping before any session is known. */
function sessionOf(state: FileState, record: ClaudeRecord, path: string): SessionState | null {
  const stem = () => path.replace(/^.*[\\/]/, "").replace(/\.jsonl$/, "");
  const id = record.frame.session ?? state.session ?? (isConversation(record) ? stem() : null);
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
function saySession(place: Place, record: ClaudeRecord): void {
  const { frame, session } = place;
  const titled = record.kind === "title" && record.rank >= session.titleRank && record.title !== session.title;
  if (titled) Object.assign(session, { title: record.title, titleRank: record.rank });
  const upgraded = frame.version !== null && frame.version !== session.version;
  if (upgraded) sawVersion(session.seen, frame.version);
  session.version = frame.version ?? session.version;
  const first = !session.announced && isConversation(record);
  if (!first && !(session.announced && (titled || upgraded))) return;
  session.announced = true;
  const parent = frame.copyOf?.session ?? null;
  place.say({
    kind: "session",
    ...headed(place, eventIdOf("session", AGENT, session.id)),
    turn: null,
    agentVersion: session.version,
    project: frame.project,
    branch: frame.branch,
    title: session.title,
    parentSession: parent === session.id ? null : parent,
    sessionKind: frame.sessionKind ?? "task",
    status: null,
  });
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
function sayUnknown(place: Place, type: string): void {
  const { unknown } = place.file;
  if (unknown.includes(type) || unknown.length >= UNKNOWN_TYPES) return;
  unknown.push(type);
  const header = headed(place, eventIdOf("note", AGENT, place.session.id, type, place.offset));
  place.say({
    kind: "note",
    ...header,
    atMs: null,
    note: "unknown_record",
    name: type.slice(0, 100) || null,
    count: 1,
    detail: null,
  });
}

const UNKNOWN_TYPES = 50;
