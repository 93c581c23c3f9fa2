import { counted, figure, grouped } from "../diagnostics/figure.js";
import type { Recipe } from "../diagnostics/recipes.js";
import { type Group, isMeasured, type Remainder, type Stats } from "../diagnostics/stats.js";
import type { Leak } from "../diagnostics/tenant-leaks.js";
import type { Totals } from "../diagnostics/totals.js";
import type { TtlFall, TtlMix, TtlShare } from "../diagnostics/ttl-mix.js";
import type { Value } from "../diagnostics/value.js";
import type { Avoidable } from "../gate/avoidable.js";
import { avoidableLines, whatIfLines } from "./avoidable.js";
import { clean } from "./clean.js";
import { coverageLines } from "./coverage-text.js";
import { causeLines } from "./misses.js";
import { type Cell, columns, inkOf, nothingText, type Page, table, timeOf } from "./page.js";

/** All of `context stats` for a person: where from, what part, coverage first, then the figures. */
export function statsText(stats: Stats, store: string, spend: Avoidable, floor: number, page: Page): string {
  const ink = inkOf(page);
  const block = (title: string, text: string) => (text === "" ? [] : ["", ink.bold(title), text]);
  const lines = [`store  ${clean(store)}`, ...scopeLines(stats, page)];
  if (!isMeasured(stats)) lines.push("", nothingText(stats.newestAtMs, page));
  return [
    ...lines,
    ...block("coverage", coverageLines(stats.coverage, page)),
    ...block("totals", totalLines(stats.totals, page)),
    ...block("metrics", columns(page, metricRows(stats))),
    ...block("misses", causeLines(stats.metrics["cache.misses"], page)),
    ...block("avoidable spend", avoidableLines(spend, page)),
    ...block("what if (input only, simulated)", spend.by.length === 0 ? "" : whatIfLines(spend.whatIf, page)),
    ...block("cache lifetimes", ttlLines(stats.ttlMix, page)),
    ...block("recipes", recipeLines(stats.recipes, floor, page)),
    ...block("after compactions", aftermathLines(stats.recipes, page)),
    ...block("micro-compactions", microLines(stats, page)),
    ...block("tenant leaks", leakLines(stats.metrics["cache.leaks"].leaks, stats.metrics["cache.leaks"].count, page)),
    ...block(`by ${stats.groups?.by}`, stats.groups === null ? "" : groupLines(stats.groups, page)),
  ].join("\n");
}

/** A value as its own words: the figure, or `–`. */
function shown(value: number | null, guards: number[] = []): string {
  return value === null ? "–" : figure(value, guards);
}

/** What stands beside a figure: count of total, how many records it rests on, and why it is not better. */
function basis(value: Value): string {
  const { count, of, nUnit, coverage, state, reason, ci, bounds } = value;
  const parts = [`${grouped(count)} of ${counted(of, nUnit.replace(/s$/, ""), nUnit)}`];
  if (state === "not_reported" || (state === "no_data" && of === 0)) parts.pop();
  if (reason !== null) parts.unshift(`${state.replaceAll("_", " ")}: ${reason}`);
  if (coverage.expected > 0) parts.push(`rests on ${grouped(coverage.observed)} of ${grouped(coverage.expected)}`);
  if (ci !== null) parts.push(`95 % interval ${shown(ci[0])} to ${shown(ci[1])}`);
  if (bounds !== null) parts.push(`bounds ${shown(bounds[0])} to ${shown(bounds[1])}`);
  return parts.join("; ");
}

function scopeLines({ scope, totals }: Stats, page: Page): string[] {
  const parts = (["session", "agent", "tenant", "lane", "model"] as const)
    .filter((name) => scope[name] !== undefined)
    .map((name) => `${name} ${clean(scope[name]!)}`);
  if (scope.sinceMs !== undefined) parts.push(`since ${timeOf(page, scope.sinceMs)}`);
  if (scope.untilMs !== undefined) parts.push(`until ${timeOf(page, scope.untilMs)}`);
  const lines = [`scope  ${parts.length === 0 ? "everything in the store" : parts.join(", ")}`];
  const { otherTenant, noTenant, noTime, contradictory } = totals.excluded;
  const left = [
    ...(scope.tenant === undefined
      ? []
      : [`${grouped(otherTenant)} of other tenants`, `${grouped(noTenant)} without a tenant`]),
    ...(scope.sinceMs === undefined && scope.untilMs === undefined ? [] : [`${grouped(noTime)} without a time`]),
  ];
  if (left.length > 0) lines.push(`       rows left out: ${left.join(", ")}`);
  if (contradictory > 0)
    lines.push(`       ${counted(contradictory, "request")} with contradictory usage: not in the tokens`);
  return lines;
}

