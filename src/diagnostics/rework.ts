import { type Kysely, sql } from "kysely";
import type { Tables } from "../store/schema.js";
import type { Selection } from "../store/scope.js";
import { type LaneCompaction, laneCompactions, requestsAfter } from "./compacted-lanes.js";
import { measured, type Value } from "./value.js";

/** What was done again after one compaction. Counts are of distinct calls: one tool with the same arguments. */
export interface CompactionRework {
  compaction: LaneCompaction;
  /** Calls whose results went with the compacted context. */
  removed: number;
  /** Of these, done again: with the same result, and nothing of the agent's own written to the target between. */
  verbatim: number;
  /** Done again for a reason: after an own edit of the target; with another result; by another lane. */
  afterOwnEdit: number;
  changedResult: number;
  otherLane: number;
  /** The same target with other arguments, such as other lines of a file. Not done again. */
  otherRange: number;
  /** Estimated tokens that came into the context again by verbatim repeats (bytes / 4). */
  tokensAgain: number;
  /** The same share where nothing was compacted: within the context before, over as many later calls. */
  baseline: { repeated: number; of: number };
  /** Until the context was as large as before the compaction; null when it never was again. */
  reboundRequests: number | null;
  reboundMs: number | null;
  /** False when no request followed. */
  followed: boolean;
}

export interface Rework extends Value {
  afterOwnEdit: number;
  changedResult: number;
  otherLane: number;
  otherRange: number;
  tokensAgain: number;
  /** What agents repeat anyway: see `CompactionRework.baseline`. Null without calls to compare. */
  baseline: { value: number | null; count: number; of: number };
}

/**
 * Rework after compaction: tool calls that had to be done again because their results were gone.
 *
 *     rework = calls repeated verbatim after the compaction / distinct calls before it     (lower is better)
 *
 * - A call is its tool and its arguments, ranges included: another part of a file is another call. Verbatim: the same
 *   result again, and no own write to the target in between.
 * - From the lane's compaction before to its next one. Calls whose arguments or result are unknown are left out.
 * - Agents repeat themselves without compactions too: compare with `baseline`, the share in the second part of the same
 *   context, over at most as many calls as followed the compaction.
 * - Writes by shell commands are not seen as writes. Nothing removed, or no later request: no value.
 */
export async function rework(db: Kysely<Tables>, selection: Selection): Promise<CompactionRework[]> {
  const found: CompactionRework[] = [];
  for (const compaction of await laneCompactions(db, selection)) found.push(await reworkOf(db, compaction));
  return found;
}

/** The figure over some compactions. */
export function reworkFigure(compactions: CompactionRework[]): Rework {
  const measurable = compactions.filter(({ removed, followed }) => removed > 0 && followed);
  const sum = (
    name: "removed" | "verbatim" | "afterOwnEdit" | "changedResult" | "otherLane" | "otherRange" | "tokensAgain",
  ) => measurable.reduce((total, row) => total + row[name], 0);
  const repeated = measurable.reduce((total, { baseline }) => total + baseline.repeated, 0);
  const of = measurable.reduce((total, { baseline }) => total + baseline.of, 0);
  return {
    ...measured({
      method: "compaction.rework/1",
      evidence: "tool calls",
      count: sum("verbatim"),
      of: sum("removed"),
      nUnit: "calls",
      coverage: { observed: measurable.length, expected: compactions.length },
      unseen: "compactions without calls before them or requests after them",
      nothing: "no compaction",
    }),
    afterOwnEdit: sum("afterOwnEdit"),
    changedResult: sum("changedResult"),
    otherLane: sum("otherLane"),
    otherRange: sum("otherRange"),
    tokensAgain: sum("tokensAgain"),
    baseline: { value: of === 0 ? null : repeated / of, count: repeated, of },
  };
}

interface ToolCall {
  own: boolean;
  atMs: number;
  key: string;
  tool: string;
  target: string | null;
  result: string;
  bytes: number;
  writes: boolean;
}

