import {
  type At,
  answerStep,
  type Call,
  type Compaction,
  type Conversation,
  compactionStep,
  type Step,
  timeOf,
  usageOf,
} from "../conversation.js";
import { count, decoded, encoded, object, rounded, text, type Utf8 } from "../json.js";
import type { Found } from "../values.js";
import { blocksIn, resultText } from "./content.js";
import { taskLevels } from "./coverage.js";

type Value = Record<string, unknown>;

/** One task: its requests and what a person said are told by the rows that were shown, its calls by the history. */
export function taskOf({ value, line, offset }: Found): Conversation {
  const session = text(value.task) ?? "";
  const rows = rowsIn(value);
  const history = messagesOf(value.history);
  const checkpoints = checkpointsOf(value);
  const steps = rows.flatMap((row): Step[] => {
    const at: At = { atMs: timeOf(row.ts), line, offset };
    const key = `${session}/${at.atMs}`;
    if (row.say === "api_req_started") return asked(at, key, row, modelAt(value, row), callsOf(row, history));
    if (row.say === "task" || row.say === "user_feedback") return [{ ...at, kind: "prompt", key }];
    if (row.ask === "api_req_failed") {
      return [{ ...at, kind: "failure", key, outcome: "failed", errorClass: "api_req_failed", httpStatus: null }];
    }
    if (row.say === "completion_result") return [answerStep(at, key, { outcome: "answered" })];
    const checkpoint = checkpoints.find(({ row: own }) => own === row);
    return checkpoint === undefined ? [] : [compactionStep(at, checkpoint.key, { ...checkpoint.told })];
  });
  return {
    session,
    agentVersion: null,
    project: /# Current Working Directory \(([^)\n]{1,1000})\)/.exec(textOf(history[0]))?.[1] ?? null,
    branch: null,
    title: null,
    parent: null,
    sessionKind: "task",
    steps,
    levels: taskLevels(rows.some(({ say }) => say === "deleted_api_reqs")),
  };
}

const rowsIn = (value: Value) => (Array.isArray(value.rows) ? value.rows : []).map((row) => object(row) ?? {});
const messagesOf = (history: unknown) =>
  (Array.isArray(history) ? history : []).map((message) => object(message) ?? {});
const textOf = (message: Value | undefined) =>
  blocksIn(message?.content)
    .map((block) => text(block.text) ?? "")
    .join("\n");

/** Messages of the history have no ids: they are called by their numbers. */
export const nameOf = (index: number) => `#${index}`;

/** True for the answer that is a checkpoint. */
export function isSummarising(blocks: Value[]): boolean {
  return blocks.some(
    (block) =>
      (block.type === "tool_use" && SUMMARISING.has(block.name)) ||
      (block.type === "text" && /<(?:summarize_task|condense)>/.test(String(block.text))),
  );
}

const SUMMARISING = new Set<unknown>(["summarize_task", "condense"]);

interface Checkpoint {
  row: Value;
  key: string;
  words: string;
  /** Number of the message behind which it stands. */
  behind: number;
  told: Partial<Compaction>;
}

/**
 * Checkpoints, and what they replaced: rows say which messages had been taken out of the history when they were shown,
 * so those that a later row adds to them were replaced.
 */
export function checkpointsOf(value: Value): Checkpoint[] {
  const rows = rowsIn(value);
  const session = text(value.task) ?? "";
  return rows.flatMap((row, at) => {
    const words = checkpointIn(row);
    const behind = row.conversationHistoryIndex;
    if (words === null || typeof behind !== "number") return [];
    const before = rangeOf(rows.slice(0, at + 1).findLast((other) => rangeOf(other) !== null));
    const later = rows.slice(at + 1).find((other) => rangeOf(other) !== null && !isSame(rangeOf(other), before));
    // Nothing was taken out: the person did not agree.
    if (later === undefined && row.ask === "condense") return [];
    const after = rangeOf(later) ?? [0, behind];
    const live = Array.from({ length: behind + 1 }, (_, index) => index);
    const told: Partial<Compaction> = {
      trigger: row.ask === "condense" ? "manual" : "auto",
      checkpoint: encoded(words),
      kept: live.filter((index) => !isIn(index, after)).map(nameOf),
      cleared: live.filter((index) => isIn(index, before)).map(nameOf),
    };
    return [{ row, key: `${session}/${timeOf(row.ts)}/compaction`, words, behind, told }];
  });
}

