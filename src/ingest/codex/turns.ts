import type { TurnFact } from "../../events/event.js";
import { turnFact } from "../../events/facts.js";
import { digestOf, hexOf } from "../../events/identity.js";
import { headerOf, type Place } from "./place.js";
import type { PromptRecord, TurnRecord } from "./records.js";
import type { FileState, OpenTurn } from "./state.js";

/**
 * Turns begin where the client says so; text that the user adds meanwhile belongs to them. Old versions do not say it:
 * there each prompt begins a turn.
 */
export function turnSaid(place: Place, { kind, turnId }: TurnRecord): void {
  const { file } = place;
  if (kind === "turn_started") {
    file.saysTurns = true;
    file.prompt = null;
    const unique = turnId !== null && isUnique(turnId) ? turnId : null;
    file.prompts += 1;
    const key = unique ?? `${file.root}/${turnId ?? file.prompts}`;
    // A turn that is said to begin again goes on.
    if (file.turn?.header.turn !== key) begin(place, { ...headerOf(place), turn: key }, unique);
    return;
  }
  if (file.turn === null || file.turn.outcome !== null) return;
  file.turn.endedAtMs = latest(file.turn.endedAtMs, place.atMs ?? file.atMs);
  file.turn.outcome = OUTCOMES[kind];
  file.turn.project ??= file.project;
  place.say(turnOf(file, file.turn));
}

const OUTCOMES = { turn_answered: "answered", turn_interrupted: "interrupted", turn_failed: "failed" } as const;

/** Client ids of turns were once small numbers. */
export const isUnique = (id: string) => /^[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}$/.test(id);

/** A prompt waits for the next record: the client may say itself that a turn begins. */
export function prompted(place: Place, { text }: PromptRecord): void {
  const { file } = place;
  if (file.saysTurns) return;
  file.prompts += 1;
  file.prompt = {
    header: headerOf(place),
    key: `${file.root}/${file.prompts}/${hexOf(digestOf(text, "latin1"))}`,
  };
}

/** The client did not say it: the prompt that waited begins a turn. */
export function turnByPrompt(place: Place): void {
  const { prompt } = place.file;
  if (prompt === null) return;
  place.file.prompt = null;
  begin(place, { ...prompt.header, turn: prompt.key }, null);
}

/** The turn lasts at least until this record. */
export function turnGoesOn({ file, atMs }: Place): void {
  if (file.turn !== null && file.turn.outcome === null) {
    file.turn.endedAtMs = latest(file.turn.endedAtMs, atMs ?? file.atMs);
  }
}

/** The turn as far as it was told. */
export function turnOf({ branch, version }: FileState, { header, endedAtMs, outcome, project }: OpenTurn): TurnFact {
  return turnFact(header, { endedAtMs, outcome, branch, project, clientVersion: version });
}

function begin(place: Place, header: OpenTurn["header"], unique: string | null): void {
  const { file, say } = place;
  if (file.turn !== null && file.turn.outcome === null)
    say(turnOf(file, { ...file.turn, project: file.turn.project ?? file.project }));
  file.turn = { header, unique, endedAtMs: null, outcome: null, project: null };
  file.resets = 0;
  say(turnOf(file, file.turn));
}

function latest(a: number | null, b: number | null): number | null {
  return a === null || b === null ? (a ?? b) : Math.max(a, b);
}
