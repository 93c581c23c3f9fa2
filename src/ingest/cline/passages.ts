import type { Passage } from "../../retention/passages.js";
import { object, text } from "../json.js";
import { standing } from "../said.js";
import type { Found } from "../values.js";
import { blocksIn, saidIn } from "./content.js";
import { recognises } from "./detect.js";
import { isTask } from "./gather.js";
import { checkpointIn, keyOf, type Message, messagesIn } from "./parse.js";
import { checkpointsOf, isSummarising, nameOf } from "./task.js";

/** What a session or a task says, message by message. */
export function passages(lane: string): (record: Found) => Passage[] {
  return ({ value, offset }) => {
    if (lane !== "main") return [];
    if (isTask(value)) return saidInTask(value, offset);
    return recognises(value) ? saidInSession(value, offset) : [];
  };
}

function saidInSession(value: Record<string, unknown>, position: number): Passage[] {
  const session = text(value.sessionId) ?? "";
  let turn: string | null = null;
  return messagesIn(value).flatMap((message: Message, index) => {
    const blocks = blocksIn(message.content);
    const checkpoint = checkpointIn(message);
    if (checkpoint === null && message.role === "user" && blocks.some(({ type }) => type !== "tool_result")) {
      turn = keyOf(session, message, index);
    }
    const said =
      checkpoint === null ? saidIn(message.role, blocks) : [{ kind: "checkpoint" as const, text: checkpoint }];
    return standing(said, { position, turn, message: text(message.id) ?? nameOf(index) });
  });
}

/** A checkpoint stands behind the message with which it was asked for. */
function saidInTask(value: Record<string, unknown>, position: number): Passage[] {
  const history = Array.isArray(value.history) ? value.history.map((message) => object(message) ?? {}) : [];
  const checkpoints = checkpointsOf(value);
  return history.flatMap((message, index) => {
    const blocks = blocksIn(message.content);
    const said = isSummarising(blocks) ? [] : saidIn(message.role, blocks);
    const behind = checkpoints.filter((checkpoint) => checkpoint.behind === index);
    return [
      ...standing(said, { position, turn: null, message: nameOf(index) }),
      ...behind.flatMap(({ words, key }) =>
        standing([{ kind: "checkpoint", text: words }], { position, turn: null, message: key }),
      ),
    ];
  });
}
