import { CONTROL_TEXTS, FOREIGN_CHECKPOINT } from "./control-texts.js";
import { type Fact, factsOf } from "./facts.js";
import type { Passage } from "./passages.js";
import { commandOf } from "./shell.js";
import { holds, indexOf, type Sought, type TextIndex, tokensOf } from "./text-index.js";

export const JUDGE = "fact";
/** Raised whenever the same texts would be judged otherwise. */
export const JUDGE_VERSION = "2";

export type FactState = "kept" | "restorable" | "superseded" | "ambiguous" | "not_at_risk" | "lost";

export interface JudgedFactState extends Fact {
  state: FactState;
}

export interface Survival {
  /** Σ weight of kept / Σ weight of kept, restorable and lost; null when there is nothing to judge. */
  score: number | null;
  /** The same with restorable among the kept. */
  scoreOrRestorable: number | null;
  /** Facts kept, and facts kept, restorable or lost, without weights. */
  kept: number;
  total: number;
  facts: JudgedFactState[];
  /** Facts beyond the number that is judged. */
  left: number;
  controls: Controls;
}

/** What the same judge says of three replacements whose score is known beforehand. */
export interface Controls {
  /** The text itself: must be 1. */
  identity: number | null;
  /** Nothing: must be 0. */
  empty: number | null;
  /** A checkpoint of something else: at most 0.02. */
  foreign: number | null;
  /** False when one of them is not what it must be: then the judgment says nothing. */
  valid: boolean;
}

/**
 * How much of a replaced text its replacement still says, as far as words can show. One-sided: what is not found is
 * reliably gone, what is found was not necessarily understood.
 *
 * - Looked up only in the replacement, never in the kept tail. A fact of the tail was never at risk.
 * - A fact that more than 2 % of 50 windows of our own control texts hold by chance is ambiguous: counted, not scored.
 * - The same texts give the same answer, whatever else was imported.
 */
export function survival(replaced: Passage[], replacement: string[], tail: Passage[] = []): Survival {
  const { facts, left } = factsOf(replaced);
  const index = indexOf(...replacement.map((text) => text.slice(0, TEXT_LENGTH)));
  const kept = indexOf(...tail.flatMap(textsOf).map((text) => text.slice(0, TEXT_LENGTH)));
  const chance = chanceOf(index.size - replacement.length * PADDING);
  const judged = facts.map((fact) => ({ ...fact, state: stateOf(fact, index, kept, chance) }));
  const counted = judged.filter(({ state }) => SCORED.includes(state));
  const controls = {
    identity: scoreOf(counted, (fact) => holds(indexOf(fact.words), fact.sought)),
    empty: scoreOf(counted, (fact) => holds(indexOf(), fact.sought)),
    foreign: scoreOf(counted, (fact) => holds(foreign(), fact.sought)),
  };
  return {
    score: scoreOf(counted, ({ state }) => state === "kept"),
    scoreOrRestorable: scoreOf(counted, ({ state }) => state !== "lost"),
    kept: counted.filter(({ state }) => state === "kept").length,
    total: counted.length,
    facts: judged,
    left,
    controls: { ...controls, valid: isValid(controls) },
  };
}

/** So much of one text is looked at. */
const TEXT_LENGTH = 1_000_000;
const PADDING = 60;
const SCORED: FactState[] = ["kept", "restorable", "lost"];
const FOREIGN_LIMIT = 0.02;

function stateOf(fact: Fact, replacement: TextIndex, tail: TextIndex, chance: (sought: Sought) => number): FactState {
  if (tail.size > 0 && holds(tail, fact.sought)) return "not_at_risk";
  if (fact.superseded) return "superseded";
  if (chance(fact.sought) > CHANCE_LIMIT) return "ambiguous";
  if (holds(replacement, fact.sought)) return "kept";
  const pointer = fact.pointer === null ? undefined : tokensOf(fact.pointer)[0];
  if (pointer !== undefined && holds(replacement, { form: "path", path: pointer, tails: [] })) return "restorable";
  return "lost";
}

function scoreOf<F extends Fact>(facts: F[], passes: (fact: F) => boolean): number | null {
  const total = facts.reduce((sum, { weight }) => sum + weight, 0);
  if (total === 0) return null;
  return facts.reduce((sum, fact) => sum + (passes(fact) ? fact.weight : 0), 0) / total;
}

function isValid({ identity, empty, foreign }: Omit<Controls, "valid">): boolean {
  return (identity ?? 1) === 1 && (empty ?? 0) === 0 && (foreign ?? 0) <= FOREIGN_LIMIT;
}

const WINDOWS = 50;
const CHANCE_LIMIT = 0.02;
/** Windows are multiples of so many tokens: even a checkpoint of a few words is compared with one of them. */
const LEAST_WINDOW = 200;

/** Answers in which share of the windows of about this length a fact is found by chance. */
function chanceOf(tokens: number): (sought: Sought) => number {
  const length = Math.ceil(Math.max(tokens, 1) / LEAST_WINDOW) * LEAST_WINDOW;
  return (sought) => {
    if (!holds(control(), sought)) return 0;
    const windows = windowsOf(length);
    return windows.filter((window) => holds(window, sought)).length / windows.length;
  };
}

/** Lengths are rounded up, so there are few; as long as all control texts together, there is one window. */
const windowsByLength = new Map<number, TextIndex[]>();

function windowsOf(length: number): TextIndex[] {
  const ring = controlTokens();
  if (length >= ring.length) return [control()];
  const known = windowsByLength.get(length);
  if (known !== undefined) return known;
  const windows = Array.from({ length: WINDOWS }, (_, i) =>
    windowAt(ring, Math.floor((i * ring.length) / WINDOWS), length),
  );
  windowsByLength.set(length, windows);
  return windows;
}

function windowAt(ring: string[], from: number, length: number): TextIndex {
  const end = from + length;
  const tokens =
    end <= ring.length ? ring.slice(from, end) : [...ring.slice(from), ...ring.slice(0, end - ring.length)];
  return indexOf(tokens.join(" "));
}

const once = <T>(make: () => T) => {
  let made: T | null = null;
  return () => {
    made ??= make();
    return made;
  };
};
const controlTokens = once(() => CONTROL_TEXTS.flatMap(tokensOf));
/** The ring once more around, so that no window holds what this does not. */
const control = once(() => indexOf([...controlTokens(), ...controlTokens().slice(0, PADDING)].join(" ")));
const foreign = once(() => indexOf(FOREIGN_CHECKPOINT));

/** All words of a passage that stays in the context. */
function textsOf(passage: Passage): string[] {
  switch (passage.kind) {
    case "call":
      return [
        passage.target,
        passage.command,
        passage.command && commandOf(passage.command),
        ...passage.arguments,
      ].filter((text) => text !== null);
    case "plan":
      return passage.items.map(({ text }) => text);
    default:
      return [passage.text];
  }
}
