import type { LaneKind } from "../../events/event.js";
import { digestOf, hexOf } from "../../events/identity.js";
import { canonicalJson } from "../canonical.js";
import { count, object, rounded, text, type Utf8, utf8 } from "../json.js";
import { isBareHead } from "./detect.js";
import type { CodexRecord, ContextRecord, Counter, MetaRecord, TurnRecord } from "./records.js";

type Value = Record<string, unknown>;

/** Reads one record, in its envelope or bare; fields of a wrong type count as absent. */
export function recordOf(value: Value): CodexRecord {
  const payload = object(value.payload);
  if (payload === null) return bareRecord(value);
  const type = text(value.type) ?? "";
  switch (type) {
    case "session_meta":
      return meta(payload);
    case "turn_context":
      return context(payload);
    case "compacted":
      return compaction(payload);
    case "event_msg":
      return event(payload);
    case "response_item":
      return item(payload);
    default:
      return { kind: KNOWN.has(type) ? "known" : "unknown", type };
  }
}

/** When the record was written, in milliseconds; null when it does not tell. */
export function timeOf(value: Value): number | null {
  const atMs = typeof value.timestamp === "string" ? Date.parse(value.timestamp) : Number.NaN;
  return Number.isSafeInteger(atMs) ? atMs : null;
}

const KNOWN = new Set(["world_state", "inter_agent_communication", "inter_agent_communication_metadata"]);

/** Records of August 2025 are the items themselves; the user's messages are all there is of turns. */
function bareRecord(value: Value): CodexRecord {
  if (isBareHead(value)) return { ...meta(value), bare: true };
  if (value.record_type === "state") return { kind: "known", type: "state" };
  const message = value.type === "message" && value.role === "user" ? textOf(value.content) : null;
  if (message !== null && !isWrapper(message)) return { kind: "prompt", text: message };
  return item(value);
}

/** True for what the client writes in the user's name. */
export function isWrapper(message: Utf8): boolean {
  return WRAPPER.test(message);
}

