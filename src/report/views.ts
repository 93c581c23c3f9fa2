import type { LaneFacts, ToldCompaction } from "../diagnostics/lane-record.js";
import type { CompactionLosses, LostFact, Survival } from "../diagnostics/losses.js";
import type { TimelineRequest } from "../diagnostics/timeline.js";
import type { Change, Course, Held, Spoken } from "../retention/context.js";
import { isoOf } from "./moments.js";

export const VIEWS = ["user", "model", "summary", "diff"] as const;
export type ViewName = (typeof VIEWS)[number];

/** What the views of one lane are made of. */
export interface Material {
  store: string;
  session: string;
  agent: string;
  lane: string;
  /** The file whose text this is; null when only kept texts are there. */
  source: string | null;
  /** True when the file is not what it was at the import. */
  sourceChanged: boolean;
  /** The request before which the text ends; null for now. */
  request: TimelineRequest | null;
  /** The latest request of the lane before that. */
  latest: TimelineRequest | null;
  course: Course<ToldCompaction>;
  calls: LaneFacts["calls"];
}

/** A passage with what the store knows of its call: `bytes` of the whole result, of which `text` may be a part. */
export type Entry = DistributiveOmit<Spoken, "digest"> & { tool?: string | null; bytes?: number | null };
type DistributiveOmit<T, K extends string> = T extends unknown ? Omit<T, K> : never;

export type HeldEntry = Entry & { fate: Held["fate"] };

export interface CompactionHead {
  /** Among the full compactions of the lane, from 1; null for a micro-compaction. */
  number: number | null;
  eventId: string;
  form: "full" | "micro";
  recipe: string;
  version: string | null;
  trigger: string;
  outcome: string;
  /** ISO 8601; null when unknown. */
  at: string | null;
  tokensBefore: number | null;
  tokensAfter: number | null;
  fault: string | null;
}

export interface SummaryPart extends CompactionHead {
  /** Null when it was never readable. */
  checkpoint: string | null;
  checkpointBytes: number | null;
  judgment: Pick<Survival, "judge" | "judgeVersion" | "score" | "kept" | "total" | "bounds"> | null;
  unjudged: string | null;
}

/** One line for each passage: enough to recognise it. */
export interface Glimpse {
  kind: Spoken["kind"];
  message: string | null;
  words: string;
}

export interface DiffPart extends CompactionHead {
  /** False when it cannot be told where in the text it happened: then the lists are empty. */
  placed: boolean;
  /** Null when the text begins after it, or its place is unknown. */
  messagesBefore: number | null;
  messagesAfter: number | null;
  dropped: Glimpse[];
  kept: (Glimpse & { fate: Held["fate"] })[];
  /** Checkpoints, and what was put back beside them. */
  added: Glimpse[];
  /** Ids of kept messages that say nothing in this text: said before it begins, or without words. */
  keptWithoutWords: string[];
  judgment: SummaryPart["judgment"];
  lost: LostFact[];
  unjudged: string | null;
}

export type View =
  | { view: "user"; entries: (Entry | ({ kind: "compaction" } & CompactionHead))[]; unplaced: CompactionHead[] }
  | {
      view: "model";
      entries: HeldEntry[];
      /** Prompt tokens of the latest request, with all that no transcript holds; null when unknown. */
      promptTokens: number | null;
      keptWithoutWords: string[];
      /** True when the latest compaction's checkpoint is there for the model, but cannot be read. */
      checkpointUnreadable: boolean;
      /** Micro-compactions that do not name what they cleared. */
      unnamedClearings: number;
    }
  | { view: "summary"; compactions: SummaryPart[] }
  | { view: "diff"; compactions: DiffPart[] };

/**
 * One way of looking at a lane: what was said (`user`), what the model has in its context (`model`), the checkpoints
 * (`summary`), or what each compaction dropped and kept (`diff`).
 */
export function viewOf(view: ViewName, { course, calls, latest }: Material): View {
  switch (view) {
    case "user":
      return {
        view,
        entries: saidWithMarks(course, calls),
        unplaced: course.unplaced.map((compaction) => headOf(compaction, course)),
      };
    case "model":
      return {
        view,
        entries: course.context.map(({ passage, fate }) => ({ ...entryOf(passage, calls), fate })),
        promptTokens: latest?.promptTokens ?? null,
        keptWithoutWords: latestFull(course)?.elsewhere ?? [],
        checkpointUnreadable: latestFull(course)?.added.every(({ kind }) => kind !== "checkpoint") ?? false,
        unnamedClearings: [...course.changes.map(({ compaction }) => compaction), ...course.unplaced].filter(
          isUnnamedClearing,
        ).length,
      };
    case "summary":
      return { view, compactions: fullCompactions(course).map((compaction) => summaryOf(compaction, course)) };
    case "diff":
      return { view, compactions: fullCompactions(course).map((compaction) => diffOf(compaction, course, calls)) };
  }
}

export function viewJson(material: Material, view: View): object {
  const { store, session, agent, lane, source, sourceChanged, request } = material;
  const asked = { store, session, agent, lane, source, sourceChanged, request: request?.number ?? null };
  return { schemaVersion: 1, ...asked, ...view };
}

/** True when the place of every compaction is known, so that what is in the context is. */
export function isComplete({ unplaced, strays }: Course<ToldCompaction>): boolean {
  return strays.length === 0 && unplaced.every(({ form }) => form === "micro");
}

