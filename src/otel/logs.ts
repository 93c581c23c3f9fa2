import type { SessionEvent } from "../events/event.js";
import { type Header, laneFact, sessionFact } from "../events/facts.js";
import { claudeCodeLog } from "./emitters/claude-code-logs.js";
import { codexLog } from "./emitters/codex-logs.js";
import { geminiLog } from "./emitters/gemini-logs.js";
import { genAiLog } from "./emitters/genai-logs.js";
import { agentOf, sessionOf, tenantOf, versionOf } from "./origin.js";
import type { LogRecord } from "./signals.js";

/** Reads the records of one emitter; what it says is about the session and the time of `header`. */
export type ReadLog = (record: LogRecord, header: Header) => SessionEvent[];

const READERS: Record<string, ReadLog> = {
  "claude-code": claudeCodeLog,
  codex: codexLog,
  "gemini-cli": geminiLog,
  "qwen-code": geminiLog,
};

/** What a log record says. A record without a session, or with nothing to tell, says nothing. */
export function eventsOfLog(record: LogRecord): SessionEvent[] {
  const agent = agentOf(record);
  const session = sessionOf(record.attributes, record);
  if (session === null || record.name === null) return [];
  const header: Header = {
    agent,
    session,
    lane: "main",
    turn: null,
    tenant: tenantOf(record.attributes, record),
    atMs: record.atMs,
    timeQuality: "exact",
    line: null,
    offset: null,
  };
  const events = (READERS[agent] ?? genAiLog)(record, header);
  if (events.length === 0) return [];
  const lanes = new Set(events.map(({ lane }) => lane).filter((lane) => lane !== "main"));
  return [
    sessionFact(header, { agentVersion: versionOf(record) }),
    ...[...lanes].map((lane) =>
      laneFact(
        { ...header, lane },
        {
          laneKind: lane === "compaction" ? "compaction" : lane.startsWith("agent") ? "subagent" : "side",
          parentLane: "main",
        },
      ),
    ),
    ...events,
  ];
}
