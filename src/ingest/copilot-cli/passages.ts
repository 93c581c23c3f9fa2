import type { Passage } from "../../retention/passages.js";
import { keyWithin } from "../conversation.js";
import { decoded, object, text } from "../json.js";
import { answered, type Bare, called, spoke, standing } from "../said.js";
import type { Found } from "../values.js";
import { laneOf, resultText } from "./events.js";

type Value = Record<string, unknown>;

/** What the events of one lane say, in file order; of an answer that is told twice only what is new. */
export function passages(lane: string): (record: Found) => Passage[] {
  const told = new Set<string>();
  let session = "";
  let first: string | null = null;
  let turn: string | null = null;
  let insteadOf: string | undefined;
  return ({ value, offset }) => {
    const data = object(value.data) ?? {};
    if (value.type === "session.start") session ||= text(data.sessionId) ?? "";
    if ((laneOf(value) ?? "main") !== lane) return [];
    const id = text(value.id);
    if (value.type === "user.message") turn = id === null ? `${session}/${offset}` : keyWithin(session, id);
    if (value.type === "session.context_cleared") insteadOf = first ?? undefined;
    const said = standing(saidIn(value, data, told), { position: offset, turn, message: id });
    const [opening] = said;
    if (opening?.kind === "user") {
      if (insteadOf !== undefined) {
        opening.insteadOf = insteadOf;
        insteadOf = undefined;
        first = id;
      }
      first ??= id;
    }
    return said;
  };
}

function saidIn({ type }: Value, data: Value, told: Set<string>): Bare[] {
  switch (type) {
    case "user.message":
      return spoke("user", text(data.content));
    case "assistant.message": {
      const words = text(data.content);
      const key = `${text(data.messageId) ?? text(data.apiCallId)}/${words}`;
      if (told.has(key)) return [];
      told.add(key);
      return spoke("assistant", words);
    }
    case "tool.execution_start":
      return called(text(data.toolCallId), text(data.toolName), data.arguments);
    case "tool.execution_complete":
      return [answered(text(data.toolCallId), data.success === false, decoded(resultText(data)))];
    case "session.compaction_complete": {
      const summary = data.success === false ? null : text(data.summaryContent);
      return summary === null ? [] : [{ kind: "checkpoint", text: summary }];
    }
    default:
      return [];
  }
}
