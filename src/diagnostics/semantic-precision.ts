import { type Kysely, sql } from "kysely";
import type { Tables } from "../store/schema.js";
import { inScope, type Selection } from "../store/scope.js";
import { wilson } from "./statistics.js";
import { measured, type Value, withheld } from "./value.js";
import { blindTo } from "./visibility.js";

export interface SemanticPrecision extends Value {
  classes: { trivial: number; stylistic: number; substantive: number; contradictory: number; unclassified: number };
}

/** Fewer classified divergences than this give counts and bounds, but no value. */
const ENOUGH = 10;

/**
 * Semantic-cache precision: of the cached answers that were compared with a fresh one, those that differ trivially or in
 * style only.
 *
 *     precision = (trivial + stylistic) / (trivial + stylistic + substantive + contradictory)     (0..1, higher is better)
 *
 * - `unclassified` is not classed: never counted as acceptable, not in the denominator.
 * - The 95 % interval (Wilson) is given only when every comparison was drawn at random or by strata.
 * - `bounds` need no assumption: with N served semantic hits, n classed and k acceptable, the truth lies in
 *   [k/N, (k + N − n)/N]. `coverage` is n of N.
 * - Fewer than 10 classed: insufficient; counts and bounds are shown, the value is not.
 * - This is not the error rate of a cache, which is false hits out of all lookups (see `semantic.error_rate`).
 */
export async function semanticPrecision(db: Kysely<Tables>, selection: Selection): Promise<SemanticPrecision> {
  const { classes, hits, drawn, blind } = await comparisons(db, selection);
  const acceptable = classes.trivial + classes.stylistic;
  const classed = acceptable + classes.substantive + classes.contradictory;
  const figure = {
    ...measured({
      method: "semantic.precision/1",
      evidence: "divergences",
      kind: "sample",
      count: acceptable,
      of: classed,
      nUnit: "divergences",
      coverage: { observed: classed, expected: Math.max(hits, classed) },
      ci: drawn ? wilson(acceptable, classed) : null,
      bounds: hits < classed || hits === 0 ? null : [acceptable / hits, (acceptable + hits - classed) / hits],
      blind,
      unseen: "not every semantic hit was compared",
      nothing: "no semantic hit and no classed divergence",
    }),
    classes,
  };
  if (classed >= ENOUGH || hits + classed + classes.unclassified === 0) return figure;
  return withheld(figure, "insufficient", `${classed} classed, at least ${ENOUGH} are needed`);
}

/** Classes of the divergences in scope, and the served semantic hits they were drawn from. */
export async function comparisons(db: Kysely<Tables>, selection: Selection) {
  const rows = await db
    .selectFrom("divergences")
    .leftJoin("words", "words.id", "divergences.sampling")
    .select([
      "class",
      sql<number>`count(*)`.as("times"),
      sql<number>`ifnull(sum(ifnull(words.text, '') in ('random', 'stratified')), 0)`.as("drawn"),
    ])
    .where(inScope(selection, "divergences"))
    .groupBy("class")
    .execute();
  const times = (name: string) => rows.find((row) => row.class === name)?.times ?? 0;
  const hits = await db
    .selectFrom("cache_events")
    .select(sql<number>`count(*)`.as("served"))
    .where(inScope(selection, "cache_events"))
    .where("layer", "=", "semantic")
    .where("served", "=", 1)
    .executeTakeFirstOrThrow();
  return {
    classes: {
      trivial: times("trivial"),
      stylistic: times("stylistic"),
      substantive: times("substantive"),
      contradictory: times("contradictory"),
      unclassified: times("unclassified"),
    },
    hits: hits.served,
    drawn: rows.length > 0 && rows.every((row) => row.drawn === row.times || row.class === "unclassified"),
    blind: rows.length > 0 || hits.served > 0 ? null : await blindTo(db, selection, "divergences"),
  };
}
