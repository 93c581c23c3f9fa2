import type { Passage } from "../../retention/passages.js";
import { keyWithin } from "../conversation.js";
import { decoded, object, text } from "../json.js";
import { answered, type Bare, called, printed, spoke, standing } from "../said.js";
import type { Found } from "../values.js";
import { compressedIn, marksOf, partsOf, textIn } from "./content.js";

type Value = Record<string, unknown>;

/** What the records of a session say, in file order; the turn goes on from one record to the next. */
export function passages(lane: string): (record: Found) => Passage[] {
  const known = new Set<string>();
  /** The first prompt behind each record: a rewind goes back behind it. */
  const prompts = new Map<string, string>();
  let turn: string | null = null;
  let insteadOf: string | undefined;
  return ({ value, offset }) => {
    if (lane !== "main") return [];
    const id = text(value.uuid);
    const parent = text(value.parentUuid) ?? "";
    if (value.type === "user") {
      turn = id === null ? `${text(value.sessionId)}/${offset}` : keyWithin(text(value.sessionId) ?? "", id);
      if (id !== null && !prompts.has(parent)) prompts.set(parent, id);
    }
    if (value.type === "system" && value.subtype === "rewind") insteadOf = prompts.get(parent);
    const said = standing(saidIn(value, known), { position: offset, turn, message: id });
    for (const mark of marksOf(object(value.message))) known.add(mark);
    const [first] = said;
    if (insteadOf !== undefined && first?.kind === "user") {
      first.insteadOf = insteadOf;
      insteadOf = undefined;
    }
    return said;
  };
}

function saidIn(value: Value, known: Set<string>): Bare[] {
  const message = object(value.message);
  switch (value.type) {
    case "user":
      return spoke("user", decoded(textIn(message)));
    case "assistant":
      return [...spoke("assistant", decoded(textIn(message))), ...callsIn(message)];
    case "tool_result":
      return resultsIn(message, object(value.toolCallResult));
    case "system":
      return value.subtype === "chat_compression" ? compressed(object(value.systemPayload), known) : [];
    default:
      return [];
  }
}

function callsIn(message: Value | null): Bare[] {
  const calls = partsOf(message).map(({ functionCall }) => object(functionCall));
  return calls.flatMap((call) => (call === null ? [] : called(text(call.id), text(call.name), call.args)));
}

function resultsIn(message: Value | null, about: Value | null): Bare[] {
  return partsOf(message).flatMap((part) => {
    const response = object(part.functionResponse);
    if (response === null) return [];
    const said = object(response.response);
    const { failed, output } = printed(text(said?.output) ?? text(said?.error) ?? "");
    const isError = about?.status === "error" || said?.error !== undefined || failed;
    return [answered(text(response.id) ?? text(about?.callId), isError, output)];
  });
}

/** The checkpoint, and what was put beside it; what the history had before is not said again. */
function compressed(payload: Value | null, known: Set<string>): Bare[] {
  const { checkpoint, others } = compressedIn(payload?.compressedHistory);
  if (checkpoint === null) return [];
  const added = others.filter((content) => !marksOf(content).some((mark) => known.has(mark)));
  return [
    { kind: "checkpoint", text: decoded(checkpoint) },
    ...added.flatMap((content) => spoke("reinjected", decoded(textIn(content)))),
  ];
}
