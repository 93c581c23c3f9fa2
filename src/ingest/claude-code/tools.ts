import type { ContentFact, ContractFact, ToolCallFact } from "../../events/event.js";
import { digestOf, eventIdOf, hexOf } from "../../events/identity.js";
import { canonicalJson } from "../canonical.js";
import { decoded, object, text, type Utf8, utf8 } from "../json.js";
import { bounded } from "../remember.js";
import { laneKindOf } from "./lanes.js";
import { AGENT, headed, headerOf, type Place } from "./place.js";
import type { AssistantRecord, ToolResult, ToolUse, UserRecord } from "./records.js";
import type { OpenCall } from "./state.js";

/** A call waits for its result; what is wrong with its arguments is said at once. */
export function sayCalls(place: Place, record: AssistantRecord): void {
  const { file, frame, say } = place;
  for (const [index, use] of record.toolUses.entries()) {
    const call = openCall(place, use, index);
    file.calls.set(use.id ?? nameless(frame.uuid, index), call);
    if (object(use.input) === null) say(violation(place, call.key, call, "args_not_json"));
    if (place.content) say(contentOf(place, canonicalJson(use.input)));
  }
  for (const call of bounded(file.calls, OPEN_CALLS)) say(callOf(call));
  const last = record.stopReason === "max_tokens" ? (place.lane.request?.lastCall ?? null) : null;
  const call = last === null ? undefined : file.calls.get(last);
  if (last !== null) say(violation(place, call?.key ?? last, call, "truncated_json"));
}

/** More calls than this are not waited for. */
const OPEN_CALLS = 500;

export function sayResults(place: Place, record: UserRecord): void {
  const { file, say } = place;
  for (const [index, result] of record.results.entries()) {
    const id = result.id ?? nameless(record.calledBy, index);
    const call = file.calls.get(id);
    file.calls.delete(id);
    const text = resultText(result.content);
    say(answered(place, record, result, call ?? orphan(place, result, index), text));
    if (call !== undefined && record.ranAgent !== null) sayAgent(place, record.ranAgent, call);
    const refused = result.isError ? refusalIn(text) : null;
    if (refused !== null) say(violation(place, call?.key ?? id, call, refused.code, refused.pointer));
    if (place.content) say(contentOf(place, text));
  }
}

/** A call that has no result so far. */
export function callOf(call: OpenCall): ToolCallFact {
  return {
    kind: "tool_call",
    eventId: eventIdOf("tool_call", "anthropic", call.key),
    ...call.header,
    callId: call.callId,
    tool: call.tool,
    useSeen: call.useSeen,
    resultSeen: false,
    argumentsDigest: call.argumentsDigest,
    resultDigest: null,
    resultBytes: null,
    targetDigest: call.targetDigest,
    isError: null,
    durationMs: null,
    determinism: null,
  };
}

function answered(place: Place, record: UserRecord, result: ToolResult, call: OpenCall, text: Utf8): ToolCallFact {
  const [from, to] = [call.header.atMs, place.frame.atMs];
  const waited = from === null || to === null || !call.useSeen ? -1 : to - from;
  const fact = callOf(call);
  fact.resultSeen = true;
  fact.resultDigest = digestOf(text, "latin1");
  fact.resultBytes = text.length;
  fact.isError = result.isError;
  fact.durationMs = record.durationMs ?? (waited >= 0 ? waited : null);
  return fact;
}

function openCall(place: Place, use: ToolUse, index: number): OpenCall {
  const input = object(use.input);
  const target = input === null ? null : targetOf(use.name, input);
  const startsAgent = use.name === "Task" || use.name === "Agent";
  const prompt = startsAgent ? utf8(input?.prompt) : null;
  return {
    key: keyOf(place, use.id ?? nameless(place.frame.uuid ?? hexOf(digestOf(place.bytes)), index)),
    header: headerOf(place),
    callId: use.id,
    tool: use.name,
    useSeen: true,
    argumentsDigest: digestOf(canonicalJson(use.input), "latin1"),
    targetDigest: target === null ? null : digestOf(target, "latin1"),
    agentType: startsAgent ? text(input?.subagent_type) : null,
    promptDigest: prompt === null ? null : hexOf(digestOf(prompt, "latin1")),
  };
}

/** A result whose call was never seen. */
function orphan(place: Place, result: ToolResult, index: number): OpenCall {
  return {
    key: keyOf(place, result.id ?? nameless(place.frame.uuid ?? hexOf(digestOf(place.bytes)), index)),
    header: headerOf(place),
    callId: result.id,
    tool: null,
    useSeen: false,
    argumentsDigest: null,
    targetDigest: null,
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
function targetOf(tool: string | null, input: Record<string, unknown>): Utf8 | null {
  if (tool === "Bash" || tool === "PowerShell") return utf8(input.command);
  return utf8(input.file_path) ?? utf8(input.notebook_path) ?? utf8(input.path);
}

/** The text of a result; blocks that are no text count as their JSON. */
function resultText(content: unknown): Utf8 {
  if (typeof content === "string") return content as Utf8;
  if (content === undefined || content === null) return "" as Utf8;
  if (!Array.isArray(content)) return canonicalJson(content);
  const texts = content.map((block) => {
    const { type, text } = object(block) ?? {};
    return type === "text" ? (utf8(text) ?? "") : canonicalJson(block);
  });
  return texts.join("\n") as Utf8;
}

/** The client's own words stand at the beginning; a tool's output may quote them further on. */
const UNKNOWN_TOOL = /^(?:<tool_use_error>)?(?:Error: )?No such tool available/;
const BROKEN_SCHEMA =
  /^(?:<tool_use_error>)?(?:Error: )?(?:InputValidationError|MCP error -32602: Input validation error)/;

/** A call that the client refused, because the tool does not exist or the arguments break its schema. */
function refusalIn(text: Utf8): { code: string; pointer: string | null } | null {
  if (UNKNOWN_TOOL.test(text)) return { code: "tool_unknown", pointer: null };
  if (!BROKEN_SCHEMA.test(text)) return null;
  const head = text.slice(0, 2000);
  const parameter = /parameter `([^`]{1,100})`/.exec(head)?.[1];
  const path = /"path":\s*\[\s*"([^"]{1,100})"/.exec(head)?.[1];
  const found = parameter ?? path;
  const name = found === undefined ? undefined : decoded(found as Utf8);
  return {
    code: "args_schema",
    pointer: name === undefined ? null : `/${name.replace(/~/g, "~0").replace(/\//g, "~1")}`,
  };
}

function violation(
  place: Place,
  key: string,
  call: OpenCall | undefined,
  code: string,
  pointer: string | null = null,
): ContractFact {
  return {
    kind: "contract",
    ...headed(place, eventIdOf("contract", "anthropic", key, code)),
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
function sayAgent(place: Place, agentId: string, call: OpenCall): void {
  place.say({
    kind: "lane",
    ...headed(place, eventIdOf("lane", AGENT, place.session.id, agentId)),
    lane: agentId,
    turn: null,
    laneKind: laneKindOf(agentId),
    agentType: call.agentType,
    parentLane: call.header.lane,
    parentToolCall: call.callId,
  });
}

function contentOf(place: Place, content: Utf8): ContentFact {
  const digest = digestOf(content, "latin1");
  return {
    kind: "content",
    ...headed(place, eventIdOf("content", hexOf(digest))),
    digest,
    text: decoded(content),
  };
}
