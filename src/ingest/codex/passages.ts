import type { Passage } from "../../retention/passages.js";
import { decoded, object, type Utf8 } from "../json.js";
import { answered, type Bare, called, spoke, standing } from "../said.js";
import type { Found } from "../values.js";
import { isWrapper, nameOf, recordOf, textOf } from "./parse.js";
import { parsed, resultText } from "./tools.js";
import { isUnique } from "./turns.js";

/** What the records of a rollout say, in file order; the turn goes on from one record to the next. */
export function passages(lane: string): (record: Found) => Passage[] {
  let turn: string | null = null;
  return ({ value, offset }) => {
    if (lane !== "main") return [];
    const record = recordOf(value);
    if (record.kind === "turn_started") turn = record.turnId !== null && isUnique(record.turnId) ? record.turnId : null;
    const at = { position: offset, turn, message: null };
    switch (record.kind) {
      case "compaction":
        return standing(record.text === "" ? [] : [{ kind: "checkpoint", text: decoded(record.text) }], at);
      case "call": {
        const input = record.json ? parsed(record.input) : record.input;
        return standing(called(record.id, record.tool, input), at);
      }
      case "result":
        return standing([resulted(record.id, record.output)], at);
      default: {
        const message = messageIn(value);
        return message === null ? [] : standing(message.said, { ...at, message: message.name });
      }
    }
  };
}

/** A message of the user's or the model's; what the client says in the user's name was put into the context by it. */
function messageIn(value: Record<string, unknown>): { said: Bare[]; name: string | null } | null {
  const item = value.type === "response_item" ? object(value.payload) : "payload" in value ? null : value;
  if (item?.type !== "message") return null;
  const text = textOf(item.content) ?? ("" as Utf8);
  const words = decoded(text);
  if (item.role === "assistant") return { said: spoke("assistant", words), name: null };
  if (item.role === "user" && !isWrapper(text)) return { said: spoke("user", words), name: nameOf(text) };
  return { said: spoke("reinjected", words), name: null };
}

/** Before what a command printed, the client writes how it went. */
function resulted(id: string | null, output: unknown): Bare {
  const whole = decoded(resultText(output));
  const head = HEAD.exec(whole)?.[0] ?? "";
  const code = EXIT.exec(head)?.[1];
  const failed = object(output)?.success === false || (code !== undefined && code !== "0") || REFUSED.test(whole);
  return answered(id, failed, whole.slice(head.length));
}

const HEAD = /^(?:[A-Z][^\n]{0,200}\n){1,8}?Output:\n/;
const EXIT = /^(?:Exit code:|Process exited with code) (\d+)$/m;
const REFUSED = /^(?:apply_patch verification failed|failed to parse function arguments: |unsupported call: )/;
