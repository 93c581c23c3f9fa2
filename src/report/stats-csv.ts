import type { Figures, Stats } from "../diagnostics/stats.js";
import type { Value } from "../diagnostics/value.js";
import type { Avoidable } from "../gate/avoidable.js";
import { clean } from "./clean.js";
import { csv } from "./csv.js";

type Row = (string | number | null)[];

const HEAD = [
  "group",
  "figure",
  "recipe",
  "version",
  "value",
  "unit",
  "state",
  "count",
  "of",
  "nUnit",
  "observed",
  "expected",
  "reason",
];

/** What `context stats --csv` prints: one line per figure, for the whole scope and for every group. */
export function statsCsv(stats: Stats, spend: Avoidable): string {
  return csv([
    HEAD,
    ...figureRows("", stats),
    valueRow("", "cache.avoidable", spend),
    ...(stats.groups?.rows ?? []).flatMap((group) => figureRows(clean(group.key), group)),
  ]);
}

function figureRows(group: string, { totals, metrics, recipes }: Figures): Row[] {
  const { tokens, lowerBound, excluded, ...counts } = totals;
  const total = (name: string, value: number | null, unit: string, atLeast: boolean): Row => {
    const state = value === null ? "no_data" : atLeast ? "partial" : "ok";
    return [group, `totals.${name}`, "", "", value, unit, state, null, null, "", null, null, atLeast ? "at least" : ""];
  };
  return [
    ...Object.entries(counts).map(([name, value]) => total(name, value, "count", false)),
    ...Object.entries(tokens).map(([name, value]) =>
      total(`tokens.${name}`, value, "tokens", isOutput(name) ? lowerBound.output > 0 : lowerBound.input > 0),
    ),
    ...Object.entries(excluded).map(([name, value]) => total(`excluded.${name}`, value, "count", false)),
    ...Object.entries(metrics).map(([name, value]) => valueRow(group, name, value)),
    ...recipes.flatMap((recipe) => [
      valueRow(group, "compaction.ratio", recipe.ratio, recipe),
      valueRow(group, "compaction.mean_ratio", recipe.meanRatio, recipe),
      valueRow(group, "compaction.retention", recipe.retention, recipe),
    ]),
  ];
}

function isOutput(bucket: string): boolean {
  return bucket === "output" || bucket === "reasoning";
}

function valueRow(
  group: string,
  name: string,
  { value, unit, state, count, of, nUnit, coverage, reason }: Value,
  recipe?: { recipe: string; version: string | null },
): Row {
  const { observed, expected } = coverage;
  const [of_, version] = [clean(recipe?.recipe ?? ""), clean(recipe?.version ?? "")];
  return [group, name, of_, version, value, unit, state, count, of, nUnit, observed, expected, clean(reason ?? "")];
}
