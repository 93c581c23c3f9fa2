import { type Kysely, sql } from "kysely";
import type { Tables } from "../store/schema.js";
import { inScope, type Selection } from "../store/scope.js";

/** Calls of one tool, or of all tools of one MCP server. */
export interface ToolUse {
  /** Null: the record does not name the tool, such as a result without its call. */
  name: string | null;
  /** The MCP server that the tool belongs to; null for a tool of the agent's own. */
  server: string | null;
  calls: number;
  /** Calls whose result says that they failed; of those that say either way. */
  failed: number;
  judged: number;
  /** Bytes of the results that were recorded, and how many were. */
  resultBytes: number;
  results: number;
  durationMs: { p50: number; p95: number; max: number; calls: number } | null;
}

/**
 * Tools: how often each tool was called, how much its results put into the context, and how long it took.
 *
 * - Calls whose result was never seen are calls; they have no bytes, no outcome and no duration.
 * - An MCP tool is one named `mcp__server__tool`; `by: "server"` adds its tools up. Others have no server.
 * - Bytes are of results as recorded, not tokens: a tool's part of the context is not reported by any provider.
 * - Percentiles are nearest rank, over calls with a duration.
 */
export async function tools(db: Kysely<Tables>, selection: Selection, by: "tool" | "server"): Promise<ToolUse[]> {
  const rows = await db
    .selectFrom(
      db
        .selectFrom("tool_calls")
        .select([
          "tool",
          sql<number>`sum(use_seen or result_seen)`.as("calls"),
          sql<number>`sum(ifnull(is_error, 0))`.as("failed"),
          sql<number>`count(is_error)`.as("judged"),
          sql<number>`ifnull(sum(result_bytes), 0)`.as("resultBytes"),
          sql<number>`count(result_bytes)`.as("results"),
        ])
        .where(inScope(selection, "tool_calls"))
        .groupBy("tool")
        .as("used"),
    )
    .leftJoin("words", "words.id", "used.tool")
    .selectAll("used")
    .select("words.text as name")
    .execute();
  const durations = await durationsOf(db, selection);
  const uses = new Map<string | null, { use: Omit<ToolUse, "durationMs">; took: number[] }>();
  for (const { name, tool, ...counts } of rows) {
    const server = serverOf(name);
    const key = by === "tool" ? name : server;
    const { use, took } = uses.get(key) ?? { use: { ...NONE, name: key, server }, took: [] };
    for (const count of COUNTS) use[count] += counts[count];
    uses.set(key, { use, took: took.concat(durations.get(tool) ?? []) });
  }
  return [...uses.values()]
    .map(({ use, took }) => ({ ...use, durationMs: spreadOf(took) }))
    .sort((a, b) => b.resultBytes - a.resultBytes || b.calls - a.calls || String(a.name).localeCompare(String(b.name)));
}

/** `mcp__github__create_issue` belongs to `github`. */
export function serverOf(tool: string | null): string | null {
  return /^mcp__(.+?)__./.exec(tool ?? "")?.[1] ?? null;
}

const COUNTS = ["calls", "failed", "judged", "resultBytes", "results"] as const;
const NONE = { calls: 0, failed: 0, judged: 0, resultBytes: 0, results: 0 };

async function durationsOf(db: Kysely<Tables>, selection: Selection): Promise<Map<number | null, number[]>> {
  const rows = await db
    .selectFrom("tool_calls")
    .select(["tool", "duration_ms"])
    .where(inScope(selection, "tool_calls"))
    .where("duration_ms", "is not", null)
    .execute();
  const durations = new Map<number | null, number[]>();
  for (const { tool, duration_ms } of rows) {
    const took = durations.get(tool);
    if (took === undefined) durations.set(tool, [duration_ms!]);
    else took.push(duration_ms!);
  }
  return durations;
}

function spreadOf(took: number[]): ToolUse["durationMs"] {
  if (took.length === 0) return null;
  const sorted = took.sort((a, b) => a - b);
  const rank = (share: number) => sorted[Math.ceil(share * sorted.length) - 1]!;
  return { p50: rank(0.5), p95: rank(0.95), max: sorted.at(-1)!, calls: sorted.length };
}
