import { type Kysely, sql } from "kysely";
import type { Tables } from "../store/schema.js";
import { inScope, type Selection } from "../store/scope.js";
import { measured, type Value } from "./value.js";

/** One recipe, version and way of counting tokens; never mixed in one row. */
export interface Compression {
  recipe: string;
  version: string | null;
  /** Where the token counts come from; null when none of its compactions says. */
  countMethod: string | null;
  /** Compactions that took place: applied, or of unknown outcome (which are counted again in `indeterminate`). */
  compactions: number;
  indeterminate: number;
  failed: number;
  noop: number;
  /** Σ tokens after / Σ tokens before. */
  ratio: Value;
  /** Mean of the single ratios. */
  meanRatio: Value;
  /** Compactions that made the context larger, and those that saved less than 5 % (which include the former). */
  inflated: number;
  ineffective: number;
  /** Tokens saved by the compactions that the ratio rests on; negative when they grew the context. */
  tokensSaved: number | null;
}

/**
 * Compression by recipe: how much of the context was left after a compaction.
 *
 *     ratio      = Σ tokens after / Σ tokens before           (lower is smaller; above 1 the context grew)
 *     mean ratio = mean of (tokens after / tokens before)     (the typical compaction, however small)
 *
 * - Over applied compactions with both counts; those without are left out and counted in `coverage`.
 * - Failed ones, and those that found nothing to do, are counted apart and never averaged in.
 * - Rows are by recipe, version and method of counting: provider counts and estimates do not mix.
 * - `form` is `full`, or `micro` for the clearing of single tool results, which is a thing of its own.
 * - Says nothing about what was forgotten; see `retention.ts`.
 */
export async function compression(
  db: Kysely<Tables>,
  selection: Selection,
  form: "full" | "micro" = "full",
): Promise<Compression[]> {
  const rows = db
    .selectFrom("compactions")
    .select([
      "recipe",
      "recipe_version",
      "count_method",
      "outcome",
      "tokens_before as before",
      "tokens_after as after",
      sql<number>`outcome = 'applied' and tokens_before > 0 and tokens_after is not null`.as("told"),
    ])
    .where(inScope(selection, "compactions"))
    .where("form", "=", form);
  const sums = await db
    .selectFrom(rows.as("compaction"))
    .innerJoin("words as recipe_word", "recipe_word.id", "compaction.recipe")
    .leftJoin("words as version_word", "version_word.id", "compaction.recipe_version")
    .leftJoin("words as method_word", "method_word.id", "compaction.count_method")
    .select([
      "recipe_word.text as recipe",
      "version_word.text as version",
      "method_word.text as countMethod",
      total("outcome = 'applied'").as("applied"),
      total("outcome = 'indeterminate'").as("indeterminate"),
      total("outcome in ('failed', 'rejected_no_gain')").as("failed"),
      total("outcome in ('noop_below_budget', 'noop_nothing_to_cut', 'disabled')").as("noop"),
      total("told").as("told"),
      total("told * before").as("before"),
      total("told * after").as("after"),
      total("iif(told, after * 1.0 / before, 0)").as("ratios"),
      total("told and after > before").as("inflated"),
      total("told and after * 20 > before * 19").as("ineffective"),
    ])
    .groupBy(["recipe_word.text", "version_word.text", "method_word.text"])
    .orderBy("recipe_word.text")
    .orderBy("version_word.text")
    .orderBy("method_word.text")
    .execute();
  return withoutOrphans(sums).map(rowOf);
}

interface Sums {
  recipe: string;
  version: string | null;
  countMethod: string | null;
  applied: number;
  indeterminate: number;
  failed: number;
  noop: number;
  told: number;
  before: number;
  after: number;
  ratios: number;
  inflated: number;
  ineffective: number;
}

/** Compactions that name no way of counting, such as failed ones, join the recipe's row when it has only one. */
function withoutOrphans(rows: Sums[]): Sums[] {
  const kept: Sums[] = rows.map((row) => ({ ...row }));
  for (const orphan of kept.filter((row) => row.countMethod === null && row.told === 0)) {
    const siblings = kept.filter(
      (row) => row !== orphan && row.recipe === orphan.recipe && row.version === orphan.version,
    );
    const [only] = siblings;
    if (only === undefined || siblings.length > 1) continue;
    for (const name of ["applied", "indeterminate", "failed", "noop"] as const) only[name] += orphan[name];
    kept.splice(kept.indexOf(orphan), 1);
  }
  return kept;
}

function rowOf(sums: Sums): Compression {
  const { recipe, version, countMethod, applied, indeterminate, failed, noop, told, inflated, ineffective } = sums;
  const shared = {
    evidence: countMethod ?? "token counts",
    nUnit: "tokens",
    count: sums.after,
    of: sums.before,
    coverage: { observed: told, expected: applied + indeterminate },
    unseen: "compactions without both token counts",
    nothing: "no applied compaction with token counts",
  };
  return {
    recipe,
    version,
    countMethod,
    compactions: applied + indeterminate,
    indeterminate,
    failed,
    noop,
    ratio: measured({ ...shared, method: "compaction.ratio/1" }),
    meanRatio: measured({
      ...shared,
      method: "compaction.mean_ratio/1",
      value: told === 0 ? null : sums.ratios / told,
      count: told,
      of: told,
      nUnit: "compactions",
    }),
    inflated,
    ineffective,
    tokensSaved: told === 0 ? null : sums.before - sums.after,
  };
}

function total(expression: string) {
  return sql<number>`ifnull(sum(${sql.raw(expression)}), 0)`;
}
