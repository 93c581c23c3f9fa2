import { digestOf, hexOf } from "../../events/identity.js";
import type { Passage } from "../../retention/passages.js";
import { timeOf } from "../conversation.js";
import { decoded, object, text } from "../json.js";
import { answered, type Bare, called, spoke, standing } from "../said.js";
import type { Found } from "../values.js";
import { isCheckpoint, isTyped, type Message, messagesIn, textIn, type Value } from "./messages.js";
import { callsIn } from "./tools.js";

/** What a session says, message by message. */
export function passages(lane: string): (record: Found) => Passage[] {
  return ({ value, offset }) => (lane === "main" ? saidIn(messagesIn(value), offset) : []);
}

function saidIn(messages: Message[], position: number): Passage[] {
  let turn: string | null = null;
  return messages.flatMap((message) => {
    const { info, parts, name } = message;
    if (info.role === "user" && parts.some(isTyped)) {
      const madeMs = timeOf(object(info.time)?.created);
      turn = madeMs === null ? null : `${madeMs}/${hexOf(digestOf(textIn(parts), "latin1"))}`;
    }
    return standing(said(message), { position, turn, message: name });
  });
}

function said(message: Message): Bare[] {
  const { info, parts } = message;
  if (info.role === "user") return parts.flatMap(asked);
  if (isCheckpoint(message)) return [{ kind: "checkpoint", text: decoded(textIn(parts)) }];
  return info.role === "assistant" && info.summary !== true ? parts.flatMap(answeredIn) : [];
}

/** What the client adds to a prompt are mostly files that the prompt names. */
function asked(part: Value): Bare[] {
  if (part.type !== "text" && part.type !== "subtask") return [];
  return spoke(isTyped(part) ? "user" : "reinjected", text(part.text) ?? text(part.prompt));
}

/** A command that failed is a finished call: only its exit code tells. */
function answeredIn(part: Value): Bare[] {
  if (part.type === "text") return spoke("assistant", text(part.text));
  return callsIn([part]).flatMap(({ id, tool, input, result }): Bare[] => {
    const exit = object(object(part.state)?.metadata)?.exit;
    const failed = typeof exit === "number" && exit !== 0;
    const results = result === null ? [] : [answered(id, result.isError === true || failed, decoded(result.text))];
    return [...called(id, tool, input), ...results];
  });
}