const WRAPPER =
  /^\s*(?:<(?:environment_context|user_instructions|turn_aborted|skill|user_shell_command|subagent_notification)>|# AGENTS\.md instructions for )/i;

/** Names a message of the user's: a checkpoint may stand beside a copy of it whose middle was cut out. */
export function nameOf(message: Utf8): string {
  return hexOf(digestOf(message.slice(0, NAMING_LENGTH), "latin1"));
}

const NAMING_LENGTH = 200;

function meta(payload: Value): MetaRecord {
  const source = object(payload.source);
  const spawn = object(object(source?.subagent)?.thread_spawn);
  const instructions = utf8(object(payload.base_instructions)?.text);
  const tools = payload.dynamic_tools;
  return {
    kind: "meta",
    id: text(payload.id),
    parent: text(payload.forked_from_id) ?? text(payload.parent_thread_id) ?? text(spawn?.parent_thread_id),
    version: text(payload.cli_version),
    project: text(payload.cwd),
    branch: text(object(payload.git)?.branch),
    provider: text(payload.model_provider),
    laneKind: source !== null && "subagent" in source ? laneKindOf(source.subagent) : null,
    agentType: text(spawn?.agent_role) ?? text(spawn?.agent_nickname),
    shell: [
      ...(instructions === null ? [] : [digestOf(instructions, "latin1")]),
      ...(object(tools) === null && !Array.isArray(tools) ? [] : [digestOf(canonicalJson(tools), "latin1")]),
    ],
    bare: false,
  };
}

/** The client runs some threads for itself. */
function laneKindOf(subagent: unknown): LaneKind {
  if (subagent === "review") return "self_review";
  return subagent === "compact" ? "compaction" : "subagent";
}

function context(payload: Value): ContextRecord {
  const params = { effort: payload.effort, summary: payload.summary, personality: payload.personality };
  const said = Object.values(params).some((value) => value !== undefined && value !== null);
  return {
    kind: "context",
    model: text(payload.model),
    project: text(payload.cwd),
    mode: text(object(payload.collaboration_mode)?.mode),
    params: said ? digestOf(canonicalJson(params), "latin1") : null,
  };
}

function compaction(payload: Value): CodexRecord {
  const history = Array.isArray(payload.replacement_history) ? payload.replacement_history.map(object) : null;
  const users = history?.filter((entry) => entry?.type === "message" && entry.role === "user") ?? [];
  const texts = users.flatMap((entry) => textOf(entry!.content) ?? []).filter((text) => text !== "");
  const said = utf8(payload.message) || texts.findLast((text) => BEFORE.test(text)) || ("" as Utf8);
  return {
    kind: "compaction",
    text: said.replace(BEFORE, "") as Utf8,
    messagesAfter: history?.length ?? null,
    kept: history === null ? null : texts.filter((text) => text !== said && !isWrapper(text)).map(nameOf),
  };
}

/** The client's own words before a checkpoint. */
const BEFORE = /^Another language model started to solve this problem and produced a summary[^\n]*\n/;

function event(payload: Value): CodexRecord {
  const type = text(payload.type) ?? "";
  const turn = (kind: TurnRecord["kind"]): TurnRecord => ({ kind, turnId: text(payload.turn_id) });
  switch (type) {
    case "task_started":
    case "turn_started":
      return turn("turn_started");
    case "task_complete":
    case "turn_complete":
      return turn(object(payload.error) === null ? "turn_answered" : "turn_failed");
    case "turn_aborted":
      return turn("turn_interrupted");
    case "user_message":
      return { kind: "prompt", text: utf8(payload.message) ?? ("" as Utf8) };
    case "token_count":
      return counter(payload);
    case "patch_apply_end":
      return { kind: "call_ended", id: text(payload.call_id), failed: payload.success === false, durationMs: null };
    case "mcp_tool_call_end":
      return mcpEnd(payload);
    case "thread_rolled_back":
      return { kind: "rolled_back", turns: count(payload.num_turns) ?? 0 };
    case "error":
    case "stream_error":
      return failure(payload);
    default:
      return { kind: "known", type };
  }
}

function counter(payload: Value): CodexRecord {
  const info = object(payload.info);
  return {
    kind: "counter",
    total: counterOf(info?.total_token_usage),
    last: counterOf(info?.last_token_usage),
    model: text(info?.model),
    windowTokens: count(info?.model_context_window) || null,
    info,
  };
}

function counterOf(value: unknown): Counter | null {
  const said = object(value);
  const [input, output] = [count(said?.input_tokens), count(said?.output_tokens)];
  if (said === null || input === null || output === null) return null;
  return {
    input,
    output,
    cached: count(said.cached_input_tokens),
    written: count(said.cache_write_input_tokens),
    reasoning: count(said.reasoning_output_tokens),
    total: count(said.total_tokens),
  };
}

function mcpEnd(payload: Value): CodexRecord {
  const result = object(payload.result);
  const duration = object(payload.duration);
  const failed = result !== null && ("Err" in result || object(result.Ok)?.isError === true);
  const ms = Number(duration?.secs) * 1000 + Number(duration?.nanos) / 1e6;
  return { kind: "call_ended", id: text(payload.call_id), failed, durationMs: rounded(ms) };
}

function failure(payload: Value): CodexRecord {
  const said = object(payload.error) ?? payload;
  const info = object(said.codex_error_info);
  const named = info === null ? null : (Object.keys(info)[0] ?? null);
  const status = named === null ? null : count(object(info![named])?.http_status_code);
  return { kind: "failure", errorClass: text(said.codex_error_info) ?? named ?? text(said.kind) ?? "error", status };
}

function item(payload: Value): CodexRecord {
  const type = text(payload.type) ?? "";
  const id = idOf(payload.call_id);
  switch (type) {
    case "function_call":
      return { kind: "call", id, tool: text(payload.name), input: payload.arguments, json: true, hosted: false };
    case "custom_tool_call":
      return { kind: "call", id, tool: text(payload.name), input: payload.input, json: false, hosted: false };
    case "local_shell_call":
      return { kind: "call", id, tool: "local_shell", input: payload.action, json: false, hosted: false };
    case "web_search_call":
      return { kind: "call", id, tool: "web_search", input: payload.action, json: false, hosted: true };
    case "tool_search_call":
      return { kind: "call", id, tool: "tool_search", input: payload.arguments, json: false, hosted: false };
    case "function_call_output":
    case "custom_tool_call_output":
    case "local_shell_call_output":
      return { kind: "result", id, output: payload.output };
    case "message": {
      const message = payload.role === "user" ? textOf(payload.content) : null;
      if (message === null || isWrapper(message)) return { kind: "known", type };
      return { kind: "said", name: nameOf(message), bytes: message.length };
    }
    case "tool_search_output":
      return { kind: "result", id, output: { content: canonicalJson(payload.tools) } };
    default:
      return { kind: "known", type };
  }
}

/** An id; ids that a scrubber blotted out name nothing. */
function idOf(value: unknown): string | null {
  const id = text(value);
  return id === "" || id === "REDACTED" ? null : id;
}

/** Text of a list of content items. */
export function textOf(content: unknown): Utf8 | null {
  if (!Array.isArray(content)) return utf8(content);
  return content.map((part) => utf8(object(part)?.text) ?? "").join("\n") as Utf8;
}
