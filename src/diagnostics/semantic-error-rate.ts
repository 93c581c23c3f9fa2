import { type Kysely, sql } from "kysely";
import type { Tables } from "../store/schema.js";
import { inScope, type Selection } from "../store/scope.js";
import { comparisons } from "./semantic-precision.js";
import { measured, type Value, withheld } from "./value.js";

/**
 * Semantic-cache error rate: lookups that were answered wrongly from the cache.
 *
 *     error rate = (substantive + contradictory) / lookups      (0..1 of lookups, lower is better)
 *
 * - A lookup is a hit or a miss of the semantic layer.
 * - Served hits that nobody compared may be wrong too: then the value is a lower bound, the state is partial, and
 *   `bounds` says how far it could go.
 * - Not 1 − precision: at a hit rate of 30 %, an error rate of 2 % is a precision of 93.3 %.
 */
export async function semanticErrorRate(db: Kysely<Tables>, selection: Selection): Promise<Value> {
  const { classes, hits, blind } = await comparisons(db, selection);
  const wrong = classes.substantive + classes.contradictory;
  const classed = wrong + classes.trivial + classes.stylistic;
  const { lookups } = await db
    .selectFrom("cache_events")
    .select(sql<number>`count(*)`.as("lookups"))
    .where(inScope(selection, "cache_events"))
    .where("layer", "=", "semantic")
    .where("op", "in", ["hit", "miss"])
    .executeTakeFirstOrThrow();
  const uncompared = Math.max(0, hits - classed);
  const figure = measured({
    method: "semantic.error_rate/1",
    evidence: "divergences",
    kind: "sample",
    count: wrong,
    of: lookups,
    nUnit: "lookups",
    coverage: { observed: Math.min(classed, hits), expected: hits },
    bounds: lookups === 0 ? null : [wrong / lookups, (wrong + uncompared) / lookups],
    blind,
    unseen: "not every semantic hit was compared",
    nothing: "no lookup in a semantic cache",
  });
  if (wrong > lookups) return withheld(figure, "invalid", "more wrong answers than lookups lie in this window");
  return classed === 0 && hits > 0 ? withheld(figure, "insufficient", "no served hit was classed") : figure;
}
