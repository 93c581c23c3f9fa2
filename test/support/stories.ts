/** Made-up histories whose figures are known by hand. */
import type { SessionEvent } from "../../src/events/event.js";
import {
  cache,
  compaction,
  contract,
  coverage,
  DAY,
  digest,
  divergence,
  judgment,
  MINUTE,
  NOON,
  request,
  session,
  toolCall,
  turn,
} from "./events.js";

/** Six requests of one lane: a cold start, an idle gap, reordered tools. Reads 69,000 of 148,012 prompt tokens. */
export function sixRequests(): SessionEvent[] {
  const rows: [gapSeconds: number, read: number, write: number, shell: string][] = [
    [0, 0, 20_000, "tools a b"],
    [60, 20_000, 2_000, "tools a b"],
    [60, 22_000, 3_000, "tools a b"],
    [700, 0, 26_000, "tools a b"],
    [40, 0, 27_000, "tools b a"],
    [40, 27_000, 1_000, "tools b a"],
  ];
  let atMs = NOON;
  return rows.map(([gapSeconds, readTokens, write5mTokens, shell], at) => {
    atMs += gapSeconds * 1000;
    return request({
      id: `r${at + 1}`,
      atMs,
      uncachedTokens: 2,
      readTokens,
      write5mTokens,
      shellDigest: digest(shell),
      shellSetDigest: digest("a and b"),
    });
  });
}

/** A shell per request in two lanes that alternate; the last request's shell is not known. */
export function alternatingLanes(): SessionEvent[] {
  const rows: [lane: string, shell: string | null][] = [
    ["main", "X"],
    ["sub", "Z"],
    ["main", "X"],
    ["sub", "Z"],
    ["main", "Y"],
    ["main", null],
  ];
  return rows.map(([lane, shell], at) =>
    request({ lane, atMs: NOON + at * MINUTE, shellDigest: shell === null ? null : digest(shell) }),
  );
}

/** Five turns: one long ago, two that were served from a local cache, of which one sent no request. */
export function servedTurns(): SessionEvent[] {
  const at = (minutes: number) => NOON + minutes * MINUTE;
  const asked = (id: string, atMs: number) => [turn({ turn: id, atMs }), request({ turn: id, atMs: atMs + 1000 })];
  return [
    ...asked("old", NOON - 10 * DAY),
    ...asked("t1", at(0)),
    cache({ turn: "t1", atMs: at(1) }),
    ...asked("t2", at(10)),
    ...asked("t3", at(20)),
    turn({ turn: "t4", atMs: at(30) }),
    cache({ turn: "t4", atMs: at(30), layer: "tool" }),
  ];
}

/** Two recipes: mean kept 0.25 and weighted 0.175 over two compactions; 0.75 over one that nobody judged. */
export function compactedThrice(): SessionEvent[] {
  const at = (hours: number) => NOON + hours * 60 * MINUTE;
  return [
    compaction({ id: "c1", atMs: at(1), tokensBefore: 1000, tokensAfter: 400 }),
    compaction({ id: "c2", atMs: at(2), tokensBefore: 3000, tokensAfter: 300 }),
    compaction({ id: "c3", atMs: at(3), recipe: "window", tokensBefore: 1000, tokensAfter: 750 }),
    judgment("c1", { score: 0.69999 }),
    judgment("c2", { score: 0.90001 }),
  ];
}

/** Every kind of fact in one session, with all the names a scope can ask for. */
export function richSession(
  name: string,
  given: { agent: string; tenant: string | null; lane: string; model: string; atMs: number },
): SessionEvent[] {
  const { agent, tenant, lane: inLane, model, atMs } = given;
  const where = { session: name, agent, tenant, lane: inLane, turn: `${name}-${atMs}` };
  const id = `${name}-${inLane}-${model}-${tenant}-${atMs}`;
  const at = (seconds: number) => ({ ...where, atMs: atMs + seconds * 1000 });
  return [
    turn(at(0)),
    request({
      ...at(1),
      model,
      shellDigest: digest(`${id} a`),
      readTokens: 100,
      uncachedTokens: 60,
      write5mTokens: 40,
    }),
    request({
      ...at(2),
      model,
      shellDigest: digest(`${id} b`),
      readTokens: 100,
      uncachedTokens: 60,
      write5mTokens: 40,
    }),
    toolCall(at(3)),
    cache({ ...at(4), layer: "semantic", entryTenant: "stranger" }),
    ...Array.from({ length: 10 }, (_, n) =>
      divergence({ ...at(5), divergenceClass: n === 0 ? "substantive" : "trivial" }),
    ),
    compaction({ ...at(6), id }),
    compaction({ ...at(6), form: "micro" }),
    judgment(id, at(7)),
    contract({ ...at(8), outcome: "violation" }),
  ];
}

/** What a transcript of another agent says of itself. */
export function transcriptCoverage(name: string, level: "full" | "absent" = "absent"): SessionEvent[] {
  return [
    session({ session: name }),
    coverage({ session: name, fact: "local_cache", level, why: "transcripts hold no local cache" }),
    coverage({ session: name, fact: "divergences", level, why: "transcripts hold no local cache" }),
    coverage({ session: name, fact: "shell_digests", level, why: "transcripts hold no shell" }),
  ];
}
