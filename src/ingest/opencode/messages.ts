import { object, text, type Utf8, utf8 } from "../json.js";

export type Value = Record<string, unknown>;

export interface Message {
  info: Value;
  parts: Value[];
  /** Its id, or its number when that was blotted out. */
  name: string;
}

/** The messages of a session, in order. */
export function messagesIn(value: Value): Message[] {
  const messages = Array.isArray(value.messages) ? value.messages.map(object) : [];
  return messages.map((message, index) => {
    const info = object(message?.info) ?? {};
    const parts = Array.isArray(message?.parts) ? message.parts.map(object).filter((part) => part !== null) : [];
    return { info, parts, name: idOf(info.id) ?? `#${index}` };
  });
}

/** An id that a scrubber blotted out names nothing: it can stand in one session many times. */
export function idOf(value: unknown): string | null {
  const id = text(value);
  return id === "" || id === "REDACTED" ? null : id;
}

/** What a person put into a message, as opposed to what the client added. */
export const isTyped = ({ type, synthetic }: Value) => synthetic !== true && type !== "compaction";

export function textIn(parts: Value[]): Utf8 {
  const texts = parts.filter(({ type }) => type === "text" || type === "subtask");
  return texts.map((part) => utf8(part.text) ?? utf8(part.prompt) ?? "").join("\n") as Utf8;
}

/** True for the message that replaced what came before it: it was finished, and nothing went wrong. */
export function isCheckpoint({ info }: Message): boolean {
  const finished = typeof info.finish === "string" || typeof object(info.time)?.completed === "number";
  return info.role === "assistant" && info.summary === true && finished && object(info.error) === null;
}
