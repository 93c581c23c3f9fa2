import { type At, type Compaction, compactionStep, type Step, timeOf } from "../conversation.js";
import { object } from "../json.js";
import { idOf, isTyped, type Message, messagesIn, textIn, type Value } from "./messages.js";
import { prunedIn } from "./tools.js";

/**
 * The compaction whose checkpoint is message number `at`. The client asks for one in a message of its own; what follows
 * the message that it names as the start of the tail stays, and after an overflow the prompt is put again.
 */
export function compactionOf(place: At, key: string, messages: Message[], at: number): At & Compaction {
  const asking = messages.slice(0, at).findLastIndex(({ info }) => info.role === "user");
  const asked = messages[asking]?.parts.find(({ type }) => type === "compaction") ?? null;
  const text = textIn(messages[at]!.parts);
  const before = messages.slice(0, asked === null ? at : asking);
  const tail = before.findIndex(({ info }) => info.id === asked?.tail_start_id);
  const again = asked?.overflow === true ? putAgain(before, messages.slice(at + 1)) : [];
  return compactionStep(place, key, {
    trigger: asked === null ? "unknown" : triggerOf(asked),
    checkpoint: text === "" ? null : text,
    kept: [...(tail < 0 ? [] : before.slice(tail)), ...again].map(({ name }) => name),
    cleared: clearedBefore(before, place.atMs),
  });
}

function triggerOf({ overflow, auto }: Value): Compaction["trigger"] {
  return overflow === true ? "overflow" : auto === true ? "auto" : "manual";
}

/** The latest prompt, when the client repeats it right after the checkpoint. */
function putAgain(before: Message[], after: Message[]): Message[] {
  const prompt = before.findLast(isPrompt);
  const next = after.find(isPrompt);
  if (prompt === undefined || next === undefined || textIn(prompt.parts) !== textIn(next.parts)) return [];
  return after.indexOf(next) === 0 ? [prompt] : [];
}

const isPrompt = ({ info, parts }: Message) => info.role === "user" && parts.some(isTyped);

function clearedBefore(messages: Message[], atMs: number | null): string[] {
  return messages
    .flatMap(({ parts }) => parts)
    .flatMap((part) => {
      const clearedMs = timeOf(object(object(part.state)?.time)?.compacted);
      return clearedMs !== null && clearedMs <= (atMs ?? 0) ? (idOf(part.callID) ?? []) : [];
    });
}

/** Results that were cleared from the context at one time are one small compaction. */
export function withPruning(steps: Step[], session: string, value: Value): Step[] {
  const place = steps[0];
  if (place === undefined) return steps;
  for (const { atMs, calls } of prunedIn(messagesIn(value).flatMap(({ parts }) => parts))) {
    const next = steps.findIndex((step) => (step.atMs ?? 0) > atMs);
    const at = { atMs, line: place.line, offset: place.offset };
    const pruning = compactionStep(at, `${session}/${atMs}/pruned`, {
      form: "micro",
      trigger: "auto",
      cleared: calls,
    });
    steps.splice(next < 0 ? steps.length : next, 0, pruning);
  }
  return steps;
}
