import { digestOf, hexOf } from "../events/identity.js";
import { type Mention, mentionsIn, subjectOf, WEIGHTS } from "./mentions.js";
import type { Call, Passage } from "./passages.js";
import { tailsOf } from "./text-index.js";

/** Something that was known before a compaction. */
export interface Fact extends Omit<Mention, "alone" | "subject"> {
  weight: number;
  /** Byte offset, turn, call and message of its latest mention. */
  position: number;
  turn: string | null;
  call: string | null;
  message: string | null;
  /** True when something later in the replaced text took its place. */
  superseded: boolean;
}

export interface Facts {
  facts: Fact[];
  /** Facts left out, because there are more than are judged. */
  left: number;
}

/** More facts than this are not judged; the weightiest stay, of equal ones the latest. */
export const FACT_LIMIT = 1_000;

/**
 * The facts of a text, in the order of their latest mention: structure first (files, commands, results, plans), then
 * names and literals that were used as an argument or mentioned twice, the user's demands, and decisions.
 *
 * Deterministic and linear in the text. A file that was modified is no read file too, and a file is no path.
 */
export function factsOf(passages: Passage[]): Facts {
  const calls = new Map<string, Call>();
  const known = new Map<string, Candidate>();
  const latest = new Map<string, string>();
  const succeeded = new Map<string, number>();
  let plan = -1;
  for (const [at, passage] of passages.entries()) {
    if (passage.kind === "call" && passage.call !== null) calls.set(passage.call, passage);
    const call = passage.kind === "result" && passage.call !== null ? (calls.get(passage.call) ?? null) : null;
    if (passage.kind === "plan") plan = at;
    if (passage.kind === "result" && !passage.isError && call !== null) succeeded.set(subjectOf(call) ?? "", at);
    for (const mention of mentionsIn(passage, call)) {
      const key = keyOf(mention);
      const before = known.get(key);
      const passagesSeen = before === undefined ? 1 : before.passages + (before.at === at ? 0 : 1);
      known.delete(key);
      known.set(key, {
        ...mention,
        alone: mention.alone || before?.alone === true,
        pointer: mention.pointer ?? before?.pointer ?? null,
        at,
        passage,
        passages: passagesSeen,
      });
      if (mention.subject !== null) latest.set(`${mention.kind} ${mention.subject}`, key);
    }
  }
  for (const { kind, value } of [...known.values()]) {
    if (kind === "modified_file") known.delete(`read_file ${value}`);
    if (kind === "modified_file" || kind === "read_file") known.delete(`path ${value}`);
  }
  const facts = [...known.values()]
    .filter(({ alone, passages }) => alone || passages >= 2)
    .filter(({ kind, at }) => kind !== "open_item" || at === plan)
    .map((candidate) => factOf(candidate, latest, succeeded));
  const kept = limited(withoutShortNames(facts));
  fillTails(kept);
  return { facts: kept, left: Math.max(0, facts.length - FACT_LIMIT) };
}

/** What names a fact in a store: the same words are the same fact in every session. */
export function digestOfFact({ kind, value }: Pick<Fact, "kind" | "value">) {
  return digestOf(`${kind}\u0000${value}`);
}

/** Words of the facts that stand in these passages, by the hex digest of the fact. */
export function wordsOfFacts(passages: Passage[]): Map<string, string> {
  const mentions = passages.flatMap((passage) => mentionsIn(passage, null));
  return new Map(mentions.map((mention) => [hexOf(digestOfFact(mention)), mention.words]));
}

interface Candidate extends Mention {
  /** Number of the passage of the latest mention, and how many passages mention it. */
  at: number;
  passage: Passage;
  passages: number;
}

const keyOf = ({ kind, value }: Mention) => `${kind} ${value}`;

function factOf(candidate: Candidate, latest: Map<string, string>, succeeded: Map<string, number>): Fact {
  const { kind, value, words, sought, subject, pointer, passage, at } = candidate;
  const replaced = subject !== null && latest.get(`${kind} ${subject}`) !== keyOf(candidate);
  const mended = kind === "error" && subject !== null && (succeeded.get(subject) ?? -1) > at;
  return {
    kind,
    value,
    words,
    sought,
    pointer,
    weight: WEIGHTS[kind],
    position: passage.position,
    turn: passage.turn,
    call: passage.kind === "call" || passage.kind === "result" ? passage.call : null,
    message: passage.message,
    superseded: replaced || mended,
  };
}

function limited(facts: Fact[]): Fact[] {
  if (facts.length <= FACT_LIMIT) return facts;
  const ranked = facts.map((fact, at) => ({ fact, at })).sort((a, b) => b.fact.weight - a.fact.weight || b.at - a.at);
  return ranked
    .slice(0, FACT_LIMIT)
    .sort((a, b) => a.at - b.at)
    .map(({ fact }) => fact);
}

/** A file that is called by the ending of its path is the same file. */
function withoutShortNames(facts: Fact[]): Fact[] {
  const tails = new Set(facts.flatMap(({ sought }) => (sought.form === "path" ? tailsOf(sought.path).slice(1) : [])));
  return facts.filter(({ kind, sought }) => kind !== "path" || sought.form !== "path" || !tails.has(sought.path));
}

/** A path may be called by an ending that no other path shares; a bare name only when it looks like a file's. */
function fillTails(facts: Fact[]): void {
  const owners = new Map<string, number>();
  const paths = new Set(facts.flatMap(({ sought }) => (sought.form === "path" ? [sought.path] : [])));
  for (const path of paths) for (const tail of tailsOf(path).slice(1)) owners.set(tail, (owners.get(tail) ?? 0) + 1);
  for (const fact of facts) {
    if (fact.sought.form !== "path") continue;
    const { path } = fact.sought;
    const tails = tailsOf(path)
      .slice(1)
      .filter((tail) => owners.get(tail) === 1 && /[./]/.test(tail));
    fact.sought = { form: "path", path, tails };
  }
}
