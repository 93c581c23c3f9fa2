import { counted, figure, grouped } from "../diagnostics/figure.js";
import type { Account } from "../ledger/account.js";
import type { Activity } from "../ledger/activity.js";
import type { ToolUse } from "../ledger/tools.js";
import { isUsed, type Tab, type Usage, type UsageGroup } from "../ledger/usage.js";
import { clean } from "./clean.js";
import { heatmap } from "./heatmap.js";
import { dollars } from "./money.js";
import { type Cell, columns, inkOf, nothingText, type Page, table, timeOf } from "./page.js";
import { costState, sharesOf } from "./usage-json.js";

/** Groups shown to a person; `--json` and `--csv` have them all. */
const SHOWN = 40;

/** All of `sonny usage` for a person: where from, what part, coverage first, then the total, then the tab. */
export function usageText(usage: Usage, store: string, page: Page): string {
  const ink = inkOf(page);
  const block = (title: string, text: string) => (text === "" ? [] : ["", ink.bold(title), text]);
  const { activity, groups, tools, total } = usage;
  return [
    `store  ${clean(store)}`,
    ...scopeLines(usage, page),
    ...(isUsed(usage) ? [] : ["", nothingText(usage.coverage.newestAtMs, page)]),
    ...block("coverage", coverageLines(usage, page)),
    ...block("total", total.requests === 0 ? "" : totalLines(total, page)),
    ...block(`activity (${page.timezone})`, activity === null ? "" : activityLines(activity, page)),
    ...block(`by ${usage.by}`, groups === null ? "" : groupTable(groups, usage.tab, page)),
    ...block(`by ${usage.by}`, tools === null ? "" : toolTable(tools, page)),
  ].join("\n");
}

/** The known cost as a person should read it: a floor is marked, and no price is not nothing. */
function costText(account: Account): string {
  const state = costState(account);
  if (state === "unknown" || state === "no_data") return "–";
  return `${state === "at_least" ? "≥ " : ""}${dollars(account.cost.picos)}`;
}

function scopeLines({ scope, coverage }: Usage, page: Page): string[] {
  const parts = (["session", "agent", "tenant", "lane", "model"] as const)
    .filter((name) => scope[name] !== undefined)
    .map((name) => `${name} ${clean(scope[name]!)}`);
  if (scope.sinceMs !== undefined) parts.push(`since ${timeOf(page, scope.sinceMs)}`);
  if (scope.untilMs !== undefined) parts.push(`until ${timeOf(page, scope.untilMs)}`);
  const { otherTenant, noTenant, noTime } = coverage.excluded;
  const left = [
    ...(scope.tenant === undefined
      ? []
      : [`${grouped(otherTenant)} of other tenants`, `${grouped(noTenant)} without a tenant`]),
    ...(scope.sinceMs === undefined && scope.untilMs === undefined ? [] : [`${grouped(noTime)} without a time`]),
  ];
  return [
    `scope  ${parts.length === 0 ? "everything in the store" : parts.join(", ")}; days in ${page.timezone}`,
    ...(left.length === 0 ? [] : [`       rows left out: ${left.join(", ")}`]),
  ];
}

function coverageLines({ coverage, total }: Usage, page: Page): string {
  const { firstAtMs, lastAtMs, requests, sessions } = coverage;
  if (requests === 0) return "";
  const row = (name: string, observed: number): Cell[] => [
    name,
    { text: `${grouped(observed)} of ${grouped(requests)}`, right: true },
  ];
  const rows = [
    row("requests with complete usage", coverage.completeUsage),
    row("requests with final output", coverage.finalOutput),
    row("requests with a price", coverage.priced),
    row("requests with cache counters", coverage.cacheCounters),
    row("requests with a time", coverage.startTimes),
  ];
  const span =
    firstAtMs === null ? [] : [`  ${timeOf(page, firstAtMs)} to ${timeOf(page, lastAtMs)} (${page.timezone})`];
  const lists = coverage.priceLists.map((list) => `${list.package} ${list.version} (${list.released})`);
  return [
    ...span,
    columns(page, [["sessions", { text: grouped(sessions), right: true }], ...rows]),
    `  prices: ${lists.join(", ")}, own corrections${total.basis.priced > 0 ? "; at list price, whatever a subscription pays" : ""}`,
  ].join("\n");
}

