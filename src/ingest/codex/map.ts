import { type Header, laneFact, noteFact, sessionFact } from "../../events/facts.js";
import { digestOf, hexOf } from "../../events/identity.js";
import type { MapOptions, Mapper, Tally, TranscriptFile } from "../importer.js";
import { restored, written } from "../remember.js";
import { sayCompaction, sayOpen } from "./compactions.js";
import { sayCoverage } from "./coverage.js";
import { rolledBack, userSaid } from "./live.js";
import { recordOf, timeOf } from "./parse.js";
import { AGENT, headerOf, type Place } from "./place.js";
import type { CodexRecord, ContextRecord, MetaRecord } from "./records.js";
import { sayFailure, sayRequest } from "./requests.js";
import { type FileState, newFile } from "./state.js";
import { callEnded, sayCall, sayResult } from "./tools.js";
import { prompted, turnByPrompt, turnGoesOn, turnOf, turnSaid } from "./turns.js";

/** Reads one rollout of Codex, record by record. */
export function map(transcript: TranscriptFile, options: MapOptions, remembered: string | null): Mapper {
  const file = remembered === null ? newFile() : restored<FileState>(remembered);
  const tally: Tally = { repeated: 0, withoutKey: 0 };
  return {
    tally,
    state: () => written(file),

    take({ value, line, offset, bytes }, say) {
      const record = recordOf(value);
      const atMs = timeOf(value);
      file.atMs = atMs ?? file.atMs;
      const named = record.kind === "meta" ? record.id : null;
      const session = file.session ?? named ?? idInPath(transcript.path);
      const place: Place = { file, session, atMs, options, tally, line, offset, end: offset + bytes.length, say };
      if (file.session === null) begin(place, record);
      if (record.kind !== "turn_started") turnByPrompt(place);
      tell(place, record);
    },

    rest(offset, say) {
      if (file.session === null) return;
      if (file.compaction !== null) sayOpen(file, file.compaction, say);
      if (file.turn !== null) say(turnOf(file, file.turn));
      for (const { fact } of file.calls.values()) say(fact);
      const { tenant } = options;
      sayCoverage(file, { ...NOWHERE, agent: AGENT, session: file.session, tenant, offset }, say);
    },
  };
}

const NOWHERE = { lane: "main", turn: null, atMs: null, timeQuality: "inherited", line: null } as const;

/** The first record of the file says whose it is. */
function begin(place: Place, record: CodexRecord): void {
  const { file, session } = place;
  file.session = session;
  file.root = session;
  if (record.kind !== "meta") sayMeta(place, { ...NOBODY, id: session });
}

const NOBODY: MetaRecord = {
  kind: "meta",
  id: null,
  parent: null,
  version: null,
  project: null,
  branch: null,
  provider: null,
  laneKind: null,
  agentType: null,
  shell: [],
  bare: false,
};

function tell(place: Place, record: CodexRecord): void {
  const { file } = place;
  if (record.kind !== "meta") file.heading = false;
  switch (record.kind) {
    case "meta":
      if (record.id === null || record.id === file.session) sayMeta(place, record);
      else if (file.heading && record.id === file.root) file.root = record.parent ?? file.root;
      break;
    case "context":
      contextSaid(file, record);
      break;
    case "prompt":
      prompted(place, record);
      break;
    case "counter":
      sayRequest(place, record);
      break;
    case "call":
      turnGoesOn(place);
      sayCall(place, record);
      break;
    case "result":
      turnGoesOn(place);
      sayResult(place, record);
      break;
    case "call_ended":
      callEnded(place, record);
      break;
    case "compaction":
      sayCompaction(place, record);
      break;
    case "said":
      userSaid(place, record);
      break;
    case "rolled_back":
      rolledBack(place, record);
      break;
    case "failure":
      sayFailure(place, record);
      break;
    case "unknown":
      sayUnknown(place, record.type);
      break;
    case "known":
      break;
    default:
      turnSaid(place, record);
  }
}

/** The session as a whole. A second record of it means that it was taken up again, perhaps by another version. */
function sayMeta(place: Place, record: MetaRecord): void {
  const { file } = place;
  if (file.seen.requests > 0) {
    file.changes.push("resume");
    if (record.version !== null && record.version !== file.version) file.changes.push("upgrade");
  } else {
    file.parent = record.parent ?? file.parent;
    file.root = file.parent ?? file.root;
  }
  file.bare = record.bare;
  file.version = record.version ?? file.version;
  file.project = record.project ?? file.project;
  file.branch = record.branch ?? file.branch;
  file.provider = record.provider ?? file.provider;
  if (record.shell.length > 0) {
    const names = record.shell.map(hexOf);
    file.shell = digestOf(names.join());
    file.shellSet = digestOf(names.sort().join());
  }
  const header: Header = { ...headerOf(place), turn: null };
  place.say(
    sessionFact(header, {
      agentVersion: file.version,
      project: file.project,
      branch: file.branch,
      parentSession: file.parent,
      sessionKind: record.laneKind === null ? "task" : "subagent",
    }),
  );
  if (record.laneKind !== null) place.say(laneFact(header, { laneKind: record.laneKind, agentType: record.agentType }));
}

function contextSaid(file: FileState, { model, project, mode, params }: ContextRecord): void {
  if (mode !== null && file.mode !== null && mode !== file.mode && file.seen.requests > 0) file.changes.push("mode");
  file.mode = mode ?? file.mode;
  file.model = model ?? file.model;
  file.params = params ?? file.params;
  file.project = project ?? file.project;
  if (file.turn !== null) file.turn.project ??= project;
}

/** Each unknown type is noted once per file. */
function sayUnknown(place: Place, type: string): void {
  const { unknown } = place.file;
  if (unknown.includes(type) || unknown.length >= UNKNOWN_TYPES) return;
  unknown.push(type);
  place.say(noteFact(headerOf(place), "unknown_record", type));
}

const UNKNOWN_TYPES = 50;

/** A rollout's name ends in the id of its session. */
function idInPath(path: string): string {
  const name = path.replace(/^.*[\\/]/, "").replace(/\.jsonl(\.zst)?$/, "");
  return /[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}$/.exec(name)?.[0] ?? name;
}
