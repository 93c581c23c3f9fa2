import type { Stats } from "../diagnostics/stats.js";
import type { Avoidable } from "../gate/avoidable.js";

/** A figure with a name for machines; see `otel/figures.ts`. */
export interface Figure {
  name: string;
  unit: string;
  description: string;
  value: number;
  attributes: Record<string, string>;
}

const RATIOS: [keyof Stats["metrics"], string, string][] = [
  ["cache.hit_rate", "sonny.cache.hit_rate", "turns served from a local cache"],
  ["cache.read_ratio", "sonny.cache.read_ratio", "input tokens read from the provider's cache"],
  ["cache.misses", "sonny.cache.missed", "input tokens that could have been read and were not"],
  ["prefix.churn", "sonny.prefix.churn", "transitions whose shell changed"],
  ["semantic.precision", "sonny.semantic.precision", "divergences that do not matter"],
];

/** What an export of metrics sends of the figures: those that are known, and no others. */
export function figuresOf({ metrics, recipes, totals }: Stats, { bill }: Avoidable): Figure[] {
  const figures: (Omit<Figure, "value" | "attributes"> & {
    value: number | null;
    attributes?: Record<string, string>;
  })[] = RATIOS.map(([key, name, description]) => ({ name, unit: "1", description, value: metrics[key].value }));
  for (const { recipe, version, retention } of recipes) {
    figures.push({
      name: "sonny.retention.score",
      unit: "1",
      description: "mean judgment of compactions",
      value: retention.value,
      attributes: {
        "sonny.compaction.recipe": recipe,
        ...(version === null ? {} : { "sonny.compaction.recipe_version": version }),
      },
    });
  }
  for (const [type, value] of Object.entries(totals.tokens)) {
    figures.push({
      name: "sonny.tokens",
      unit: "{token}",
      description: "tokens of all requests in scope, in buckets that do not overlap; reasoning is part of output",
      value,
      attributes: { "gen_ai.token.type": type },
    });
  }
  const { priced, free } = bill.basis;
  if (priced + free > 0) {
    figures.push({
      name: "sonny.cost",
      unit: "USD",
      description: "cost at list price; a lower bound when some requests have no price",
      value: Number(bill.cost.picos) / 1e12,
      attributes: { "sonny.cost.complete": String(bill.requests === priced + free) },
    });
  }
  return figures.flatMap((figure) =>
    figure.value === null ? [] : [{ ...figure, value: figure.value, attributes: figure.attributes ?? {} }],
  );
}