function totalLines(account: Account, page: Page): string {
  const { tokens, missing, cost, reported, basis } = account;
  const input = missing.withoutUsage + missing.partial > 0 ? "≥ " : "";
  const output = missing.withoutUsage + missing.unsureOutput > 0 ? "≥ " : "";
  const known = basis.priced + basis.free > 0;
  const unpriced = basis.unpriced + missing.withoutUsage;
  const floor = unpriced + missing.partial + missing.unpricedTokens > 0 ? "≥ " : "";
  const outputFloor = unpriced + missing.unsureOutput > 0 ? "≥ " : "";
  const least = costState(account) === "at_least" ? "≥ " : "";
  const row = (name: string, text: string, more = ""): Cell[] => [name, { text, right: true }, more];
  const told = (count: number | null, mark: string) => (count === null ? "–" : `${mark}${grouped(count)}`);
  const money = (count: number | null, mark: string, picos: bigint) =>
    known && count !== null ? `${mark}${dollars(picos)}` : "";
  const written = sumOf(tokens, "write5m", "write1h", "writeUnsplit");
  const saved = sharesOf(account).saved;
  const net = cost.savedByReads - cost.paidForWrites;
  const isTold = known && account.caching.requests > 0;
  return columns(page, [
    row("requests", grouped(account.requests)),
    row("uncached input tokens", told(tokens.uncached, input), money(tokens.uncached, floor, cost.uncached)),
    row("cache read tokens", told(tokens.read, input), money(tokens.read, floor, cost.read)),
    row(
      "cache write tokens",
      told(written, input),
      [money(written, floor, cost.write), lifetimes(tokens)].filter((text) => text !== "").join("; "),
    ),
    row("output tokens", told(tokens.output, output), money(tokens.output, outputFloor, cost.output)),
    row("cost", costText(account), basisText(account)),
    row("without a cache", known ? `${least}${dollars(cost.baseline)}` : "–", "the same tokens, nothing cached"),
    row(
      "saved by the cache",
      isTold ? dollars(net) : "–",
      isTold
        ? `${saved === null ? "" : `${percent(saved)}; `}reads saved ${dollars(cost.savedByReads)}, writes cost ${dollars(cost.paidForWrites)} more`
        : "",
    ),
    ...(reported.requests === 0
      ? []
      : [
          row(
            "reported by the source",
            dollars(reported.picos),
            `${counted(reported.requests, "request")}; apart, not added`,
          ),
        ]),
  ]);
}

function lifetimes({ write5m, write1h, writeUnsplit }: Account["tokens"]): string {
  return [
    ...(write5m === null ? [] : [`${grouped(write5m)} for 5 min`]),
    ...(write1h === null ? [] : [`${grouped(write1h)} for 1 h`]),
    ...(writeUnsplit === null || writeUnsplit === 0 ? [] : [`${grouped(writeUnsplit)} untold`]),
  ].join(", ");
}

/** Several buckets together; null when none is told. */
function sumOf(tokens: Account["tokens"], ...buckets: (keyof Account["tokens"])[]): number | null {
  const told = buckets.map((bucket) => tokens[bucket]).filter((count) => count !== null);
  return told.length === 0 ? null : told.reduce((sum, count) => sum + count, 0);
}

/** Of how many requests, and everything that is not in the figure or only assumed, by name. */
function basisText({ requests, basis, missing, assumed, unpricedModels, unpricedServices }: Account): string {
  const names = unpricedModels
    .slice(0, 5)
    .map(({ model, requests }) => `${model ?? "(no model)"} × ${grouped(requests)}`);
  if (unpricedModels.length > names.length) names.push(`${unpricedModels.length - names.length} more`);
  const services = unpricedServices.map(({ service }) => service).join(", ");
  const parts = [
    `${grouped(basis.priced)} of ${counted(requests, "request")} priced`,
    basis.free > 0 && `${grouped(basis.free)} free`,
    basis.unpriced > 0 && `${grouped(basis.unpriced)} unpriced (${names.join(", ")})`,
    missing.withoutUsage > 0 && `${grouped(missing.withoutUsage)} without usage`,
    missing.partial > 0 && `${grouped(missing.partial)} with unknown parts`,
    missing.unsureOutput > 0 && `${grouped(missing.unsureOutput)} with output counted too early`,
    missing.unpricedTokens > 0 && `${counted(missing.unpricedTokens, "token")} in a bucket without a price`,
    missing.searches > 0 && `${counted(missing.searches, "web search", "web searches")} not priced`,
    assumed.unsplitWrites > 0 && `${grouped(assumed.unsplitWrites)} with writes taken as 5 min`,
    assumed.services > 0 && `${grouped(assumed.services)} at the plain price for ${services}`,
    assumed.timeless > 0 && `${grouped(assumed.timeless)} without a time at today's price`,
  ];
  return parts.filter((part) => part !== false).join("; ");
}

function activityLines({ heatmap: counts, activeDays, busiestDay, streak, timeless }: Activity, page: Page): string {
  if (busiestDay === null) return "";
  return [
    heatmap(counts, page),
    `  ${counted(activeDays, "active day")}; busiest ${busiestDay.day} with ${counted(busiestDay.requests, "request")}; streak ${counted(streak.current, "day")}, longest ${streak.longest}`,
    ...(timeless === 0 ? [] : [`  ${counted(timeless, "request")} without a time are not on the map`]),
  ].join("\n");
}

