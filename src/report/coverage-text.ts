import type { CoverageReport } from "../diagnostics/coverage.js";
import { counted, grouped } from "../diagnostics/figure.js";
import { clean } from "./clean.js";
import { type Cell, columns, type Page, timeOf } from "./page.js";

/** The coverage block: how many records carry what the figures need, then what the sources cannot tell. */
export function coverageLines(coverage: CoverageReport, page: Page): string {
  const { firstAtMs, lastAtMs, records, facts, sources, notes } = coverage;
  const rows = (Object.keys(LABELS) as (keyof typeof LABELS)[])
    .filter((name) => records[name].expected > 0)
    .map((name): Cell[] => [
      LABELS[name],
      { text: `${grouped(records[name].observed)} of ${grouped(records[name].expected)}`, right: true },
    ]);
  const blocks = [
    ...(firstAtMs === null ? [] : [`  ${timeOf(page, firstAtMs)} to ${timeOf(page, lastAtMs)} (${page.timezone})`]),
    columns(page, rows),
    columns(page, facts.flatMap(unseen)),
    ...sources.map(
      ({ format, kind, sources: count, linesSkipped }) =>
        `  ${counted(count, "source")}: ${clean(format)} (${kind}), ${counted(linesSkipped, "line")} skipped`,
    ),
    ...notes.map(({ note, name, count }) => `  ${grouped(count)} × ${clean([note, name].filter(Boolean).join(" "))}`),
  ];
  return blocks.filter((text) => text !== "").join("\n");
}

const LABELS = {
  turnsWithRequest: "turns with a request",
  requestsInTurns: "requests that belong to a turn",
  completeUsage: "requests with complete usage",
  finalOutput: "requests with final output",
  cacheCounters: "requests with cache counters",
  shellDigests: "requests with a shell digest",
  startTimes: "requests with a time of their own",
  tenants: "requests with a tenant",
  judgedCompactions: "compactions judged",
  comparedHits: "semantic hits compared",
} as const satisfies Record<keyof CoverageReport["records"], string>;

/** What some sessions cannot tell; nothing when all can. */
function unseen({ fact, full, partial, absent, why }: CoverageReport["facts"][number]): Cell[][] {
  if (partial + absent === 0) return [];
  const all = full + partial + absent;
  const part = [
    ...(absent > 0 ? [`not in ${grouped(absent)} of ${counted(all, "session")}`] : []),
    ...(partial > 0 ? [`partly in ${grouped(partial)}`] : []),
  ];
  return [[fact.replaceAll("_", " "), `${part.join(", ")}${why.length > 0 ? `: ${why.slice(0, 3).join("; ")}` : ""}`]];
}
