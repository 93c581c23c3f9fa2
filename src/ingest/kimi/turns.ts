import type { TurnFact } from "../../events/event.js";
import { laneFact, turnFact } from "../../events/facts.js";
import { digestOf, hexOf } from "../../events/identity.js";
import { headerOf, type Place } from "./place.js";
import type { PromptRecord } from "./records.js";
import { unanswered } from "./requests.js";
import type { FileState, OpenTurn } from "./state.js";

/** Each prompt begins a turn; one that another agent wrote tells that the file is a subagent's. */
export function sayTurn(place: Place, { text, spawned }: PromptRecord): void {
  const { file, say } = place;
  unanswered(place);
  if (file.turn?.endedAtMs != null) say(turnOf(file, file.turn));
  const header = headerOf(place);
  const turn = [header.atMs ?? place.offset, hexOf(digestOf(text, "latin1"))].join("/");
  if (spawned) say(laneFact(header, { laneKind: "subagent", agentType: file.profile }));
  file.turn = { header: { ...header, turn }, endedAtMs: null, outcome: null };
  say(turnOf(file, file.turn));
}

export function turnGoesOn({ file, atMs }: Place, outcome: TurnFact["outcome"]): void {
  const { turn } = file;
  if (turn === null) return;
  turn.endedAtMs = Math.max(turn.endedAtMs ?? 0, atMs ?? file.atMs ?? 0) || null;
  turn.outcome ??= outcome;
}

/** The turn as far as it was told. */
export function turnOf({ project }: FileState, { header, endedAtMs, outcome }: OpenTurn): TurnFact {
  return turnFact(header, { endedAtMs, outcome, project });
}