const right = (text: string): Cell => ({ text, right: true });

type Column = [head: string, cell: (group: UsageGroup) => Cell];

const requests: Column = ["requests", ({ account }) => right(grouped(account.requests))];
const cost: Column = ["cost", ({ account }) => right(costText(account))];
const output: Column = ["output", ({ account }) => right(tokensText(account, "output"))];
const saved: Column = ["saved", ({ account }) => right(shareText(sharesOf(account).saved))];
const read: Column = [
  "read ratio",
  ({ account: { caching, ...rest } }) => {
    const ratio = sharesOf({ caching, ...rest }).read;
    return right(
      ratio === null
        ? "–"
        : `${figure(ratio)} (${grouped(caching.readTokens)} of ${grouped(caching.promptTokens)}; ${grouped(caching.requests)} of ${grouped(rest.requests)} tell)`,
    );
  },
];
const unpriced: Column = ["unpriced", ({ account }) => right(grouped(account.basis.unpriced))];
const prompt: Column[] = [
  ["uncached", ({ account }) => right(tokensText(account, "uncached"))],
  ["read", ({ account }) => right(tokensText(account, "read"))],
  ["written", ({ account }) => right(tokensText(account, "write5m", "write1h", "writeUnsplit"))],
];

const COLUMNS: Record<Tab, Column[]> = {
  activity: [requests, output, cost],
  models: [requests, ...prompt, output, cost, unpriced],
  cost: [requests, ...prompt, output, cost, saved, unpriced],
  sessions: [
    ["agent", ({ about }) => about?.agent ?? "–"],
    ["title", ({ about }) => shortened(about?.title ?? about?.project ?? "–")],
    requests,
    output,
    cost,
    saved,
  ],
  tools: [],
  cache: [
    requests,
    read,
    ["written 5 min", ({ account }) => right(tokensText(account, "write5m"))],
    ["1 h", ({ account }) => right(tokensText(account, "write1h"))],
    ["untold", ({ account }) => right(tokensText(account, "writeUnsplit"))],
    saved,
  ],
};

function groupTable(groups: UsageGroup[], tab: Tab, page: Page): string {
  // Days are read to the newest, other groups from the dearest.
  const isInTime = groups.some(({ key }) => key !== null && /^\d{4}-(\d{2}|W\d{2})/.test(key));
  const shown = isInTime ? groups.slice(-SHOWN) : groups.slice(0, SHOWN);
  const rows = shown.map((group) => [
    group.key === null ? "(not recorded)" : group.key === "" ? "(empty)" : group.key,
    ...COLUMNS[tab].map(([, cell]) => cell(group)),
  ]);
  const left = groups.length - shown.length;
  const more = left === 0 ? [] : [`  and ${grouped(left)} ${isInTime ? "earlier" : "more"}; --json and --csv have all`];
  return [table(page, ["", ...COLUMNS[tab].map(([head]) => head)], rows), ...more].join("\n");
}

function toolTable(tools: ToolUse[], page: Page): string {
  const bytes = tools.reduce((sum, { resultBytes }) => sum + resultBytes, 0);
  const rows = tools
    .slice(0, SHOWN)
    .map(({ name, calls, failed, judged, resultBytes, results, durationMs }) => [
      name ?? "(not recorded)",
      right(grouped(calls)),
      right(judged === 0 ? "–" : `${percent(failed / judged)} (${grouped(failed)} of ${grouped(judged)})`),
      right(results === 0 ? "–" : grouped(resultBytes)),
      right(results === 0 || bytes === 0 ? "–" : percent(resultBytes / bytes)),
      right(durationMs === null ? "–" : `${grouped(durationMs.p50)} / ${grouped(durationMs.p95)}`),
    ]);
  const left = tools.length - rows.length;
  const head = ["", "calls", "failed", "result bytes", "share", "ms p50 / p95"];
  const more = left <= 0 ? [] : [`  and ${grouped(left)} more; --json and --csv have all`];
  return tools.length === 0 ? "  no tool call in scope" : [table(page, head, rows), ...more].join("\n");
}

function tokensText({ tokens, missing }: Account, ...buckets: (keyof Account["tokens"])[]): string {
  const sum = sumOf(tokens, ...buckets);
  const unsure = missing.withoutUsage + (buckets[0] === "output" ? missing.unsureOutput : missing.partial);
  return sum === null ? "–" : `${unsure > 0 ? "≥ " : ""}${grouped(sum)}`;
}

function shareText(share: number | null): string {
  return share === null ? "–" : percent(share);
}

function percent(share: number): string {
  return `${(share * 100).toFixed(1)} %`;
}

function shortened(text: string): string {
  const letters = [...text];
  return letters.length > 40 ? `${letters.slice(0, 39).join("")}…` : text;
}