function totalLines({ tokens, lowerBound, ...totals }: Totals, page: Page): string {
  const least = (count: number) => (count > 0 ? "at least " : "");
  const told = (value: number | null, unsure: number) => (value === null ? "–" : `${least(unsure)}${grouped(value)}`);
  const row = (name: string, text: string): Cell[] => [name, { text, right: true }];
  const input = lowerBound.input;
  const written = [tokens.write5m, tokens.write1h, tokens.writeUnsplit].filter((part) => part !== null);
  return columns(page, [
    row("sessions", grouped(totals.sessions)),
    row("turns of parent lanes", grouped(totals.turns)),
    row("requests", grouped(totals.requests)),
    row("tool calls", grouped(totals.toolCalls)),
    row("compactions, without micro ones", grouped(totals.compactions)),
    row("uncached input tokens", told(tokens.uncached, input)),
    row("cache read tokens", told(tokens.read, input)),
    row("cache write tokens", told(written.length === 0 ? null : written.reduce((sum, part) => sum + part, 0), input)),
    row("output tokens", told(tokens.output, lowerBound.output)),
  ]);
}

function metricRows({ metrics }: Stats): Cell[][] {
  const row = (name: string, value: Value, more: string[] = []): Cell[] => [
    name,
    { text: shown(value.value), right: true },
    [basis(value), ...(value.value === null ? [] : more)].join("; "),
  ];
  const hit = metrics["cache.hit_rate"];
  const read = metrics["cache.read_ratio"];
  const churn = metrics["prefix.churn"];
  const leaks = metrics["cache.leaks"];
  const misses = metrics["cache.misses"];
  return [
    row("cache hit rate (local, turns)", hit, [`${hit.localOnly} without a request`]),
    row("provider read ratio (tokens)", read, [
      `by requests ${shown(read.byRequests)}, typical ${shown(read.typical)}`,
    ]),
    row("missed cache (tokens)", misses, [
      `${counted(misses.tail.requests, "request")} with a small unread tail, ${misses.violations} read more than expected`,
    ]),
    row("write amplification (×)", metrics["cache.write_amplification"]),
    row("prefix churn (transitions)", churn, [
      `${churn.undeclared} undeclared, ${churn.reorderedOnly} reordered only, ${churn.unknown} unknown`,
    ]),
    row("semantic-cache precision", metrics["semantic.precision"]),
    row("semantic-cache error rate", metrics["semantic.error_rate"]),
    row("tenant leaks (served hits)", leaks, [
      `${leaks.unknown} unknown, ${leaks.sharedKeys} keys of two tenants, ${leaks.crossContext} from another context`,
    ]),
  ];
}

/** Only where a client wrote for an hour at all: otherwise every version is alike. */
function ttlLines({ versions, falls, days }: TtlMix, page: Page): string {
  if (versions.every(({ write1hTokens }) => write1hTokens === 0)) return "";
  const cells = (share: TtlShare): Cell[] => [
    { text: shown(share.hourShare), right: true },
    { text: grouped(share.write1hTokens + share.write5mTokens), right: true },
    { text: grouped(share.requests), right: true },
  ];
  const clientOf = ({ agent, version }: TtlShare) => named(agent, version ?? "(version not recorded)");
  const head = ["for an hour", "tokens written", "in requests"];
  const tables = [
    table(
      page,
      ["client (parent lanes)", ...head],
      versions.map((share) => [clientOf(share), ...cells(share)]),
    ),
    ...(days === null
      ? []
      : [
          table(
            page,
            ["day", "client (parent lanes)", ...head],
            days.map((share) => [share.day, clientOf(share), ...cells(share)]),
          ),
        ]),
  ];
  return [columns(page, falls.map(fallLine)), ...tables].filter((text) => text !== "").join("\n\n");
}

function fallLine({ agent, from, to }: TtlFall): Cell[] {
  const side = ({ version, hourShare, requests }: TtlFall["from"]) =>
    `${shown(hourShare)} (${version}, ${counted(requests, "request")})`;
  return [
    `WARNING: ${agent} writes less for an hour: the share fell from ${side(from)} to ${side(to)}; pauses over 5 minutes now lose the cache`,
  ];
}

