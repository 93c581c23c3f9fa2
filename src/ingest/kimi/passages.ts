import { digestOf, hexOf } from "../../events/identity.js";
import type { Passage } from "../../retention/passages.js";
import { decoded, object, text } from "../json.js";
import { answered, type Bare, called, spoke, standing } from "../said.js";
import type { Found } from "../values.js";
import { isAsked, recordOf, resultText, textOf } from "./parse.js";
import { isBeside } from "./requests.js";

/** What the records of a wire file say, in file order: it holds one lane. What was said to compact it is not told. */
export function passages(lane: string): (record: Found) => Passage[] {
  if (isBeside(lane)) return () => [];
  let turn: string | null = null;
  /** The model's message that is being written. */
  let step: number | null = null;
  return ({ value, offset }) => {
    const record = recordOf(value);
    if (record.kind === "prompt") turn = `${record.atMs ?? offset}/${hexOf(digestOf(record.text, "latin1"))}`;
    const event = object(value.event);
    if (event?.type === "step.begin") step = offset;
    const own = event === null || event.type === "tool.result";
    const message = own ? String(offset) : step === null ? null : String(step);
    const bare = event === null ? said(value) : happened(event);
    return standing(bare, { position: offset, turn, message });
  };
}

function said(value: Record<string, unknown>): Bare[] {
  if (value.type === "context.apply_compaction") {
    const record = recordOf(value);
    const words = record.kind === "compaction" ? record.text : null;
    return words === null ? [] : [{ kind: "checkpoint", text: decoded(words) }];
  }
  if (value.type !== "context.append_message") return [];
  const message = object(value.message) ?? {};
  const words = decoded(textOf(message.content));
  if (message.role !== "user") return message.role === "assistant" ? spoke("assistant", words) : [];
  return spoke(isAsked(message.origin) ? "user" : "reinjected", words);
}

function happened(event: Record<string, unknown>): Bare[] {
  const id = text(event.toolCallId);
  switch (event.type) {
    case "content.part":
      return spoke("assistant", text(object(event.part)?.text));
    case "tool.call":
      return called(id, text(event.name), event.args);
    case "tool.result": {
      const result = object(event.result);
      return [answered(id, result?.isError === true, decoded(resultText(result?.output)))];
    }
    default:
      return [];
  }
}
