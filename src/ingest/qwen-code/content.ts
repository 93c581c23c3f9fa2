import { digestOf, hexOf } from "../../events/identity.js";
import { object, text, type Utf8, utf8 } from "../json.js";

type Value = Record<string, unknown>;

export function partsOf(content: Value | null): Value[] {
  return Array.isArray(content?.parts) ? content.parts.map(object).filter((part) => part !== null) : [];
}

/** Text of a content, without thoughts. */
export function textIn(content: Value | null): Utf8 {
  const texts = partsOf(content).filter(({ thought }) => thought !== true);
  return texts.flatMap((part) => utf8(part.text) ?? []).join("\n") as Utf8;
}

/** By what a content is known again in a history: the ids of its calls, or its text. */
export function marksOf(content: Value | null): string[] {
  const calls = partsOf(content).flatMap(({ functionCall, functionResponse }) => {
    const id = text(object(functionCall)?.id) ?? text(object(functionResponse)?.id);
    return id === null ? [] : [`${functionCall === undefined ? "result" : "call"} ${id}`];
  });
  const words = textIn(content);
  return words === ""
    ? calls
    : [...calls, `${content?.role === "model" ? "model" : "user"} ${hexOf(digestOf(words, "latin1"))}`];
}

/** The history that a compression left: its checkpoint, and all else but what the client says itself. */
export function compressedIn(history: unknown): { checkpoint: Utf8 | null; others: Value[] } {
  const contents = Array.isArray(history) ? history.map(object).filter((content) => content !== null) : [];
  const own = contents.filter((content) => !SETUP.test(textIn(content)));
  const at = own.findIndex((content) => content.role !== "model" && textIn(content) !== "");
  if (at < 0) return { checkpoint: null, others: [] };
  const checkpoint = textIn(own[at]!).replace(TRAILER, "") as Utf8;
  return { checkpoint, others: own.filter((_, index) => index !== at) };
}

/** What opens every history, and the answers that the client gives in the model's name. */
const SETUP = /^\s*(?:This is (?:the )?Qwen Code\.|<session_context>|Got it\. Thanks for the (?:additional )?context)/;
const TRAILER = /\n*Resume the prior task using the summary above\.[^\n]*\s*$/;