function recipeLines(recipes: Recipe[], floor: number, page: Page): string {
  const rows = recipes.map((recipe): Cell[] => {
    const { ratio, meanRatio, retention, worst, below, judge, judgeVersion, countMethod } = recipe;
    const apart = (["inflated", "ineffective", "failed", "noop", "indeterminate"] as const)
      .filter((name) => recipe[name] > 0)
      .map((name) => `${recipe[name]} ${name}`);
    const by = judge === null ? "" : ` by ${named(judge, judgeVersion)}`;
    const judged = `${retention.count} of ${retention.of} judged${by}`;
    const worth = worst === null ? "" : `; worst ${shown(worst, [floor])}, ${below} below ${floor}`;
    const why = retention.state === "insufficient" ? `; ${retention.reason}` : "";
    return [
      named(recipe.recipe, recipe.version),
      { text: String(recipe.compactions), right: true },
      `${shown(ratio.value)} (${grouped(ratio.count)} of ${grouped(ratio.of)} tokens${countMethod === null ? "" : ` by ${countMethod}`}, ${ratio.coverage.observed} of ${ratio.coverage.expected} counted)`,
      shown(meanRatio.value),
      `${shown(retention.value, [floor])} (${judged}${worth}${why})`,
      apart.length === 0 ? "none" : apart.join(", "),
    ];
  });
  if (rows.length === 0) return "";
  return table(page, ["recipe", "done", "tokens kept", "mean", "retention", "apart"], rows);
}

/** What came after: work done again, when the compaction paid for itself, and contexts that could not shrink. */
function aftermathLines(recipes: Recipe[], page: Page): string {
  const rows = recipes.map((recipe): Cell[] => {
    const { rework, payback, thrash } = recipe;
    const anyway = rework.baseline.value === null ? "" : `; ${figure(rework.baseline.value)} without a compaction`;
    const cached = payback.ifCached === null ? "" : `, ${payback.ifCached.toFixed(1)} if it was cached`;
    return [
      named(recipe.recipe, recipe.version),
      rework.value === null
        ? "–"
        : `${figure(rework.value)} (${grouped(rework.count)} of ${counted(rework.of, "call")}${anyway})`,
      payback.value === null
        ? "–"
        : `${payback.value.toFixed(1)} requests${cached} (${payback.paidBack} of ${payback.count} did)`,
      thrash.runs === 0 ? "no run" : `${counted(thrash.compactions, "compaction")} in ${counted(thrash.runs, "run")}`,
    ];
  });
  const told = rows.filter((row) => row.slice(1).some((cell) => cell !== "–"));
  return told.length === 0 ? "" : table(page, ["recipe", "done again", "pays back after", "thrash"], told);
}

function microLines({ microcompactions }: Stats, page: Page): string {
  return columns(
    page,
    microcompactions.map((row): Cell[] => [
      named(row.recipe, row.version),
      { text: String(row.compactions), right: true },
      `${shown(row.ratio.value)} of the tokens kept (${row.ratio.coverage.observed} of ${row.ratio.coverage.expected} counted)`,
    ]),
  );
}

function leakLines(leaks: Leak[], total: number, page: Page): string {
  const lines = leaks
    .slice(0, 10)
    .map(
      ({ atMs, session, layer, readerTenant, entryTenant, source, line }) =>
        `  ${timeOf(page, atMs)}  ${clean(session)}  ${layer}: ${clean(JSON.stringify(readerTenant))} was served an entry of ${clean(JSON.stringify(entryTenant))}  ${clean(source)}${line === null ? "" : `:${line}`}`,
    );
  if (total > lines.length) lines.push(`  and ${grouped(total - lines.length)} more`);
  return lines.join("\n");
}

function groupLines({ rows, remainder }: NonNullable<Stats["groups"]>, page: Page): string {
  const right = (text: string): Cell => ({ text, right: true });
  const rate = ({ value, count, of }: Value): Cell =>
    right(value === null ? "–" : `${figure(value)} (${grouped(count)} of ${grouped(of)})`);
  const row = ({ key, totals, metrics }: Group): Cell[] => [
    key,
    right(grouped(totals.turns)),
    right(grouped(totals.requests)),
    rate(metrics["cache.read_ratio"]),
    rate(metrics["cache.hit_rate"]),
    rate(metrics["prefix.churn"]),
    right(grouped(totals.compactions)),
    right(totals.tokens.output === null ? "–" : grouped(totals.tokens.output)),
  ];
  const head = ["", "turns", "requests", "read ratio", "hit rate", "churn", "compactions", "output"];
  const parts = table(page, head, rows.map(row));
  return [parts, ...remainderLines(remainder)].join("\n");
}

/** Why the columns do not add up to the totals, where they do not. */
function remainderLines({ turns, requests, compactions, outputTokens }: Remainder): string[] {
  const parts: [number, string][] = [
    [turns, "turn"],
    [requests, "request"],
    [compactions, "compaction"],
    [outputTokens, "output token"],
  ];
  const sign = (wanted: number) =>
    parts.filter(([count]) => Math.sign(count) === wanted).map(([count, one]) => counted(Math.abs(count), one));
  const [missing, repeated] = [sign(1), sign(-1)];
  return [
    ...(missing.length === 0 ? [] : [`  in no group: ${missing.join(", ")}`]),
    ...(repeated.length === 0 ? [] : [`  in several groups, so that the column holds more: ${repeated.join(", ")}`]),
  ];
}

function named(name: string, version: string | null): string {
  return version === null ? name : `${name} ${version}`;
}
