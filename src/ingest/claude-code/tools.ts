import type { ContentFact, ContractFact, Digest, LaneFact, SessionEvent, ToolCallFact } from "../../events/event.js";
import { digestOf, eventIdOf, hexOf } from "../../events/identity.js";
import { canonicalJson } from "../canonical.js";
import { object } from "../json.js";
import { laneKindOf } from "./lanes.js";
import { AGENT, headed, headerOf, type Place } from "./place.js";
import type { AssistantRecord, ToolResult, ToolUse, UserRecord } from "./records.js";
import { bounded, type OpenCall } from "./state.js";

/** A call waits for its result; what is wrong with its arguments is said at once. */
export function callEvents(place: Place, record: AssistantRecord): SessionEvent[] {
  const events: SessionEvent[] = [];
  for (const [index, use] of record.toolUses.entries()) {
    const call = openCall(place, record, use, index);
    place.file.calls.set(use.id ?? nameless(record.uuid, index), call);
    if (object(use.input) === null) events.push(violation(place, record, call.key, call, "args_not_json"));
    if (place.content) events.push(contentOf(place, record, canonicalJson(use.input)));
  }
  for (const call of bounded(place.file.calls, OPEN_CALLS)) events.push(callOf(call));
  const last = place.lane.request?.lastCall ?? null;
  if (record.stopReason === "max_tokens" && last !== null) {
    const call = place.file.calls.get(last);
    events.push(violation(place, record, call?.key ?? last, call, "truncated_json"));
  }
  return events;
}

/** More calls than this are not waited for. */
const OPEN_CALLS = 500;

export function resultEvents(place: Place, record: UserRecord): SessionEvent[] {
  const events: SessionEvent[] = [];
  for (const [index, result] of record.results.entries()) {
    const id = result.id ?? nameless(record.calledBy, index);
    const call = place.file.calls.get(id);
    place.file.calls.delete(id);
    const text = resultText(result.content);
    events.push(answered(place, record, result, call ?? orphan(place, record, result, index), text));
    if (call !== undefined && record.ranAgent !== null) events.push(agentRan(place, record, record.ranAgent, call));
    const refused = result.isError ? refusalIn(text) : null;
    if (refused !== null) {
      events.push(violation(place, record, call?.key ?? id, call, refused.code, refused.pointer));
    }
    if (place.content) events.push(contentOf(place, record, text));
  }
  return events;
}

/** A call that has no result so far. */
export function callOf({ key, agentType: _, promptDigest: __, ...call }: OpenCall): ToolCallFact {
  return {
    eventId: eventIdOf("tool_call", "anthropic", key),
    ...call,
    argumentsDigest: bytesOf(call.argumentsDigest),
    targetDigest: bytesOf(call.targetDigest),
    resultDigest: null,
  };
}

function answered(_place: Place, record: UserRecord, result: ToolResult, call: OpenCall, text: string): ToolCallFact {
  const waited = record.atMs === null || call.atMs === null || !call.useSeen ? null : record.atMs - call.atMs;
  return {
    ...callOf(call),
    resultSeen: true,
    resultDigest: digestOf(text),
    resultBytes: Buffer.byteLength(text),
    isError: result.isError,
    durationMs: record.durationMs ?? (waited !== null && waited >= 0 ? waited : null),
  };
}

function openCall(place: Place, record: AssistantRecord, use: ToolUse, index: number): OpenCall {
  const input = object(use.input);
  const target = input === null ? null : targetOf(use.name, input);
  const startsAgent = use.name === "Task" || use.name === "Agent";
  const prompt = startsAgent && typeof input?.prompt === "string" ? input.prompt : null;
  return {
    kind: "tool_call",
    ...headerOf(place, record),
    key: keyOf(place, use.id ?? nameless(record.uuid ?? hexOf(digestOf(place.bytes)), index)),
    callId: use.id,
    tool: use.name,
    useSeen: true,
    resultSeen: false,
    argumentsDigest: hexOf(digestOf(canonicalJson(use.input))),
    targetDigest: target === null ? null : hexOf(digestOf(target)),
    resultBytes: null,
    isError: null,
    durationMs: null,
    determinism: null,
    agentType: startsAgent && typeof input?.subagent_type === "string" ? input.subagent_type : null,
    promptDigest: prompt === null ? null : hexOf(digestOf(prompt)),
  };
}

