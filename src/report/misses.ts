import { counted, figure, grouped } from "../diagnostics/figure.js";
import type { CacheMisses, CauseSum, Miss } from "../diagnostics/misses/cache-misses.js";
import type { WhatIf } from "../diagnostics/misses/what-if.js";
import { whatIfLines } from "./avoidable.js";
import { clean } from "./clean.js";
import { isoOf } from "./moments.js";
import { type Cell, columns, inkOf, type Page, table, timeOf } from "./page.js";

const LISTED = 50;

/** All of `context misses` for a person: the sums by cause, then the dearest misses one by one. */
export function missesText(session: string, misses: CacheMisses, simulated: WhatIf, store: string, page: Page): string {
  const { misses: all, agreement, violations, reason, value, count, of, coverage } = misses;
  const ink = inkOf(page);
  const share = value === null ? `– (${misses.state.replaceAll("_", " ")}: ${reason})` : figure(value);
  const lines = [
    `store    ${clean(store)}`,
    `session  ${clean(session)}`,
    `missed   ${share} (${grouped(count)} of ${grouped(of)} tokens that could have been read; rests on ${counted(coverage.observed, "request")})`,
  ];
  if (violations > 0)
    lines.push(
      `         ${counted(violations, "request")} read more than expected: the rules used here do not fit them`,
    );
  if (agreement.compared > 0) lines.push(`         ${agreementText(misses)}`);
  const block = (title: string, text: string) => (text === "" ? [] : ["", ink.bold(title), text]);
  return [
    ...lines,
    ...block("by cause", causeLines(misses, page)),
    ...block("avoidable, by who can act", actorLines(misses, page)),
    ...block("what if (simulated)", whatIfLines(simulated, page)),
    ...block("dearest first", missLines(all.slice(0, LISTED), page)),
    ...(all.length > LISTED ? [`  and ${grouped(all.length - LISTED)} more (--json lists all)`] : []),
  ].join("\n");
}

/** One row per cause: who can act, how much was lost, and what to do; expected losses below. */
export function causeLines({ causes, expected }: Pick<CacheMisses, "causes" | "expected">, page: Page): string {
  const row = (sum: CauseSum): Cell[] => [
    sum.cause.replaceAll("_", " "),
    { text: grouped(sum.requests), right: true },
    { text: grouped(sum.lostTokens), right: true },
    { text: sum.share === null ? "expected" : figure(sum.share), right: true },
    { text: moneyOf(sum), right: true },
    sum.actor,
  ];
  const head = ["cause", "requests", "tokens", "share", "cost", "who can act"];
  const fixes = causes.map(({ cause, fix }): Cell[] => [`${cause.replaceAll("_", " ")}:`, fix]);
  const blocks = [table(page, head, [...causes, ...expected].map(row)), columns(page, fixes)];
  return blocks.filter((text) => text !== "").join("\n\n");
}

/** What was paid again, by who could have prevented it; expected losses are nobody's. */
function actorLines({ causes }: CacheMisses, page: Page): string {
  const actors = [...new Set(causes.map(({ actor }) => actor))];
  return columns(
    page,
    actors.map((actor): Cell[] => {
      const own = causes.filter((sum) => sum.actor === actor);
      const total = (name: "lostTokens" | "costMicros" | "unpricedTokens") =>
        own.reduce((sum, cause) => sum + cause[name], 0);
      const sums = {
        lostTokens: total("lostTokens"),
        costMicros: total("costMicros"),
        unpricedTokens: total("unpricedTokens"),
      };
      return [
        actor,
        { text: `${grouped(sums.lostTokens)} tokens`, right: true },
        { text: moneyOf(sums), right: true },
        own.map(({ cause }) => cause.replaceAll("_", " ")).join(", "),
      ];
    }),
  );
}

/** The lists apart from the figure: what machines read. */
export function missesJson({ causes, expected, misses, all: _, ...missed }: CacheMisses) {
  const sumJson = ({ dearest, ...sum }: CauseSum) => ({ ...sum, dearest: missJson(dearest) });
  return { missed, causes: causes.map(sumJson), expected: expected.map(sumJson), misses: misses.map(missJson) };
}

function missJson({ atMs, ...miss }: Miss) {
  return { ...miss, at: isoOf(atMs) };
}

function missLines(misses: Miss[], page: Page): string {
  return columns(
    page,
    misses.map((miss): Cell[] => [
      timeOf(page, miss.atMs),
      miss.lane ?? "–",
      [miss.cause, ...miss.coCauses].join(", also ").replaceAll("_", " "),
      { text: `${grouped(miss.lostTokens)} tokens`, right: true },
      { text: miss.costMicros === null ? "–" : usd(miss.costMicros), right: true },
      `by ${miss.evidence}${miss.gapMs === null ? "" : `, after ${durationOf(miss.gapMs)}`}`,
      placeOf(miss),
    ]),
  );
}

/** File and line; the whole path is in the JSON. */
function placeOf({ source, line }: Miss): string {
  const name = source.split(/[\\/]/).at(-1) ?? source;
  return line === null ? name : `${name}:${line}`;
}

function agreementText({ agreement }: CacheMisses): string {
  const { compared, agreed, rate, kappa } = agreement;
  const given = `the provider named a change for ${counted(compared, "miss", "misses")}; usage alone agrees in ${grouped(agreed)}`;
  if (rate === null) return `${given}; no rate, because it named one kind only`;
  return `${given} (${figure(rate)}${kappa === null ? "" : `, kappa ${figure(kappa)}`})`;
}

/** Known costs; a floor where some models have no price. */
function moneyOf({
  costMicros,
  unpricedTokens,
  lostTokens,
}: Pick<CauseSum, "costMicros" | "unpricedTokens" | "lostTokens">): string {
  if (unpricedTokens === lostTokens) return "–";
  return `${unpricedTokens > 0 ? "≥ " : ""}${usd(costMicros)}`;
}

function usd(micros: number): string {
  return `$${(micros / 1e6).toFixed(micros < 100_000 ? 4 : 2)}`;
}

function durationOf(ms: number): string {
  const seconds = Math.round(ms / 1000);
  if (seconds < 120) return `${seconds} s`;
  return seconds < 7_200 ? `${Math.round(seconds / 60)} min` : `${Math.round(seconds / 3_600)} h`;
}
