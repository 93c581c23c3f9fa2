import type { Span } from "../importer.js";
import type { Place } from "./place.js";
import type { RolledBackRecord, SaidRecord } from "./records.js";

/** The user said something: a compaction may keep it. */
export function userSaid({ file, offset, end }: Place, { name, bytes }: SaidRecord): void {
  file.live.prompts.push({ name, bytes, at: [offset, end] });
}

/** The latest turns, and all that followed them, have left the context. */
export function rolledBack({ file, end }: Place, { turns }: RolledBackRecord): void {
  const { live } = file;
  const first = turns === 0 ? undefined : live.prompts.at(-turns);
  if (first === undefined) return;
  const [at] = first.at;
  live.spans = [...live.spans.filter(([from]) => from < at), ...(live.from < at ? [[live.from, at] as Span] : [])];
  live.prompts = live.prompts.filter((prompt) => prompt.at[0] < at);
  live.from = end;
}

/**
 * Where the context stands that a compaction replaces, and the names of the messages that stay. What the compaction
 * does not tell follows from the client's rule: the newest messages of the user's, up to 20,000 tokens.
 */
export function compactedContext({ file, offset }: Place, told: string[] | null): { context: Span[]; kept: string[] } {
  const { live } = file;
  const kept = new Set(told ?? newest(live.prompts));
  const context: Span[] = [...live.spans, [live.from, offset]];
  live.prompts = live.prompts.filter(({ name }) => kept.has(name));
  live.spans = live.prompts.map(({ at }) => at);
  live.from = offset;
  return { context, kept: [...new Set(live.prompts.map(({ name }) => name))] };
}

const KEPT_TOKENS = 20_000;
const BYTES_PER_TOKEN = 4;

/** The message that does not fit is cut, and stays. */
function newest(prompts: { name: string; bytes: number }[]): string[] {
  let left = KEPT_TOKENS;
  const kept: string[] = [];
  for (const { name, bytes } of prompts.toReversed()) {
    if (left <= 0) break;
    kept.push(name);
    left -= Math.ceil(bytes / BYTES_PER_TOKEN);
  }
  return kept;
}
