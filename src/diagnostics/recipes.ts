import type { Kysely } from "kysely";
import type { Tables } from "../store/schema.js";
import type { Selection } from "../store/scope.js";
import { type Compression, compression } from "./compression.js";
import { judgedCompactions } from "./judgments.js";
import { type Retention, retention, retentionByJudge } from "./retention.js";

/** What one way of compacting cost and kept. */
export interface Recipe extends Compression, Retention {
  /** Every judge apart, when more than one judged. */
  judges: Retention[];
}

/** One row per recipe, version and way of counting tokens. */
export async function recipeTable(
  db: Kysely<Tables>,
  selection: Selection,
  { floor, judge }: { floor: number; judge?: string | undefined },
): Promise<Recipe[]> {
  const rows = await compression(db, selection);
  const compactions = await judgedCompactions(db, selection);
  return rows.map((row) => {
    const alone = rows.filter((other) => sameRecipe(row, other)).length === 1;
    const own = compactions.filter(
      (compaction) => sameRecipe(row, compaction) && (alone || row.countMethod === compaction.countMethod),
    );
    const columns = retentionByJudge(own, floor);
    return { ...row, ...retention(own, floor, judge), judges: columns.length > 1 ? columns : [] };
  });
}

type Named = { recipe: string; version: string | null };

function sameRecipe(a: Named, b: Named): boolean {
  return a.recipe === b.recipe && a.version === b.version;
}
