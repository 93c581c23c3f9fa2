import type { TurnFact } from "../../events/event.js";
import { turnFact } from "../../events/facts.js";
import { digestOf, hexOf } from "../../events/identity.js";
import { headerOf, keyOf, type Place } from "./place.js";
import type { AnswerRecord, PromptRecord } from "./records.js";
import type { FileState, OpenTurn } from "./state.js";

/** Each message of the user's begins a turn. */
export function sayTurn(place: Place, { text, madeMs }: PromptRecord): void {
  const { file, say } = place;
  if (file.turn?.endedAtMs != null) say(turnOf(file, file.turn));
  const turn = keyOf(place, madeMs, [hexOf(digestOf(text, "latin1"))]);
  file.turn = { header: { ...headerOf(place), turn }, endedAtMs: null, outcome: null };
  say(turnOf(file, file.turn));
}

/** The turn lasts at least until this answer; a failure may be tried again, so an answer goes before it. */
export function turnGoesOn({ file, frame }: Place, { stopReason }: AnswerRecord): void {
  const { turn } = file;
  if (turn === null) return;
  turn.endedAtMs = Math.max(turn.endedAtMs ?? 0, frame.atMs ?? file.atMs ?? 0) || null;
  const outcome = OUTCOMES.get(stopReason) ?? null;
  if (RANKS.indexOf(outcome) < RANKS.indexOf(turn.outcome)) turn.outcome = outcome;
}

const OUTCOMES = new Map<string | null, TurnFact["outcome"]>([
  ["stop", "answered"],
  ["length", "answered"],
  ["aborted", "interrupted"],
  ["error", "failed"],
]);
const RANKS: TurnFact["outcome"][] = ["answered", "failed", "interrupted", null];

/** The turn as far as it was told. */
export function turnOf({ project }: FileState, { header, endedAtMs, outcome }: OpenTurn): TurnFact {
  return turnFact(header, { endedAtMs, outcome, project });
}
