import { grouped } from "../diagnostics/figure.js";
import type { Miss } from "../diagnostics/misses/cache-misses.js";
import type { TimelineCompaction, TimelineEntry, TimelineRequest } from "../diagnostics/timeline.js";
import { clean } from "./clean.js";
import { isoOf } from "./moments.js";
import { type Cell, columns, inkOf, type Page, timeOf } from "./page.js";

/** The list of requests with sizes, misses and compactions. `misses` by the event id of their request. */
export function timelineText(
  session: string,
  entries: TimelineEntry[],
  misses: Map<string, Miss>,
  store: string,
  page: Page,
): string {
  const inherited = entries.filter((entry) => entry.inherited).length;
  const right = (text: string): Cell => ({ text, right: true });
  const head: Cell[] = [right("#"), "time", "lane", ...["turn", "prompt", "read", "written", "output"].map(right)];
  const rows = entries.map((entry) =>
    entry.kind === "request" ? requestRow(entry, page) : compactionRow(entry, page),
  );
  const [first = "", ...laid] = columns({ ...page, width: Number.POSITIVE_INFINITY }, [head, ...rows]).split("\n");
  const lines = entries.map((entry, at) => {
    const told = entry.kind === "request" ? happened(entry, misses) : compacted(entry);
    return told === "" ? laid[at] : `${laid[at]}  ${told}`;
  });
  return [
    `store    ${clean(store)}`,
    `session  ${clean(session)}`,
    ...(inherited > 0
      ? [`         ${inherited} entries marked * were inherited from another session and add nothing here`]
      : []),
    "",
    inkOf(page).dim(first),
    ...lines,
  ].join("\n");
}

/** One request whole, one field per line. */
export function requestText(request: TimelineRequest, miss: Miss | undefined, page: Page): string {
  const rows: [string, string | null][] = [
    ["request", String(request.number)],
    ["time", timeOf(page, request.atMs)],
    ["lane", request.lane],
    ["turn", request.turn === null ? null : String(request.turn)],
    ["model", request.model],
    ["prompt tokens", number(request.promptTokens)],
    ["uncached", number(request.uncachedTokens)],
    ["read from the cache", number(request.readTokens)],
    ["written to the cache", number(request.writtenTokens)],
    ["output tokens", outputOf(request)],
    ["finished by", request.finishReason],
    ["declared changes", request.declaredChanges.join(", ") || null],
    ["provider's reason", request.missReason],
    ["missed", miss === undefined ? "nothing" : missText(miss)],
    ["request id", request.requestId],
    ["message id", request.messageId],
    ["event id", request.eventId],
    ["inherited", request.inherited ? "yes: another session counts it" : "no"],
    ["from", request.line === null ? request.source : `${request.source}:${request.line}`],
  ];
  return columns(
    page,
    rows.map(([name, text]) => [name, text ?? "–"]),
  );
}

export function timelineJson(entries: TimelineEntry[], misses: Map<string, Miss>): object[] {
  return entries.map(({ atMs, ...entry }) => {
    const miss = misses.get(entry.eventId);
    const lost = miss && {
      cause: miss.cause,
      coCauses: miss.coCauses,
      evidence: miss.evidence,
      lostTokens: miss.lostTokens,
      costMicros: miss.costMicros,
    };
    return { ...entry, at: isoOf(atMs), ...(entry.kind === "request" ? { miss: lost ?? null } : {}) };
  });
}

function requestRow(request: TimelineRequest, page: Page): Cell[] {
  const right = (text: string): Cell => ({ text, right: true });
  return [
    right(`${request.number}${request.inherited ? "*" : ""}`),
    timeOf(page, request.atMs),
    request.lane ?? "–",
    right(request.turn === null ? "–" : String(request.turn)),
    right(number(request.promptTokens) ?? "–"),
    right(number(request.readTokens) ?? "–"),
    right(number(request.writtenTokens) ?? "–"),
    right(outputOf(request) ?? "–"),
  ];
}

function compactionRow({ inherited, atMs, lane }: TimelineCompaction, page: Page): Cell[] {
  return [inherited ? "*" : "", timeOf(page, atMs), lane ?? "–", "", "", "", "", ""];
}

function happened(request: TimelineRequest, misses: Map<string, Miss>): string {
  const miss = misses.get(request.eventId);
  const { declaredChanges } = request;
  return [
    ...(miss === undefined ? [] : [`missed ${missText(miss)}`]),
    ...(declaredChanges.length > 0 ? [`declared: ${declaredChanges.join(", ")}`] : []),
  ].join("; ");
}

function compacted({
  form,
  recipe,
  version,
  trigger,
  outcome,
  tokensBefore,
  tokensAfter,
  checkpointFault,
}: TimelineCompaction): string {
  const what = form === "micro" ? "micro-compaction" : "compaction";
  const by = clean(version === null ? recipe : `${recipe} ${version}`);
  const fault = checkpointFault === null || checkpointFault === "none" ? "" : `, degenerate: ${clean(checkpointFault)}`;
  return `${what} ${outcome} by ${by} (${trigger}): ${number(tokensBefore) ?? "–"} to ${number(tokensAfter) ?? "–"} tokens${fault}`;
}

function missText({ cause, coCauses, lostTokens, evidence }: Miss): string {
  return `${grouped(lostTokens)} tokens: ${[cause, ...coCauses].join(", also ").replaceAll("_", " ")} (by ${evidence})`;
}

function outputOf({ outputTokens, provisional }: TimelineRequest): string | null {
  return outputTokens === null ? null : `${provisional ? "≥ " : ""}${grouped(outputTokens)}`;
}

function number(count: number | null): string | null {
  return count === null ? null : grouped(count);
}
