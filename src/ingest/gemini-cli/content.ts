import { object, type Utf8, utf8 } from "../json.js";

type Value = Record<string, unknown>;

/** Text of a message's content: a text, or its parts. */
export function textOf(content: unknown): Utf8 {
  if (!Array.isArray(content)) return utf8(content) ?? utf8(object(content)?.text) ?? ("" as Utf8);
  return content.map((part) => utf8(part) ?? utf8(object(part)?.text) ?? "").join("\n") as Utf8;
}

/** True for what a person wrote, as opposed to results and to what the client says about the surroundings. */
export function isPrompt({ type, content }: Value): boolean {
  if (type !== "user") return false;
  const parts = Array.isArray(content) ? content.map(object) : [];
  const isResults = parts.length > 0 && parts.every((part) => part !== null && "functionResponse" in part);
  return !isResults && !SETUP.test(textOf(content));
}

const SETUP = /^\s*(?:<session_context>|This is the (?:Gemini CLI|Qwen Code)\. We are setting up the context)/;

/** True for the message that stands for what a compression took out of the history. */
export function isCheckpoint({ type, content }: Value): boolean {
  return type === "user" && textOf(content).includes("<state_snapshot>");
}
