import type { Passage } from "./passages.js";

/** A passage of a lane; `digest` is the hex digest of a checkpoint's text as it was recorded, null for all others. */
export type Spoken = Passage & { digest: string | null };

/** What a compaction says of itself, as far as it tells what became of the context. */
export interface Compacting {
  /** `micro` clears single passages in place; `full` replaces what came before by a checkpoint. */
  form: "full" | "micro";
  /** Byte offset of its record in the source of the passages; null when unknown. */
  offset: number | null;
  /** Hex digest of its checkpoint; null when that was never read. */
  digest: string | null;
  items: { messageId: string; fate: string }[];
}

/** A passage in the context: as it was said, kept over a compaction, or cleared: known to have been there, no more. */
export interface Held {
  passage: Spoken;
  fate: "said" | "kept" | "cleared";
}

/** What one compaction did: each of what it found was either kept (perhaps cleared) or dropped. */
export interface Change<C extends Compacting> {
  compaction: C;
  /** Number of the first passage after it, from 0. */
  at: number;
  before: Held[];
  kept: Held[];
  dropped: Held[];
  /** Checkpoints, and what was put back beside them. */
  added: Spoken[];
  /** Ids of kept messages that no passage has: said before the passages begin, or without words. */
  elsewhere: string[];
}

export interface Course<C extends Compacting> {
  passages: Spoken[];
  /** What is in the context at the end, in the order in which it is sent. */
  context: Held[];
  /** In the order in which they happened. */
  changes: Change<C>[];
  /** Compactions whose place among the passages cannot be told. */
  unplaced: C[];
  /** Checkpoints of which no compaction tells. */
  strays: Spoken[];
}

/**
 * What became of the context of a lane: passages are added as they are said, compactions replace what came before by
 * their checkpoint and what they kept, and a prompt that was put in the place of an earlier one takes that one and
 * what followed it back.
 *
 * - A compaction stands before the checkpoint that has its digest, else where its record does. Where several passages
 *   share one offset, as in documents that are one record, an offset alone tells nothing: then it is unplaced.
 * - `until` ends it before the record at that offset.
 * - It knows what the passages hold. System prompt, tools and hidden thoughts are no passages.
 */
export function courseOf<C extends Compacting>(
  told: Spoken[],
  compactions: C[],
  until = Number.POSITIVE_INFINITY,
): Course<C> {
  const passages = told.filter(({ position }) => position < until);
  const { placed, unplaced } = placesOf(
    passages,
    compactions.filter(({ offset }) => (offset ?? 0) < until),
  );
  const changes: Change<C>[] = [];
  const strays: Spoken[] = [];
  let context: Held[] = [];
  /** The compaction whose replacement is being told. */
  let telling: Change<C> | null = null;
  for (let at = 0; at <= passages.length; at += 1) {
    for (const compaction of placed.get(at) ?? []) {
      const change = changeBy(compaction, at, context);
      if (compaction.form === "full") telling = change;
      changes.push(change);
      context = [...change.kept];
    }
    const passage = passages[at];
    if (passage === undefined) break;
    if (!isReplacement(passage)) telling = null;
    else if (telling !== null) telling.added.push(passage);
    else if (passage.kind === "checkpoint") strays.push(passage);
    context = withoutTakenBack(context, passage);
    // A checkpoint is sent before what was kept.
    const place = passage.kind === "checkpoint" ? leadingCheckpoints(context) : context.length;
    context.splice(place, 0, { passage, fate: "said" });
  }
  // Wherever they happened, what they cleared is cleared by now.
  for (const compaction of unplaced) {
    if (compaction.form === "micro") context = changeBy(compaction, passages.length, context).kept;
  }
  return { passages, context, changes, unplaced, strays };
}

/**
 * True when offsets tell what was said before the record at `offset`. They do not where prompts and answers share one,
 * as in documents that are one record.
 */
export function isDivided(passages: Spoken[], offset: number): boolean {
  return !passages.some(({ position, kind }) => position === offset && kind === "user");
}

function placesOf<C extends Compacting>(passages: Spoken[], compactions: C[]) {
  const placed = new Map<number, C[]>();
  const unplaced: C[] = [];
  let from = 0;
  for (const compaction of [...compactions].sort((a, b) => (a.offset ?? 0) - (b.offset ?? 0))) {
    const at = placeOf(passages, compaction, from);
    if (at === null) unplaced.push(compaction);
    else placed.set(at, [...(placed.get(at) ?? []), compaction]);
    // The next compaction has a checkpoint of its own, even if it says the same.
    if (at !== null && passages[at]?.kind === "checkpoint" && compaction.form === "full") from = at + 1;
  }
  return { placed, unplaced };
}

function placeOf(passages: Spoken[], { form, offset, digest }: Compacting, from: number): number | null {
  const named = digest === null ? -1 : passages.findIndex((passage, at) => at >= from && passage.digest === digest);
  if (named >= 0) return named;
  if (offset === null) return null;
  const found = passages.findIndex(({ position }) => position >= offset);
  const at = found < 0 ? passages.length : found;
  const next = passages[at];
  if (next !== undefined && next.position === offset && !isReplacement(next)) return null;
  const isMissing = form === "full" && digest !== null && next?.kind !== "checkpoint";
  return isMissing ? null : at;
}

function changeBy<C extends Compacting>(compaction: C, at: number, before: Held[]): Change<C> {
  const fates = new Map(compaction.items.map(({ messageId, fate }) => [messageId, fate]));
  const untold = compaction.form === "micro" ? "kept" : "dropped";
  const fateOf = ({ passage }: Held) => {
    const ofCall = passage.kind === "result" && passage.call !== null ? fates.get(passage.call) : undefined;
    return ofCall ?? (passage.message === null ? undefined : fates.get(passage.message)) ?? untold;
  };
  const kept: Held[] = [];
  const dropped: Held[] = [];
  for (const held of before) {
    const fate = fateOf(held);
    if (fate === "stubbed") kept.push({ ...held, fate: "cleared" });
    else if (fate === "kept") kept.push(compaction.form === "micro" ? held : { ...held, fate: keptFate(held) });
    else dropped.push(held);
  }
  const known = new Set(before.map(({ passage }) => passage.message));
  const elsewhere = compaction.items.flatMap(({ messageId, fate }) =>
    fate === "kept" && !known.has(messageId) ? [messageId] : [],
  );
  return { compaction, at, before, kept, dropped, added: [], elsewhere };
}

function keptFate({ fate }: Held): Held["fate"] {
  return fate === "cleared" ? "cleared" : "kept";
}

function withoutTakenBack(context: Held[], passage: Spoken): Held[] {
  if (passage.kind !== "user" || passage.insteadOf === undefined) return context;
  const at = context.findIndex((held) => held.passage.message === passage.insteadOf);
  return at < 0 ? context : context.slice(0, at);
}

function leadingCheckpoints(context: Held[]): number {
  const at = context.findIndex(({ passage }) => passage.kind !== "checkpoint");
  return at < 0 ? context.length : at;
}

function isReplacement({ kind }: Passage): boolean {
  return kind === "checkpoint" || kind === "reinjected";
}
