import type { Span } from "../importer.js";
import type { Place } from "./place.js";
import type { CompactionRecord } from "./records.js";
import type { Live, Message } from "./state.js";

/** A message began in the context. */
export function messageBegins({ file, offset, end }: Place, prompt: boolean): void {
  file.live.messages.push({ at: [offset, end], prompt });
}

/** The latest prompts, and all that followed them, have left the context; never what an earlier compaction kept. */
export function undone({ file, end }: Place, prompts: number): void {
  const { live } = file;
  const first = prompts === 0 ? undefined : live.messages.filter(({ prompt }) => prompt).at(-prompts);
  if (first === undefined || first.at[0] < live.from) return;
  const [at] = first.at;
  live.spans.push([live.from, at]);
  live.messages = live.messages.filter((message) => message.at[0] < at);
  live.from = end;
}

export function cleared({ file, end }: Place): void {
  file.live = { spans: [], from: end, messages: [] };
}

/**
 * Where the context stands that a compaction replaces, and the names of the messages that stay: prompts from both ends
 * of the conversation; before the client told how many, all messages but the first ones.
 */
export function compactedContext({ file, offset, end }: Place, record: CompactionRecord) {
  const { live } = file;
  const context: Span[] = [...live.spans, [live.from, offset]];
  const { keptPrompts, keptHead, messagesBefore } = record;
  const summary: Message = { at: [offset, end], prompt: false };
  const kept =
    keptPrompts === null
      ? live.messages.slice(messagesBefore ?? live.messages.length)
      : ends(live, keptPrompts, keptHead);
  const [first] = kept;
  if (keptPrompts === null) {
    const spans: Span[] = first === undefined ? [] : [[first.at[0], offset]];
    file.live = { spans, from: offset, messages: [summary, ...kept] };
  } else file.live = { spans: kept.map(({ at }) => at), from: offset, messages: [...kept, summary] };
  return { context, kept: kept.map(({ at }) => String(at[0])), replacement: summary.at };
}

function ends({ messages }: Live, count: number, head: number): Message[] {
  const prompts = messages.filter(({ prompt }) => prompt);
  const tail = Math.min(Math.max(count - head, 0), Math.max(prompts.length - head, 0));
  return [...prompts.slice(0, head), ...prompts.slice(prompts.length - tail)];
}
