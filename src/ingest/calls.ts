import type { Digest, ToolCallFact } from "../events/event.js";
import { type Header, toolCallFact, violation } from "../events/facts.js";
import { digestOf, eventIdOf } from "../events/identity.js";
import type { Say } from "./importer.js";
import type { Utf8 } from "./json.js";
import { bounded } from "./remember.js";

/** Calls that wait for their results, by the id under which the result will name them. */
export type Calls = Map<string, OpenCall>;

export interface OpenCall {
  /** Names the call everywhere. */
  key: string;
  fact: ToolCallFact;
}

export interface Made {
  /** What the result will name; null for calls that name nothing. */
  id: string | null;
  tool: string | null;
  argumentsDigest: Digest | null;
  targetDigest: Digest | null;
}

/** A result, or as much of it as was told before. */
export interface Answer {
  text: Utf8;
  isError: boolean | null;
  durationMs: number | null;
}

/** More calls than this are not waited for. */
const OPEN_CALLS = 500;

/**
 * A call waits for its result. An id that is not unique everywhere names it within `scope`, which copies of the session
 * share; `unnamed` stands for an id that is missing.
 */
export function callMade(calls: Calls, scope: string, header: Header, made: Made, unnamed: string, say: Say): OpenCall {
  const id = made.id ?? unnamed;
  const key = keyOf(scope, id);
  const { tool, argumentsDigest, targetDigest } = made;
  const told = { callId: made.id, tool, useSeen: true, argumentsDigest, targetDigest };
  const call = { key, fact: toolCallFact(eventIdOf("tool_call", header.agent, key), header, told) };
  const before = calls.get(id);
  if (before !== undefined) say(before.fact);
  calls.delete(id);
  calls.set(id, call);
  for (const { fact } of bounded(calls, OPEN_CALLS)) say(fact);
  return call;
}

/** The result of a call; of one that was never seen, when no call waits for it. Returns the call's key and fact. */
export function callAnswered(
  calls: Calls,
  scope: string,
  header: Header,
  id: string,
  answer: Answer,
  say: Say,
): OpenCall {
  const open = calls.get(id);
  calls.delete(id);
  const key = open?.key ?? keyOf(scope, id);
  const fact = open?.fact ?? toolCallFact(eventIdOf("tool_call", header.agent, key), header, { callId: id });
  const waited = open === undefined || fact.atMs === null || header.atMs === null ? -1 : header.atMs - fact.atMs;
  fact.resultSeen = true;
  fact.resultDigest = digestOf(answer.text, "latin1");
  fact.resultBytes = answer.text.length;
  fact.isError ??= answer.isError;
  fact.durationMs ??= answer.durationMs ?? (waited >= 0 ? waited : null);
  say(fact);
  return { key, fact };
}

/** Says that a call broke what was agreed: where it was answered, or made. */
export function sayViolation(header: Header, { key, fact }: OpenCall, code: string, say: Say): void {
  say(violation(header, fact, key, code));
}

/** Long ids of providers are unique everywhere. */
function keyOf(scope: string, id: string): string {
  return /^[\w|-]{16,}$/.test(id) ? id : `${scope}/${id}`;
}