/** True when at least one checkpoint can be read. */
export function tellsCheckpoints(course: Course<ToldCompaction>): boolean {
  return fullCompactions(course).some((compaction) => checkpointOf(compaction, course) !== null);
}

function saidWithMarks(course: Course<ToldCompaction>, calls: LaneFacts["calls"]) {
  const marks = (at: number) =>
    course.changes
      .filter((change) => change.at === at)
      .map(({ compaction }) => ({ kind: "compaction" as const, ...headOf(compaction, course) }));
  const said = course.passages.flatMap((passage, at) => [
    ...marks(at),
    ...(passage.kind === "checkpoint" || passage.kind === "reinjected" ? [] : [entryOf(passage, calls)]),
  ]);
  return [...said, ...marks(course.passages.length)];
}

function entryOf({ digest: _, ...passage }: Spoken, calls: LaneFacts["calls"]): Entry {
  if (passage.kind !== "call" && passage.kind !== "result") return passage;
  const known = passage.call === null ? undefined : calls.get(passage.call);
  return passage.kind === "call"
    ? { ...passage, tool: known?.tool ?? null }
    : { ...passage, tool: known?.tool ?? null, bytes: known?.resultBytes ?? null };
}

function headOf(compaction: ToldCompaction, course: Course<ToldCompaction>): CompactionHead {
  const { eventId, form, recipe, version, trigger, outcome, atMs, tokensBefore, tokensAfter, fault } = compaction;
  const number = form === "micro" ? null : fullCompactions(course).indexOf(compaction) + 1;
  const at = isoOf(atMs);
  return { number, eventId, form, recipe, version, trigger, outcome, at, tokensBefore, tokensAfter, fault };
}

/** In the order in which they happened, as far as that is known. */
function fullCompactions({ changes, unplaced }: Course<ToldCompaction>): ToldCompaction[] {
  return [...changes.map(({ compaction }) => compaction), ...unplaced]
    .filter(({ form }) => form === "full")
    .sort((a, b) => (a.atMs ?? 0) - (b.atMs ?? 0));
}

function latestFull({ changes }: Course<ToldCompaction>): Change<ToldCompaction> | undefined {
  return changes.findLast(({ compaction }) => compaction.form === "full");
}

function isUnnamedClearing({ form, items }: ToldCompaction): boolean {
  return form === "micro" && items.length === 0;
}

function checkpointOf(compaction: ToldCompaction, { changes }: Course<ToldCompaction>): string | null {
  const added = changes.find((change) => change.compaction === compaction)?.added ?? [];
  const texts = added.flatMap((passage) => (passage.kind === "checkpoint" ? [passage.text] : []));
  return texts.length > 0 ? texts.join("\n") : compaction.keptText;
}

function summaryOf(compaction: ToldCompaction, course: Course<ToldCompaction>): SummaryPart {
  const { judgment, unjudged } = judgmentOf(compaction.losses);
  return {
    ...headOf(compaction, course),
    checkpoint: checkpointOf(compaction, course),
    checkpointBytes: compaction.summaryBytes,
    judgment,
    unjudged,
  };
}

function diffOf(compaction: ToldCompaction, course: Course<ToldCompaction>, calls: LaneFacts["calls"]): DiffPart {
  const glimpseOf = (passage: Spoken) => glimpse(entryOf(passage, calls));
  const change = course.changes.find((change) => change.compaction === compaction);
  const { before = [], kept = [], dropped = [], added = [], elsewhere = [] } = change ?? {};
  return {
    ...headOf(compaction, course),
    placed: change !== undefined,
    messagesBefore: messagesIn(before.map(({ passage }) => passage)) || null,
    messagesAfter: messagesIn([...kept.map(({ passage }) => passage), ...added]) + elsewhere.length || null,
    dropped: dropped.map(({ passage }) => glimpseOf(passage)),
    kept: kept.map(({ passage, fate }) => ({ ...glimpseOf(passage), fate })),
    added: added.map(glimpseOf),
    keptWithoutWords: elsewhere,
    ...judgmentOf(compaction.losses),
    lost: compaction.losses?.judgment?.lost ?? [],
  };
}

function judgmentOf(losses: CompactionLosses | null): Pick<SummaryPart, "judgment" | "unjudged"> {
  const found = losses?.judgment ?? null;
  if (found === null) return { judgment: null, unjudged: losses?.unjudged ?? "not_judged" };
  const { judge, judgeVersion, score, kept, total, bounds } = found;
  return { judgment: { judge, judgeVersion, score, kept, total, bounds }, unjudged: null };
}

/** A message may consist of several passages; one without an id stands for itself. */
function messagesIn(passages: Spoken[]): number {
  const named = passages.flatMap(({ message }) => (message === null ? [] : [message]));
  return new Set(named).size + passages.length - named.length;
}

const GLIMPSE_LENGTH = 100;

function glimpse(entry: Entry): Glimpse {
  const { kind, message } = entry;
  return { kind, message, words: firstWords(entry).replace(/\s+/g, " ").trim().slice(0, GLIMPSE_LENGTH).trim() };
}

function firstWords(entry: Entry): string {
  switch (entry.kind) {
    case "call":
      return `${entry.tool ?? entry.action} ${entry.command ?? entry.target ?? entry.arguments[0] ?? ""}`;
    case "plan":
      return entry.items.map(({ text }) => text).join("; ");
    default:
      return entry.text.slice(0, 4 * GLIMPSE_LENGTH);
  }
}
