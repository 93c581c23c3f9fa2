import { digestOf } from "../../events/identity.js";
import { callAnswered, callMade, sayViolation } from "../calls.js";
import { canonicalJson } from "../canonical.js";
import { contentFact } from "../content.js";
import { object, type Utf8, utf8 } from "../json.js";
import { textOf } from "./parse.js";
import { headerOf, type Place } from "./place.js";
import type { AnswerRecord, ResultRecord } from "./records.js";

/** `answer` names the answer that made the calls, in all copies of it. */
export function sayCalls(place: Place, record: AnswerRecord, answer: string): void {
  const { file, say } = place;
  const header = headerOf(place);
  for (const [index, { id, tool, input }] of record.calls.entries()) {
    const args = canonicalJson(input);
    const target = targetOf(input);
    const made = {
      id,
      tool,
      argumentsDigest: digestOf(args, "latin1"),
      targetDigest: target === null ? null : digestOf(target, "latin1"),
    };
    const call = callMade(file.calls, answer, header, made, `${answer}/${index}`, say);
    if (place.options.content) say(contentFact(header, args));
    if (object(input) === null) sayViolation(header, call, "args_not_json", say);
    else if (record.stopReason === "length" && index === record.calls.length - 1) {
      sayViolation(header, call, "truncated_json", say);
    }
  }
}

export function sayResult(place: Place, { id, content, isError }: ResultRecord): void {
  const { file, session, frame, say } = place;
  const header = headerOf(place);
  const text = textOf(content);
  const named = id ?? `result/${frame.id ?? frame.atMs ?? place.offset}`;
  const call = callAnswered(file.calls, session, header, named, { text, isError, durationMs: null }, say);
  const code = isError ? refusalIn(text) : null;
  if (code !== null) sayViolation(header, call, code, say);
  if (place.options.content) say(contentFact(header, text));
}

function targetOf(input: unknown): Utf8 | null {
  const said = object(input);
  return utf8(said?.command) ?? utf8(said?.path) ?? utf8(said?.file_path);
}

/** The client's own words, at the beginning of the result. */
function refusalIn(text: Utf8): string | null {
  if (/^Tool \S{1,100} not found/.test(text)) return "tool_unknown";
  return text.startsWith('Validation failed for tool "') ? "args_schema" : null;
}
