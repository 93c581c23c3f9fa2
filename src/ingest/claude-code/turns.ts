import type { TurnFact } from "../../events/event.js";
import { digestOf, eventIdOf, hexOf } from "../../events/identity.js";
import { AGENT, headerOf, identityOf, type Place } from "./place.js";
import type { AssistantRecord, SignalRecord, UserRecord } from "./records.js";
import type { OpenTurn } from "./state.js";

/**
 * A turn begins with a prompt: a text that is neither the client's own, nor a checkpoint, nor the result of a tool.
 * Its key is the uuid of the prompt, which copies keep (or name, when they got a new one).
 */
export function isPrompt(record: UserRecord): boolean {
  return (
    record.text !== null &&
    !record.meta &&
    !record.checkpoint &&
    record.results.length === 0 &&
    !WRAPPERS.some((wrapper) => record.text!.trimStart().startsWith(wrapper))
  );
}

const INTERRUPTED = "[Request interrupted by user";

/** What the client writes in the user's name. */
const WRAPPERS = [
  "<local-command-stdout",
  "<local-command-caveat>",
  "<bash-stdout",
  "<task-notification>",
  INTERRUPTED,
];

export function sayTurn(place: Place): void {
  const { frame, lane, say } = place;
  sayEnd(place);
  const key = identityOf(place) ?? hexOf(digestOf(place.bytes));
  lane.turn = {
    kind: "turn",
    ...headerOf(place),
    turn: key,
    key,
    endedAtMs: null,
    outcome: null,
    branch: frame.branch,
    project: frame.project,
    clientVersion: frame.version,
  };
  say(turnOf(lane.turn));
}

/** A turn that goes on in another session is a turn of that one too: a copy. */
export function carryTurn({ lane, session, say }: Place): void {
  if (lane.turn === null || lane.turn.session === session.id) return;
  lane.turn.session = session.id;
  say(turnOf(lane.turn));
}

/** An answer, or the client's word that the turn is over: the turn lasts at least until then. */
export function turnGoesOn(place: Place, record: AssistantRecord | SignalRecord): void {
  if (record.kind !== "assistant") extended(place, "answered");
  else if (record.synthetic) extended(place, record.failure === null ? null : "failed");
  else extended(place, ENDINGS.includes(record.stopReason ?? "") ? "answered" : null);
}

const ENDINGS = ["end_turn", "stop_sequence"];

/** The user stopped the agent. */
export function interruption(place: Place, record: UserRecord): void {
  if (record.text?.trimStart().startsWith(INTERRUPTED)) extended(place, "interrupted");
}

/** The first outcome that was told stays. */
function extended({ frame, lane, session }: Place, outcome: OpenTurn["outcome"]): void {
  if (lane.turn === null) return;
  lane.turn.endedAtMs = latest(lane.turn.endedAtMs, frame.atMs ?? session.atMs);
  lane.turn.outcome ??= outcome;
}

export function turnOf({ key, ...turn }: OpenTurn): TurnFact {
  return { eventId: eventIdOf("turn", AGENT, key), ...turn };
}

/** The turn of a lane, when another prompt begins the next one. */
function sayEnd({ lane, say }: Place): void {
  if (lane.turn === null || lane.turn.endedAtMs === null) return;
  say(turnOf({ ...lane.turn, outcome: lane.turn.outcome ?? "answered" }));
}

function latest(a: number | null, b: number | null): number | null {
  return a === null || b === null ? (a ?? b) : Math.max(a, b);
}