/** Rows are written again while a text grows; the last one is whole. */
function checkpointIn(row: Value): string | null {
  if (row.partial === true) return null;
  if (row.ask === "condense") return text(row.text);
  const tool = row.say === "tool" ? jsonIn(row.text) : null;
  return tool?.tool === "summarizeTask" ? ((tool.content as string | undefined) ?? null) : null;
}

type Range = [from: number, to: number] | null;

function rangeOf(row: Value | undefined): Range {
  const range = row?.conversationHistoryDeletedRange;
  if (!Array.isArray(range)) return null;
  const [from, to] = range as unknown[];
  return typeof from === "number" && typeof to === "number" ? [from, to] : null;
}

const isSame = (a: Range, b: Range) => a?.[0] === b?.[0] && a?.[1] === b?.[1];
const isIn = (index: number, range: Range) => range !== null && index >= range[0] && index <= range[1];

/** A row in JSON, as text. */
function jsonIn(value: unknown): Value | null {
  try {
    return object(JSON.parse(decoded(String(value) as Utf8)));
  } catch {
    return null;
  }
}

/** The four counts are disjoint. A request that was cut off says why. */
function asked(
  at: At,
  key: string,
  row: Value,
  model: { provider: string | null; id: string | null },
  calls: Call[],
): Step[] {
  const told = jsonIn(row.text) ?? {};
  const counts = [told.tokensIn, told.cacheReads, told.cacheWrites, told.tokensOut].map(count);
  const [uncachedTokens = null, readTokens = null, writeUnsplitTokens = null, outputTokens = null] = counts;
  const usage = counts.every((tokens) => !tokens)
    ? null
    : usageOf({ uncachedTokens, readTokens, writeUnsplitTokens, outputTokens, reasoningTokens: null });
  const stopped = told.cancelReason === "user_cancelled";
  const failed = typeof told.cancelReason === "string" && !stopped;
  if (usage === null && !failed && !stopped) return calls.length === 0 ? [] : [answerStep(at, key, { calls })];
  if (usage === null) {
    const errorClass = String(told.cancelReason);
    return [{ ...at, kind: "failure", key, outcome: stopped ? "aborted" : "failed", errorClass, httpStatus: null }];
  }
  return [
    answerStep(at, key, {
      provider: model.provider,
      model: model.id,
      usage,
      cutOff: stopped || failed,
      costMicros: typeof told.cost === "number" ? rounded(told.cost * 1e6) : null,
      outcome: stopped ? "interrupted" : failed ? "failed" : null,
      raw: { ...told, request: undefined },
      calls,
    }),
  ];
}

/** The model that a row names; else the one that was in use then. */
function modelAt(value: Value, row: Value): { provider: string | null; id: string | null } {
  const own = object(row.modelInfo);
  if (own !== null) return { provider: text(own.providerId), id: text(own.modelId) };
  const used = object(value.about)?.model_usage;
  const before = (Array.isArray(used) ? used.map(object) : []).findLast((entry) => Number(entry?.ts) <= Number(row.ts));
  return { provider: text(before?.model_provider_id), id: text(before?.model_id) };
}

/** Calls of the answer to a request: the request and its answer follow the message that was the newest one then. */
function callsOf(row: Value, history: Value[]): Call[] {
  const newest = row.conversationHistoryIndex;
  if (typeof newest !== "number") return [];
  const results = new Map(
    blocksIn(history[newest + 3]?.content)
      .filter(({ type }) => type === "tool_result")
      .map((block) => [text(block.tool_use_id), block]),
  );
  const uses = blocksIn(history[newest + 2]?.content).filter(({ type }) => type === "tool_use");
  return uses.map(({ id, name, input }): Call => {
    const result = results.get(text(id));
    const answer = result && {
      text: resultText(result.content),
      isError: result.is_error === true,
      atMs: null,
      durationMs: null,
    };
    return { id: text(id), tool: text(name), input, result: answer ?? null, refusal: null };
  });
}
