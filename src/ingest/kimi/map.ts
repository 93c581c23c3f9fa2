import { laneFact, noteFact, sessionFact } from "../../events/facts.js";
import type { MapOptions, Mapper, Tally, TranscriptFile } from "../importer.js";
import { restored, written } from "../remember.js";
import { sayCompaction, sayOpen } from "./compactions.js";
import { sayCoverage } from "./coverage.js";
import { ownerOf } from "./discover.js";
import { cleared, messageBegins, undone } from "./live.js";
import { recordOf } from "./parse.js";
import { AGENT, headerOf, type Place } from "./place.js";
import type { ConfigRecord, KimiRecord } from "./records.js";
import { requestSent, sayRequest } from "./requests.js";
import { type FileState, newFile } from "./state.js";
import { sayCall, sayResult } from "./tools.js";
import { sayTurn, turnGoesOn, turnOf } from "./turns.js";

/** Reads one agent's wire file of Kimi CLI, record by record. */
export function map(transcript: TranscriptFile, options: MapOptions, remembered: string | null): Mapper {
  const file = remembered === null ? newFile() : restored<FileState>(remembered);
  const owner = ownerOf(transcript.path);
  const tally: Tally = { repeated: 0, withoutKey: 0 };
  return {
    tally,
    state: () => written(file),

    take({ value, line, offset, bytes }, say) {
      const record = recordOf(value);
      const { atMs } = record;
      file.atMs = atMs ?? file.atMs;
      const place: Place = { file, ...owner, atMs, options, line, offset, end: offset + bytes.length, say };
      if (!file.announced) announce(place);
      tell(place, record);
    },

    rest(offset, say) {
      if (!file.announced) return;
      if (file.compaction !== null) sayOpen(file.compaction, say);
      if (file.turn !== null && file.turn.endedAtMs !== null) say(turnOf(file, file.turn));
      for (const { fact } of file.calls.values()) say(fact);
      const { tenant } = options;
      sayCoverage(file, { ...NOWHERE, agent: AGENT, session: owner.session, tenant, offset }, say);
    },
  };
}

const NOWHERE = { lane: "main", turn: null, atMs: null, timeQuality: "inherited", line: null } as const;

function announce(place: Place): void {
  place.file.announced = true;
  place.say(sessionFact({ ...headerOf(place), turn: null }, { project: place.file.project }));
  if (place.lane !== "main") place.say(laneFact(headerOf(place), { laneKind: "subagent" }));
}

function tell(place: Place, record: KimiRecord): void {
  const { file } = place;
  switch (record.kind) {
    case "config":
      configured(place, record);
      break;
    case "change":
      if (file.requests > 0) file.changes.push(record.change);
      break;
    case "prompt":
      sayTurn(place, record);
      break;
    case "cancelled":
      turnGoesOn(place, "interrupted");
      break;
    case "sent":
      requestSent(place, record);
      break;
    case "step":
      file.step = record;
      break;
    case "usage":
      sayRequest(place, record);
      break;
    case "call":
      sayCall(place, record);
      break;
    case "result":
      messageBegins(place, false);
      sayResult(place, record);
      break;
    case "message":
      messageBegins(place, record.prompt);
      break;
    case "undo":
      if (record.prompts === null) cleared(place);
      else undone(place, record.prompts);
      break;
    case "compacting":
      file.compacting = { atMs: record.atMs, trigger: record.trigger };
      break;
    case "compaction":
      sayCompaction(place, record);
      break;
    case "unknown":
      sayUnknown(place, record.type);
  }
}

function configured(place: Place, { project, profile }: ConfigRecord): void {
  const { file } = place;
  file.profile = profile ?? file.profile;
  if (project === null || project === file.project) return;
  file.project = project;
  place.say(sessionFact({ ...headerOf(place), turn: null }, { project }));
}

/** Each unknown type is noted once per file. */
function sayUnknown(place: Place, type: string): void {
  const { unknown } = place.file;
  if (unknown.includes(type) || unknown.length >= UNKNOWN_TYPES) return;
  unknown.push(type);
  place.say(noteFact(headerOf(place), "unknown_record", type));
}

const UNKNOWN_TYPES = 50;
