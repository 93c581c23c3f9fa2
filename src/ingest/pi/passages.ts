import { digestOf, hexOf } from "../../events/identity.js";
import type { Passage } from "../../retention/passages.js";
import { decoded, object, text } from "../json.js";
import { answered, type Bare, called, spoke, standing } from "../said.js";
import type { Found } from "../values.js";
import { recordOf, textOf } from "./parse.js";

/** What the entries of a session say, in file order; the turn goes on from one entry to the next. */
export function passages(lane: string): (record: Found) => Passage[] {
  let turn: string | null = null;
  return ({ value, offset }) => {
    if (lane !== "main") return [];
    const record = recordOf(value);
    const { id, atMs } = record.frame;
    if (record.kind === "prompt") {
      const madeMs = record.madeMs ?? atMs;
      turn = madeMs === null ? null : `${madeMs}/${hexOf(digestOf(record.text, "latin1"))}`;
    }
    return standing(said(value), { position: offset, turn, message: id ?? String(offset) });
  };
}

function said(value: Record<string, unknown>): Bare[] {
  switch (value.type) {
    case "message":
      return message(object(value.message) ?? {});
    case "compaction":
      return [{ kind: "checkpoint", text: text(value.summary) ?? "" }];
    case "branch_summary":
      return spoke("reinjected", text(value.summary));
    case "custom_message":
      return spoke("reinjected", decoded(textOf(value.content)));
    default:
      return [];
  }
}

function message(told: Record<string, unknown>): Bare[] {
  const words = decoded(textOf(told.content));
  switch (told.role) {
    case "user":
      return spoke("user", words);
    case "assistant":
      return [...spoke("assistant", words), ...callsIn(told.content)];
    case "toolResult":
      return [answered(text(told.toolCallId), told.isError === true, words)];
    case "bashExecution":
      return ran(told);
    case "custom":
    case "hookMessage":
      return spoke("reinjected", words);
    default:
      return [];
  }
}

function callsIn(content: unknown): Bare[] {
  const blocks = Array.isArray(content) ? content.map(object) : [];
  const calls = blocks.filter((block) => block?.type === "toolCall");
  return calls.flatMap((call) => called(text(call!.id), text(call!.name), call!.arguments));
}

/** A command that the user ran, unless the model was not to see it. */
function ran({ command, output, exitCode, excludeFromContext }: Record<string, unknown>): Bare[] {
  if (excludeFromContext === true) return [];
  const failed = typeof exitCode === "number" && exitCode !== 0;
  return [...called(null, "bash", { command }), answered(null, failed, text(output) ?? "")];
}
