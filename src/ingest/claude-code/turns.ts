import type { SessionEvent, TurnFact } from "../../events/event.js";
import { digestOf, eventIdOf, hexOf } from "../../events/identity.js";
import { AGENT, headerOf, identityOf, type Place } from "./place.js";
import type { AssistantRecord, Frame, SignalRecord, UserRecord } from "./records.js";
import type { LaneState, OpenTurn } from "./state.js";

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

export function promptEvents(place: Place, record: UserRecord): SessionEvent[] {
  const events = closedTurn(place.lane);
  const key = identityOf(record) ?? hexOf(digestOf(place.bytes));
  place.lane.turn = {
    kind: "turn",
    ...headerOf(place, record),
    turn: key,
    key,
    endedAtMs: null,
    outcome: null,
    branch: record.branch,
    project: record.project,
    clientVersion: record.version,
  };
  return [...events, turnOf(place.lane.turn)];
}

/** A turn that goes on in another session is a turn of that one too: a copy. */
export function carriedTurn({ lane, session }: Place): SessionEvent[] {
  if (lane.turn === null || lane.turn.session === session.id) return [];
  lane.turn.session = session.id;
  return [turnOf(lane.turn)];
}

/** An answer, or the client's word that the turn is over: the turn lasts at least until then. */
export function turnGoesOn(place: Place, record: AssistantRecord | SignalRecord): void {
  if (record.kind !== "assistant") extended(place, record, "answered");
  else if (record.synthetic) extended(place, record, record.failure === null ? null : "failed");
  else extended(place, record, ENDINGS.includes(record.stopReason ?? "") ? "answered" : null);
}

const ENDINGS = ["end_turn", "stop_sequence"];

/** The user stopped the agent. */
export function interruption(place: Place, record: UserRecord): void {
  if (record.text?.trimStart().startsWith(INTERRUPTED)) extended(place, record, "interrupted");
}

/** The first outcome that was told stays. */
function extended({ lane, session }: Place, record: Frame, outcome: OpenTurn["outcome"]): void {
  if (lane.turn === null) return;
  lane.turn.endedAtMs = latest(lane.turn.endedAtMs, record.atMs ?? session.atMs);
  lane.turn.outcome ??= outcome;
}

export function turnOf({ key, ...turn }: OpenTurn): TurnFact {
  return { eventId: eventIdOf("turn", AGENT, key), ...turn };
}

/** The turn of a lane, when another prompt begins the next one. */
function closedTurn(lane: LaneState): SessionEvent[] {
  if (lane.turn === null || lane.turn.endedAtMs === null) return [];
  return [turnOf({ ...lane.turn, outcome: lane.turn.outcome ?? "answered" })];
}

function latest(a: number | null, b: number | null): number | null {
  return a === null || b === null ? (a ?? b) : Math.max(a, b);
}
