/** Passages of a conversation that never was. */
import type { Call, Passage } from "../../src/retention/passages.js";

const nowhere = { position: 0, turn: null, message: null };

export const user = (text: string): Passage => ({ kind: "user", text, ...nowhere });
export const said = (text: string): Passage => ({ kind: "assistant", text, ...nowhere });

export const called = (
  call: string,
  action: Call["action"],
  target: string | null,
  given: string[] = [],
  command: string | null = null,
): Passage => ({ kind: "call", call, action, target, command, arguments: given, ...nowhere });

export const answered = (call: string, text: string, isError: boolean): Passage => ({
  kind: "result",
  call,
  isError,
  text,
  ...nowhere,
});

/** A command and what it printed. */
export const ran = (call: string, command: string, printed: string, failed: boolean): Passage[] => [
  called(call, "run", null, [], command),
  answered(call, printed, failed),
];

export const todo = (...items: [text: string, open: boolean][]): Passage => ({
  kind: "plan",
  items: items.map(([text, open]) => ({ text, open })),
  ...nowhere,
});
