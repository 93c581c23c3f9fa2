import type { Passage } from "../../retention/passages.js";
import { keyWithin } from "../conversation.js";
import { decoded, object, text } from "../json.js";
import { answered, type Bare, called, printed, spoke, standing } from "../said.js";
import type { Found } from "../values.js";
import { isCheckpoint, isPrompt, textOf } from "./content.js";

type Value = Record<string, unknown>;

/** What was told of a message so far: it is written again whenever something is added to it. */
interface Told {
  text: boolean;
  calls: Set<string>;
  answers: Set<string>;
}

/** What the records of a chat say, in file order: of a message that is written again only what is new. */
export function passages(lane: string): (record: Found) => Passage[] {
  const told = new Map<string, Told>();
  /** Messages of the history as it is now, and those of them that said something. */
  let history: string[] = [];
  const speaking = new Set<string>();
  let session = "";
  let turn: string | null = null;
  let insteadOf: string | undefined;

  const leave = (from: number) => {
    insteadOf ??= history.slice(Math.max(from, 0)).find((id) => speaking.has(id));
    history = history.slice(0, Math.max(from, 0));
  };

  const tell = (value: Value, position: number, put: "said" | "checkpoint" | "reinjected"): Passage[] => {
    const id = text(value.id) ?? `${position}/${history.length}`;
    const before = told.get(id) ?? { text: false, calls: new Set(), answers: new Set() };
    told.set(id, before);
    if (!history.includes(id)) history.push(id);
    if (put === "said" && isPrompt(value)) turn = keyWithin(session, id);
    const bare = newIn(value, before, put);
    if (bare.length > 0) speaking.add(id);
    const said = standing(bare, { position, turn, message: id });
    const [first] = said;
    if (insteadOf !== undefined && first?.kind === "user") {
      first.insteadOf = insteadOf;
      insteadOf = undefined;
    }
    return said;
  };

  const replaceAll = (values: Value[], position: number): Passage[] => {
    const anew = told.size > 0;
    const isNew = (value: Value) => anew && !told.has(text(value.id) ?? "");
    const compressed = values.some((value) => isNew(value) && isCheckpoint(value));
    const kept = new Set(values.map(({ id }) => id));
    if (compressed) history = history.filter((id) => kept.has(id));
    else if (history.some((id) => !kept.has(id))) leave(history.findIndex((id) => !kept.has(id)));
    return values.flatMap((value) =>
      tell(value, position, !compressed || !isNew(value) ? "said" : isCheckpoint(value) ? "checkpoint" : "reinjected"),
    );
  };

  return ({ value, offset }) => {
    if (lane !== "main") return [];
    const about = object(value.$set) ?? value;
    session = text(about.sessionId) ?? session;
    const rewindTo = text(value.$rewindTo);
    if (rewindTo !== null) leave(history.indexOf(rewindTo));
    if (!Array.isArray(about.messages)) return typeof value.type === "string" ? tell(value, offset, "said") : [];
    return replaceAll(
      about.messages.map(object).filter((message) => message !== null),
      offset,
    );
  };
}

function newIn(value: Value, told: Told, put: "said" | "checkpoint" | "reinjected"): Bare[] {
  const words = told.text ? "" : decoded(textOf(value.content));
  told.text ||= words.trim() !== "";
  if (put === "checkpoint") return words === "" ? [] : [{ kind: "checkpoint", text: words }];
  if (put === "reinjected") return spoke("reinjected", words);
  if (value.type === "user") return spoke(isPrompt(value) ? "user" : "reinjected", words);
  if (value.type !== "gemini") return [];
  const calls = Array.isArray(value.toolCalls) ? value.toolCalls.map(object).filter((call) => call !== null) : [];
  return [...spoke("assistant", words), ...calls.flatMap((call, index) => newInCall(call, `${index}`, told))];
}

function newInCall(call: Value, index: string, { calls, answers }: Told): Bare[] {
  const id = text(call.id);
  const key = id ?? index;
  const made = calls.has(key) ? [] : called(id, text(call.name), call.args);
  calls.add(key);
  if (answers.has(key) || !ENDED.has(call.status)) return made;
  answers.add(key);
  const { failed, output } = printed(resultOf(call));
  return [...made, answered(id, call.status === "error" || failed, output)];
}

const ENDED = new Set<unknown>(["success", "completed", "error", "cancelled"]);

/** What the tool gave to the model; else what the person was shown of it. */
function resultOf({ result, resultDisplay }: Value): string {
  const parts = Array.isArray(result) ? result.map(object) : [];
  const given = parts.map((part) => object(object(part?.functionResponse)?.response));
  const outputs = given.flatMap((response) => text(response?.output) ?? text(response?.error) ?? []);
  return outputs.length > 0 ? outputs.join("\n") : (text(result) ?? text(resultDisplay) ?? "");
}
