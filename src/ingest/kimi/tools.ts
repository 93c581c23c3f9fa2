import { laneFact } from "../../events/facts.js";
import { digestOf } from "../../events/identity.js";
import { callAnswered, callMade, sayViolation } from "../calls.js";
import { canonicalJson } from "../canonical.js";
import { contentFact } from "../content.js";
import { decoded, object, type Utf8, utf8 } from "../json.js";
import { resultText } from "./parse.js";
import { headerOf, type Place } from "./place.js";
import type { CallRecord, ResultRecord } from "./records.js";

/** Ids of calls are counted per session: the step that made them names them everywhere. */
export function sayCall(place: Place, { id, step, tool, input }: CallRecord): void {
  const { file, say } = place;
  const header = headerOf(place);
  const args = canonicalJson(input);
  const target = targetOf(input);
  const made = {
    id,
    tool,
    argumentsDigest: digestOf(args, "latin1"),
    targetDigest: target === null ? null : digestOf(target, "latin1"),
  };
  const call = callMade(file.calls, step ?? scopeOf(place), header, made, `call/${place.offset}`, say);
  if (place.options.content) say(contentFact(header, args));
  if (object(input) === null) sayViolation(header, call, "args_not_json", say);
}

export function sayResult(place: Place, { id, output, isError }: ResultRecord): void {
  const { file, say } = place;
  const header = headerOf(place);
  const text = resultText(output);
  const answer = { text, isError, durationMs: null };
  const { fact } = callAnswered(file.calls, scopeOf(place), header, id ?? `result/${place.offset}`, answer, say);
  if (fact.tool === "Agent") sayAgent(place, text, fact.callId);
  if (place.options.content) say(contentFact(header, text));
}

/** The result of a subagent begins with its id and its type. */
function sayAgent(place: Place, text: Utf8, parentToolCall: string | null): void {
  const head = decoded(text.slice(0, 500) as Utf8);
  const agent = /^agent_id: (\S{1,100})$/m.exec(head)?.[1];
  if (agent === undefined) return;
  const agentType = /^actual_subagent_type: (\S{1,100})$/m.exec(head)?.[1] ?? null;
  const header = { ...headerOf(place), lane: agent, turn: null };
  place.say(laneFact(header, { laneKind: "subagent", agentType, parentLane: place.lane, parentToolCall }));
}

const scopeOf = ({ session, lane }: Place) => `${session}/${lane}`;

function targetOf(input: unknown): Utf8 | null {
  const said = object(input);
  return utf8(said?.command) ?? utf8(said?.path) ?? utf8(said?.file_path);
}
