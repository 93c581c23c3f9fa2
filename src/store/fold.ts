import type { FactKind, Value } from "./facts.js";

export type Row = Record<string, Value>;

/** A row with the names behind its keys, so that comparing never depends on which key was given out first. */
export interface Placed {
  row: Row;
  session: string;
  lane: string;
  turn: string;
}

/**
 * What one source's row of a thing becomes when the source says it again; null when nothing changes.
 *
 * The result does not depend on the order in which the two were said: a request keeps its fullest report, use and
 * result of a tool call are joined, a compaction collects what is known, and of anything else the first mention in the
 * source stays. Tenants are not folded here.
 */
export function folded(kind: FactKind, stored: Placed, said: Placed, textOf: (word: number) => string): Row | null {
  const ahead = isBefore(rank(kind, said), rank(kind, stored));
  const [first, other] = ahead ? [said.row, stored.row] : [stored.row, said.row];
  if (kind === "tool_call") return changed(stored.row, joinedToolCall(first, other));
  if (kind === "compaction") return changed(stored.row, joinedCompaction(first, other, textOf));
  return ahead ? changed(stored.row, first) : null;
}

const QUALITIES: Value[] = ["final", "provisional", "missing"];

const fullness: Partial<Record<FactKind, (row: Row) => number[]>> = {
  request: (row) => [QUALITIES.indexOf(row.output_quality!), -(row.output_tokens ?? -1), Number(row.copy_rank)],
  tool_call: (row) => [-Number(row.use_seen)],
};

function rank(kind: FactKind, { row, session, lane, turn }: Placed): (number | string)[] {
  const last = Number.POSITIVE_INFINITY;
  const place = [row.source_offset ?? last, row.source_line ?? last, row.at_ms ?? last] as number[];
  return [...(fullness[kind]?.(row) ?? []), ...place, session, lane, turn];
}

/** `first` has seen the call, if anybody has; the result is taken from whoever saw more of it. */
function joinedToolCall(first: Row, other: Row): Row {
  const result = isBefore(resultRank(other), resultRank(first)) ? other : first;
  const rest = result === first ? other : first;
  return {
    ...first,
    tool: first.tool ?? other.tool ?? null,
    call_id: first.call_id ?? other.call_id ?? null,
    determinism: first.determinism ?? other.determinism ?? null,
    result_seen: result.result_seen!,
    result_digest: result.result_digest ?? rest.result_digest ?? null,
    result_bytes: result.result_bytes ?? rest.result_bytes ?? null,
    is_error: result.is_error ?? rest.is_error ?? null,
    duration_ms: result.duration_ms ?? rest.duration_ms ?? null,
  };
}

function resultRank(row: Row): (number | string)[] {
  const digest = row.result_digest as Buffer | null;
  return [
    -Number(row.result_seen),
    -Number(row.result_bytes ?? -1),
    digest?.toString("hex") ?? "~",
    -Number(row.is_error ?? -1),
    -Number(row.duration_ms ?? -1),
  ];
}

const COMPACTION_WORDS = ["recipe", "recipe_version", "count_method", "checkpoint_fault"];
const COMPACTION_FACTS = [
  "form",
  "trigger",
  "outcome",
  "persisted",
  "tokens_before",
  "tokens_after",
  "messages_before",
  "messages_after",
  "summary_digest",
  "summary_tokens",
  "summary_bytes",
  "duration_ms",
];
/** Values that say less than any other. */
const VAGUE: Value[] = ["unknown", "indeterminate"];

function joinedCompaction(first: Row, other: Row, textOf: (word: number) => string): Row {
  const joined = { ...first };
  for (const column of COMPACTION_FACTS) joined[column] = fuller(first[column]!, other[column]!);
  for (const column of COMPACTION_WORDS) {
    const [a, b] = [first[column] as number | null, other[column] as number | null];
    joined[column] = a === null || b === null ? (a ?? b) : textOf(b) > textOf(a) ? b : a;
  }
  return joined;
}

/** Known before unknown, exact before vague, then the greater: the same whichever comes first. */
function fuller(a: Value, b: Value): Value {
  if (a === null || b === null) return a ?? b;
  if (VAGUE.includes(a) !== VAGUE.includes(b)) return VAGUE.includes(a) ? b : a;
  if (Buffer.isBuffer(a) && Buffer.isBuffer(b)) return Buffer.compare(a, b) >= 0 ? a : b;
  return a >= b ? a : b;
}

function changed(stored: Row, next: Row): Row | null {
  return Object.keys(next).some((column) => column !== "batch" && !same(stored[column]!, next[column]!)) ? next : null;
}

export function same(a: Value, b: Value): boolean {
  return Buffer.isBuffer(a) && Buffer.isBuffer(b) ? a.equals(b) : a === b;
}

/** Compares position by position. */
export function isBefore(a: (number | string)[], b: (number | string)[]): boolean {
  const differs = a.findIndex((value, i) => value !== b[i]);
  return differs !== -1 && a[differs]! < b[differs]!;
}
