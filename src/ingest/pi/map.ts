import { type Header, noteFact, sessionFact } from "../../events/facts.js";
import { digestOf } from "../../events/identity.js";
import type { MapOptions, Mapper, Span, Tally, TranscriptFile } from "../importer.js";
import { restored, written } from "../remember.js";
import { sayCompaction, sayOpen } from "./compactions.js";
import { sayCoverage } from "./coverage.js";
import { entered } from "./live.js";
import { recordOf } from "./parse.js";
import { AGENT, headerOf, type Place } from "./place.js";
import type { Frame, HeaderRecord, PiRecord } from "./records.js";
import { sayAnswer } from "./requests.js";
import { type FileState, newFile } from "./state.js";
import { sayCalls, sayResult } from "./tools.js";
import { sayTurn, turnGoesOn, turnOf } from "./turns.js";

/** Reads one session of pi, entry by entry. */
export function map(transcript: TranscriptFile, options: MapOptions, remembered: string | null): Mapper {
  const file = remembered === null ? newFile() : restored<FileState>(remembered);
  const tally: Tally = { repeated: 0, withoutKey: 0 };
  return {
    tally,
    state: () => written(file),

    take({ value, line, offset, bytes }, say) {
      const record = recordOf(value);
      const { frame } = record;
      file.atMs = frame.atMs ?? file.atMs;
      const named = record.kind === "header" ? record.id : null;
      const session = file.session ?? named ?? nameOf(transcript.path);
      const place: Place = { file, session, frame, options, tally, line, offset, bytes, say };
      if (file.session === null) begin(place, record);
      follow(file, frame);
      const at: Span = [offset, offset + bytes.length];
      const entry = record.kind === "header" ? null : entered(file, frame.id, frame.parentId, at);
      if (record.kind === "compaction") sayCompaction(place, record, entry!);
      else tell(place, record);
    },

    rest(offset, say) {
      if (file.session === null) return;
      if (file.compaction !== null) sayOpen(file.compaction, say);
      if (file.turn !== null && file.turn.endedAtMs !== null) say(turnOf(file, file.turn));
      for (const { fact } of file.calls.values()) say(fact);
      const { tenant } = options;
      sayCoverage(file, { ...NOWHERE, agent: AGENT, session: file.session, tenant, offset }, say);
    },
  };
}

const NOWHERE = { lane: "main", turn: null, atMs: null, timeQuality: "inherited", line: null } as const;

/** The first entry of the file says whose it is; entries before it in time are copies of the parent's. */
function begin(place: Place, record: PiRecord): void {
  const { file } = place;
  file.session = place.session;
  if (record.kind === "header") headed(file, record);
  saySession(place);
}

function headed(file: FileState, { project, thinking, parent }: HeaderRecord): void {
  file.project = project;
  file.parent = parent;
  if (thinking !== null) file.params = digestOf(thinking);
}

function saySession(place: Place): void {
  const { project, title, parent } = place.file;
  const header: Header = headerOf(place);
  place.say(sessionFact(header, { project, title, parentSession: parent }));
}

/** An entry that hangs on another one than the newest begins a branch: the context is another one. */
function follow(file: FileState, { id, parentId }: Frame): void {
  if (id === null) return;
  if (file.last !== null && parentId !== null && parentId !== file.last) file.branched = true;
  file.last = id;
}

function tell(place: Place, record: PiRecord): void {
  const { file } = place;
  switch (record.kind) {
    case "prompt":
      sayTurn(place, record);
      break;
    case "answer":
      turnGoesOn(place, record);
      sayCalls(place, record, sayAnswer(place, record));
      break;
    case "result":
      sayResult(place, record);
      break;
    case "thinking":
      if (record.level !== null) file.params = digestOf(record.level);
      break;
    case "title":
      file.title = record.title;
      saySession(place);
      break;
    case "unknown":
      sayUnknown(place, record.type);
  }
}

/** Each unknown type is noted once per file. */
function sayUnknown(place: Place, type: string): void {
  const { unknown } = place.file;
  if (unknown.includes(type) || unknown.length >= UNKNOWN_TYPES) return;
  unknown.push(type);
  place.say(noteFact(headerOf(place), "unknown_record", type));
}

const UNKNOWN_TYPES = 50;

/** A session's file is named after the time it began and its id. */
function nameOf(path: string): string {
  return path
    .replace(/^.*[\\/]/, "")
    .replace(/\.jsonl$/, "")
    .replace(/^[^_]*_/, "");
}