/** A result whose call was never seen. */
function orphan(place: Place, record: UserRecord, result: ToolResult, index: number): OpenCall {
  return {
    kind: "tool_call",
    ...headerOf(place, record),
    key: keyOf(place, result.id ?? nameless(record.uuid ?? hexOf(digestOf(place.bytes)), index)),
    callId: result.id,
    tool: null,
    useSeen: false,
    resultSeen: false,
    argumentsDigest: null,
    targetDigest: null,
    resultBytes: null,
    isError: null,
    durationMs: null,
    determinism: null,
    agentType: null,
    promptDigest: null,
  };
}

/** The provider's ids are unique everywhere; short ones of other servers (`Bash:0`) only within a session. */
function keyOf(place: Place, id: string): string {
  return /^[\w-]{16,}$/.test(id) ? id : `${place.session.id}/${id}`;
}

/** What stands for the id of a call that lost it: the record that made it, and which call of it. */
function nameless(uuid: string | null, index: number): string {
  return `${uuid ?? "?"}/${index}`;
}

/** What a call touches: a path for tools that read and write files, the command for a shell. */
function targetOf(tool: string | null, input: Record<string, unknown>): string | null {
  const names = tool === "Bash" || tool === "PowerShell" ? ["command"] : ["file_path", "notebook_path", "path"];
  const target = names.map((name) => input[name]).find((value) => typeof value === "string");
  return typeof target === "string" ? target : null;
}

/** The text of a result; blocks that are no text count as their JSON. */
function resultText(content: unknown): string {
  if (typeof content === "string") return content;
  if (!Array.isArray(content)) return content === undefined || content === null ? "" : canonicalJson(content);
  const texts = content.map((block) => {
    const { type, text } = object(block) ?? {};
    return type === "text" && typeof text === "string" ? text : canonicalJson(block);
  });
  return texts.join("\n");
}

/** A call that the client refused, because the tool does not exist or the arguments break its schema. */
function refusalIn(text: string): { code: string; pointer: string | null } | null {
  const head = text.slice(0, 2000);
  if (/No such tool available/.test(head)) return { code: "tool_unknown", pointer: null };
  if (!/InputValidationError|Input validation error/.test(head)) return null;
  const parameter = /parameter `([^`]{1,100})`/.exec(head)?.[1];
  const path = /"path":\s*\[\s*"([^"]{1,100})"/.exec(head)?.[1];
  const name = parameter ?? path;
  return {
    code: "args_schema",
    pointer: name === undefined ? null : `/${name.replace(/~/g, "~0").replace(/\//g, "~1")}`,
  };
}

function violation(
  place: Place,
  record: AssistantRecord | UserRecord,
  key: string,
  call: OpenCall | undefined,
  code: string,
  pointer: string | null = null,
): ContractFact {
  return {
    kind: "contract",
    ...headed(place, record, eventIdOf("contract", "anthropic", key, code)),
    contract: call?.tool ?? "unknown tool",
    contractVersion: null,
    subjectKind: "tool",
    subjectRef: call?.callId ?? key,
    outcome: "violation",
    code,
    pointer,
    detail: null,
  };
}

/** Which call a subagent's lane belongs to. */
function agentRan(place: Place, record: UserRecord, agentId: string, call: OpenCall): LaneFact {
  return {
    kind: "lane",
    ...headed(place, record, eventIdOf("lane", AGENT, place.session.id, agentId)),
    lane: agentId,
    turn: null,
    laneKind: laneKindOf(agentId),
    agentType: call.agentType,
    parentLane: call.lane,
    parentToolCall: call.callId,
  };
}

function contentOf(place: Place, record: AssistantRecord | UserRecord, text: string): ContentFact {
  const digest = digestOf(text);
  return { kind: "content", ...headed(place, record, eventIdOf("content", hexOf(digest))), digest, text };
}

function bytesOf(hex: string | null): Digest | null {
  return hex === null ? null : Buffer.from(hex, "hex");
}
