import type { CompactionFact, EventHeader, JudgmentFact, NoteFact } from "../events/event.js";
import { eventIdOf, hexOf } from "../events/identity.js";
import { digestOfFact } from "../retention/facts.js";
import { JUDGE, JUDGE_VERSION, survival } from "../retention/judge.js";
import type { Passage, Text } from "../retention/passages.js";
import type { Importer, MapOptions, Replaced, Span } from "./importer.js";
import { linesOf, newBuffer, type OpenFile } from "./lines.js";
import { valuesOf } from "./values.js";

/**
 * What the judge says of a compaction: a second pass over what the file holds of the replaced context and of what
 * replaced it. It depends on this text alone, so it is the same in every order of import. A compaction that cannot be
 * judged gives a note with the reason.
 */
export function judged(
  source: OpenFile,
  importer: Importer,
  compaction: CompactionFact,
  { context, replacement }: Replaced,
  { content }: Pick<MapOptions, "content">,
): JudgmentFact | NoteFact {
  const unjudged = (reason: Unjudged) => noteOf(compaction, reason);
  if (importer.passages === undefined) return unjudged("unreadable");
  if (bytesIn(context) > SPAN_BYTES) return unjudged("too_long");
  const after = passagesIn(source, importer, compaction.lane, replacement);
  const said = after.flatMap((passage) =>
    passage.kind === "checkpoint" || passage.kind === "reinjected" ? [passage.text] : [],
  );
  if (said.length === 0) return unjudged("unreadable");
  const before = withoutTakenBack(passagesIn(source, importer, compaction.lane, context));
  const { tokensBefore } = compaction;
  if (before.length === 0 || (tokensBefore !== null && bytesOf(before) < tokensBefore * LEAST_BYTES_PER_TOKEN)) {
    return unjudged("replaced_text_elsewhere");
  }
  const kept = new Set(compaction.items.filter(({ fate }) => fate === "kept").map(({ messageId }) => messageId));
  const isKept = ({ message }: Passage) => message !== null && kept.has(message);
  const replaced = before.filter((passage) => !isKept(passage));
  const result = survival(replaced, said, before.filter(isKept));
  if (result.total === 0) return unjudged("no_facts");
  if (!result.controls.valid) return unjudged("invalid");
  return {
    kind: "judgment",
    ...headerOf(compaction, offsetOf(replacement[0]) ?? compaction.offset),
    eventId: eventIdOf("judgment", JUDGE, JUDGE_VERSION, hexOf(compaction.eventId)),
    compaction: compaction.eventId,
    score: result.score,
    judgeKind: "fact",
    judge: JUDGE,
    judgeVersion: JUDGE_VERSION,
    factsTotal: result.total,
    factsPassed: result.kept,
    // They follow from the two counts.
    lowerBound: null,
    upperBound: null,
    supersedes: null,
    facts: result.facts.map((fact) => ({
      factKind: fact.kind,
      digest: digestOfFact(fact),
      bytePosition: fact.position,
      text: content ? fact.words.slice(0, TEXT_LENGTH) : null,
      originTurn: fact.turn,
      originToolCall: fact.call,
      state: fact.state,
      weight: fact.weight,
      isConstraint: fact.kind === "user_constraint",
    })),
  };
}

/** Why a compaction whose checkpoint was read is not judged; it stands as the name of the note `unjudged`. */
export type Unjudged =
  /** The file holds too little of what was replaced: it stands in another one, or was rewritten. */
  | "replaced_text_elsewhere"
  | "too_long"
  | "no_facts"
  /** A control did not score what it must. */
  | "invalid"
  /** The checkpoint was not recorded, or is encrypted. */
  | "unreadable";

const SPAN_BYTES = 256 * 1024 * 1024;
/** A context whose text has fewer bytes than a tenth of its tokens would need is not all there. */
const LEAST_BYTES_PER_TOKEN = 0.4;
const TEXT_LENGTH = 200;

/** What the records in these bytes of the file say, and what was told already. */
function passagesIn(
  { file, size, bytesRead }: Pick<OpenFile, "file" | "size" | "bytesRead">,
  importer: Importer,
  lane: string,
  told: (Span | Passage)[],
): Passage[] {
  const read = importer.passages!(lane);
  const buffer = newBuffer();
  const passages: Passage[] = [];
  for (const entry of told) {
    if (!Array.isArray(entry)) {
      passages.push(entry);
      continue;
    }
    const [from, to] = entry;
    if (from >= Math.min(to, size)) continue;
    const source = { file, size: Math.min(to, size), buffer, bytesRead };
    for (const { found } of valuesOf(linesOf(source, { offset: from, line: 0 }))) {
      for (const record of found) if (record.offset >= from) passages.push(...read(record));
    }
  }
  return passages;
}

function bytesIn(told: (Span | Passage)[]): number {
  return told.reduce((sum, entry) => sum + (Array.isArray(entry) ? entry[1] - entry[0] : sizeOf(entry)), 0);
}

function offsetOf(entry: Span | Passage | undefined): number | null {
  return entry === undefined ? null : Array.isArray(entry) ? entry[0] : entry.position;
}

/** A prompt in whose place another one was put has left the context, with all that followed it. */
function withoutTakenBack(passages: Passage[]): Passage[] {
  const left: Passage[] = [];
  for (const passage of passages) {
    const { insteadOf } = passage as Text;
    const from = insteadOf === undefined ? -1 : left.findIndex(({ message }) => message === insteadOf);
    if (from >= 0) left.length = from;
    left.push(passage);
  }
  return left;
}

function bytesOf(passages: Passage[]): number {
  return passages.reduce((sum, passage) => sum + sizeOf(passage), 0);
}

function sizeOf(passage: Passage): number {
  if (passage.kind === "plan") return passage.items.reduce((sum, { text }) => sum + text.length, 0);
  if (passage.kind !== "call") return passage.text.length;
  return [passage.target ?? "", passage.command ?? "", ...passage.arguments].reduce(
    (sum, text) => sum + text.length,
    0,
  );
}

function headerOf(compaction: CompactionFact, offset: number | null): Omit<EventHeader, "eventId"> {
  const { agent, session, lane, turn, tenant, atMs, timeQuality } = compaction;
  return { agent, session, lane, turn, tenant, atMs, timeQuality, line: null, offset };
}

function noteOf(compaction: CompactionFact, reason: Unjudged): NoteFact {
  return {
    kind: "note",
    ...headerOf(compaction, compaction.offset ?? 0),
    eventId: eventIdOf("note", "unjudged", JUDGE, JUDGE_VERSION, hexOf(compaction.eventId)),
    note: "unjudged",
    name: reason,
    count: 1,
    detail: hexOf(compaction.eventId),
  };
}