async function reworkOf(db: Kysely<Tables>, compaction: LaneCompaction): Promise<CompactionRework> {
  const { atMs, previousMs, nextMs, tokensBefore } = compaction;
  const calls = atMs === null ? [] : await callsOf(db, compaction);
  const before = calls.filter((call) => call.own && call.atMs > previousMs && call.atMs <= atMs!);
  const after = calls.filter((call) => call.atMs > atMs! && call.atMs <= nextMs);
  const requests = await requestsAfter(db, compaction);
  const back = tokensBefore === null ? -1 : requests.findIndex(({ promptTokens }) => promptTokens >= tokensBefore);
  const compared = repeats(before, after);
  const own = after.filter(({ own }) => own).length;
  const cut = Math.max(Math.ceil(before.length / 2), before.length - own);
  const anyway = own === 0 ? { removed: 0, verbatim: 0 } : repeats(before.slice(0, cut), before.slice(cut));
  return {
    compaction,
    ...compared,
    baseline: before.length - cut === 0 ? { repeated: 0, of: 0 } : { repeated: anyway.verbatim, of: anyway.removed },
    reboundRequests: back < 0 ? null : back + 1,
    reboundMs: back < 0 ? null : requests[back]!.atMs - atMs!,
    followed: requests.length > 0,
  };
}

/** Compares the calls of two stretches; each distinct call of the first one counts once, by its first repeat. */
function repeats(before: ToolCall[], after: ToolCall[]) {
  const last = new Map(before.map((call) => [call.key, call]));
  const targets = new Set(before.flatMap(({ tool, target }) => (target === null ? [] : [`${tool} ${target}`])));
  const counts = { verbatim: 0, afterOwnEdit: 0, changedResult: 0, otherLane: 0, otherRange: 0, tokensAgain: 0 };
  const written = new Map<string, number>();
  for (const { target, writes, atMs } of before) if (writes && target !== null) written.set(target, atMs);
  const seen = new Set<string>();
  for (const call of after) {
    const earlier = last.get(call.key);
    if (earlier === undefined) {
      if (call.own && !call.writes && call.target !== null && targets.has(`${call.tool} ${call.target}`))
        counts.otherRange += 1;
    } else if (!seen.has(call.key)) {
      seen.add(call.key);
      const edited = call.target !== null && (written.get(call.target) ?? Number.NEGATIVE_INFINITY) > earlier.atMs;
      if (!call.own) counts.otherLane += 1;
      else if (edited) counts.afterOwnEdit += 1;
      else if (call.result !== earlier.result) counts.changedResult += 1;
      else {
        counts.verbatim += 1;
        counts.tokensAgain += Math.ceil(call.bytes / BYTES_PER_TOKEN);
      }
    }
    if (call.own && call.writes && call.target !== null) written.set(call.target, call.atMs);
  }
  return { removed: last.size, ...counts };
}

const BYTES_PER_TOKEN = 4;

/** Tools that write to their target, under the names that agents give them. */
const WRITING =
  /^(?:multi_?|notebook_?|str_replace_|apply_)?(?:edit|write|patch|replace|create|insert)(?:_?(?:file|text_editor|to_file|based_edit_tool))?s?$/i;

async function callsOf(db: Kysely<Tables>, { session, lane, previousMs, nextMs }: LaneCompaction): Promise<ToolCall[]> {
  const rows = await db
    .selectFrom("tool_calls")
    .innerJoin("words as tool", "tool.id", "tool_calls.tool")
    .select([
      sql<number>`tool_calls.lane is ${lane}`.as("own"),
      sql<number>`tool_calls.at_ms`.as("atMs"),
      "tool.text as tool",
      sql<string>`hex(tool_calls.arguments_digest)`.as("given"),
      sql<string | null>`hex(tool_calls.target_digest)`.as("target"),
      sql<string>`hex(tool_calls.result_digest)`.as("result"),
      "tool_calls.result_bytes as bytes",
      "tool_calls.is_error as failed",
    ])
    .where("tool_calls.session", "=", session)
    .where("tool_calls.arguments_digest", "is not", null)
    .where("tool_calls.result_digest", "is not", null)
    .where("tool_calls.at_ms", ">=", Number.isFinite(previousMs) ? previousMs : 0)
    .where("tool_calls.at_ms", "<=", Number.isFinite(nextMs) ? nextMs : Number.MAX_SAFE_INTEGER)
    // A session that was read from several files has a row of each.
    .groupBy("tool_calls.event_id")
    .orderBy("tool_calls.at_ms")
    .orderBy("tool_calls.source_line")
    .orderBy("tool_calls.event_id")
    .execute();
  return rows.map(({ own, atMs, tool, given, target, result, bytes, failed }) => ({
    own: own === 1,
    atMs,
    key: `${tool} ${given}`,
    tool,
    target: target === "" ? null : target,
    result,
    bytes: bytes ?? 0,
    writes: WRITING.test(tool) && failed !== 1,
  }));
}
