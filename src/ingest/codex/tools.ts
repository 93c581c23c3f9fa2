import { digestOf } from "../../events/identity.js";
import { callAnswered, callMade, sayViolation } from "../calls.js";
import { canonicalJson } from "../canonical.js";
import { contentFact } from "../content.js";
import { decoded, encoded, object, type Utf8, utf8 } from "../json.js";
import { textOf } from "./parse.js";
import { headerOf, type Place } from "./place.js";
import type { CallEndRecord, CallRecord, ResultRecord } from "./records.js";

export function sayCall(place: Place, record: CallRecord): void {
  const { file, say } = place;
  const header = headerOf(place);
  file.since.calls += 1;
  const unnamed = `${file.chain || file.root}/${file.since.calls}`;
  const { id, tool } = record;
  const input = record.json ? parsed(record.input) : record.input;
  const written = utf8(record.input);
  const target = targetOf(tool, input);
  const args =
    typeof input === "string" ? (input as Utf8) : input === null ? (written ?? ("" as Utf8)) : canonicalJson(input);
  const made = {
    id,
    tool,
    argumentsDigest: digestOf(args, "latin1"),
    targetDigest: target === null ? null : digestOf(target, "latin1"),
  };
  const call = callMade(file.calls, scopeOf(place), header, made, unnamed, say);
  if (place.options.content) say(contentFact(header, args));
  if (record.json && object(input) === null) sayViolation(header, call, "args_not_json", say);
  if (!record.hosted) return;
  file.calls.delete(id ?? unnamed);
  say({ ...call.fact, resultSeen: true });
}

export function sayResult(place: Place, { id, output }: ResultRecord): void {
  const { file, say } = place;
  const header = headerOf(place);
  const text = resultText(output);
  const answer = { text, isError: object(output)?.success === false ? true : null, durationMs: null };
  const call = callAnswered(file.calls, scopeOf(place), header, id ?? `result/${place.offset}`, answer, say);
  const code = refusalIn(text);
  if (code !== null) sayViolation(header, call, code, say);
  if (place.options.content) say(contentFact(header, text));
}

/** How a patch or the call of an MCP server went: nothing else tells it. */
export function callEnded({ file }: Place, { id, failed, durationMs }: CallEndRecord): void {
  const call = id === null ? undefined : file.calls.get(id);
  if (call === undefined) return;
  call.fact.isError = failed;
  call.fact.durationMs = durationMs;
}

const scopeOf = ({ file, session }: Place) => file.root ?? session;

/** Arguments are JSON in a text. */
export function parsed(input: unknown): Record<string, unknown> | null {
  if (typeof input !== "string") return object(input);
  try {
    return object(
      JSON.parse(decoded(input as Utf8), (_key, value) => (typeof value === "string" ? encoded(value) : value)),
    );
  } catch {
    return null;
  }
}

/** What a call touches: a command, a path, or the first file of a patch. */
function targetOf(tool: string | null, input: unknown): Utf8 | null {
  if (typeof input === "string") {
    const file = tool === "apply_patch" ? /^\*\*\* (?:Add|Update|Delete) File: (.+)$/m.exec(input)?.[1] : undefined;
    return file === undefined ? null : (file as Utf8);
  }
  const said = object(input);
  const command = said?.cmd ?? said?.command;
  if (Array.isArray(command)) return command.filter((part) => typeof part === "string").join(" ") as Utf8;
  return utf8(command) ?? utf8(said?.file_path) ?? utf8(said?.path) ?? utf8(said?.query);
}

export function resultText(output: unknown): Utf8 {
  if (typeof output === "string" || Array.isArray(output)) return textOf(output) ?? ("" as Utf8);
  const said = object(output);
  if (said === null) return "" as Utf8;
  return utf8(said.content) ?? utf8(said.text) ?? canonicalJson(said);
}

/** The client's own words, at the beginning of the result. */
function refusalIn(output: Utf8): string | null {
  if (output.startsWith("unsupported call: ")) return "tool_unknown";
  return output.startsWith("failed to parse function arguments: ") ? "args_schema" : null;
}
