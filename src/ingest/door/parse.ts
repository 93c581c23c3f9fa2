import * as v from "valibot";
import type { Digest, RequestFact, SessionEvent } from "../../events/event.js";
import { DIGEST_ALGORITHM, digestOf, eventIdOf, hexOf } from "../../events/identity.js";
import { type DoorEvent, doorEvent } from "./schema.js";

export interface DoorOptions {
  /** The agent of an event that names none: that of a session already known, else the fallback. */
  agentOf: (session: string) => string;
  /** Tenant of an event that names none. */
  tenant: string | null;
  /** True when an earlier reading recorded this thing: judgments and waivers must be about something. */
  holds?: (id: Digest) => boolean;
}

export type DoorResult = { event: SessionEvent } | { refused: string };

/**
 * A reader of door events. One reader serves one file or one list: it tells equal events without an `id` apart by
 * their number, so that the same file read twice names the same events.
 */
export function doorReader(
  options: DoorOptions,
): (value: unknown, line: number | null, offset: number | null) => DoorResult {
  const seen = new Map<string, number>();
  const said = new Set<string>();
  const unknown = (about: Digest) => !said.has(hexOf(about)) && !(options.holds?.(about) ?? false);
  return (value, line, offset) => {
    const parsed = v.safeParse(doorEvent, value, { abortEarly: true });
    if (!parsed.success) return { refused: complaint(value, parsed.issues[0]) };
    const given = parsed.output;
    const agent = given.agent ?? options.agentOf(given.session);
    const nth = given.id === undefined && given.eventId === undefined ? next(seen, JSON.stringify(value)) : 0;
    const header = {
      eventId: idOf(given, agent, value, nth),
      agent,
      session: given.session,
      lane: given.lane,
      turn: given.kind === "turn" ? (given.turn ?? given.id ?? null) : given.turn,
      tenant: given.tenant ?? options.tenant,
      atMs: ms(given.at),
      timeQuality: given.at === null ? ("recorded" as const) : ("exact" as const),
      line: given.line ?? line,
      offset,
    };
    if (given.kind === "turn" && header.turn === null) return { refused: `"turn": a turn needs the id of its prompt` };
    const event = { ...header, ...fieldsOf(given, agent) } as SessionEvent;
    if (event.kind === "judgment" && unknown(event.compaction))
      return { refused: `"compaction": nothing recorded has this id in session ${given.session}` };
    if (event.kind === "waiver" && unknown(event.violation))
      return { refused: `"violation": nothing recorded has this id in session ${given.session}` };
    said.add(hexOf(event.eventId));
    return { event };
  };
}

function ms(time: string | number | null): number | null {
  return typeof time === "string" ? Date.parse(time) : time;
}

function idOf(said: DoorEvent, agent: string, value: unknown, nth: number): Digest {
  if (said.eventId !== undefined) return Buffer.from(said.eventId, "hex");
  const named = said.id ?? (said.kind === "turn" ? said.turn : null);
  if (named !== null && named !== undefined) return nativeId(said.kind, agent, said.session, named);
  return eventIdOf("door", JSON.stringify(value), nth);
}

function nativeId(kind: string, agent: string, session: string, id: string): Digest {
  return eventIdOf("door", kind, agent, session, id);
}

/** The part of the inner event that follows its header. */
function fieldsOf(said: DoorEvent, agent: string): object {
  const {
    v: _v,
    id: _id,
    eventId: _e,
    session,
    agent: _a,
    lane: _l,
    turn: _t,
    tenant: _te,
    at: _at,
    line: _li,
    ...rest
  } = said;
  const refer = (kind: string, ref: string) =>
    isHexId(ref) ? Buffer.from(ref, "hex") : nativeId(kind, agent, session, ref);
  switch (rest.kind) {
    case "turn": {
      const { endedAt, ...fields } = rest;
      return { ...fields, endedAtMs: ms(endedAt) };
    }
    case "waiver": {
      const { expiresAt, violation, ...fields } = rest;
      return { ...fields, violation: refer("contract", violation), expiresAtMs: ms(expiresAt) };
    }
    case "request":
      return requestFields(rest);
    case "attempt":
      return { ...rest, request: rest.request === null ? null : refer("request", rest.request) };
    case "cache":
      return {
        ...rest,
        served: rest.served ?? rest.op === "hit",
        keyDigest: digest(rest.keyDigest),
        shellDigest: digest(rest.shellDigest),
        entryShellDigest: digest(rest.entryShellDigest),
      };
    case "tool_call":
      return {
        ...rest,
        argumentsDigest: digest(rest.argumentsDigest),
        resultDigest: digest(rest.resultDigest),
        targetDigest: digest(rest.targetDigest),
      };
    case "compaction":
      return { ...rest, summaryDigest: digest(rest.summaryDigest) };
    case "judgment":
      return {
        ...rest,
        compaction: refer("compaction", rest.compaction),
        supersedes: rest.supersedes === null ? null : refer("judgment", rest.supersedes),
        facts: rest.facts.map((fact) => ({ ...fact, digest: digest(fact.digest) })),
      };
    case "memory":
      return { ...rest, queryDigest: digest(rest.queryDigest) };
    default:
      return rest;
  }
}

type DoorRequest = Extract<DoorEvent, { kind: "request" }>;

/** A request says by its fields whether its cache counters, its output and its usage are known. */
function requestFields(
  said: Omit<DoorRequest, "v" | "id" | "eventId" | "session" | "agent" | "lane" | "turn" | "tenant" | "at" | "line">,
) {
  const known = said.uncachedTokens !== null && said.readTokens !== null;
  const fields: Partial<RequestFact> = {
    cacheReported: said.cacheReported ?? said.readTokens !== null,
    outputQuality: said.outputQuality ?? (said.outputTokens === null ? "missing" : "final"),
    usageState: known && said.outputTokens !== null ? "ok" : "partial",
    rawUsage: null,
    shellDigest: digest(said.shellDigest),
    shellSetDigest: digest(said.shellSetDigest),
    paramsDigest: digest(said.paramsDigest),
    digestAlgorithm: said.digestAlgorithm ?? (said.shellDigest === null ? null : DIGEST_ALGORITHM),
    segments:
      said.segments?.map((segment) => ({
        ...segment,
        contentDigest: digest(segment.contentDigest)!,
        canonicalDigest: digest(segment.canonicalDigest),
      })) ?? null,
    estimatedTokens: null,
    estimateMethod: null,
    copyRank: 0,
  };
  return { ...said, ...fields };
}

function digest(text: string | null): Digest | null {
  if (text === null) return null;
  return isHexId(text) ? Buffer.from(text, "hex") : digestOf(text);
}

function isHexId(text: string): boolean {
  return /^[0-9a-f]{32}$/i.test(text);
}

function next(seen: Map<string, number>, key: string): number {
  const nth = seen.get(key) ?? 0;
  seen.set(key, nth + 1);
  return nth;
}

function complaint(value: unknown, issue: v.BaseIssue<unknown>): string {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return "not an object with a kind";
  const path = v.getDotPath(issue);
  if (issue.type === "variant")
    return `"kind": ${JSON.stringify((value as { kind?: unknown }).kind ?? null)} is not a kind of event`;
  if (issue.type === "strict_object")
    return issue.received === "undefined" ? `"${path}" is missing` : `"${path}": no such field`;
  return `"${path}": ${issue.message}`;
}
