import type { Kysely } from "kysely";
import { type PriceBook, priceBook } from "../pricing/book.js";
import type { Tables } from "../store/schema.js";
import type { Selection } from "../store/scope.js";
import { type Compression, compression } from "./compression.js";
import { judgedCompactions } from "./judgments.js";
import { type Payback, payback, paybackFigure } from "./payback.js";
import { type Retention, retention, retentionByJudge } from "./retention.js";
import { type Rework, rework, reworkFigure } from "./rework.js";
import { thrash } from "./thrash.js";

/** What one way of compacting cost and kept. */
export interface Recipe extends Compression, Retention {
  /** Every judge apart, when more than one judged. */
  judges: Retention[];
  rework: Rework;
  payback: Payback;
  /** Runs of three or more compactions with fewer than four turns between, and the compactions in them. */
  thrash: { runs: number; compactions: number };
}

/** One row per recipe, version and way of counting tokens. */
export async function recipeTable(
  db: Kysely<Tables>,
  selection: Selection,
  { floor, judge, prices }: { floor: number; judge?: string | undefined; prices?: PriceBook | undefined },
): Promise<Recipe[]> {
  const rows = await compression(db, selection);
  if (rows.length === 0) return [];
  const compactions = await judgedCompactions(db, selection);
  const redone = await rework(db, selection);
  const paid = await payback(db, selection, prices ?? priceBook());
  const runs = await thrash(db, selection);
  return rows.map((row) => {
    const alone = rows.filter((other) => sameRecipe(row, other)).length === 1;
    const isOwn = (compaction: Named & { countMethod: string | null }) =>
      sameRecipe(row, compaction) && (alone || row.countMethod === compaction.countMethod);
    const own = compactions.filter(isOwn);
    const columns = retentionByJudge(own, floor);
    return {
      ...row,
      ...retention(own, floor, judge),
      judges: columns.length > 1 ? columns : [],
      rework: reworkFigure(redone.filter(({ compaction }) => isOwn(compaction))),
      payback: paybackFigure(paid.filter(({ compaction }) => isOwn(compaction))),
      thrash: {
        runs: runs.filter(({ compactions }) => compactions.some(isOwn)).length,
        compactions: runs.flatMap(({ compactions }) => compactions.filter(isOwn)).length,
      },
    };
  });
}

type Named = { recipe: string; version: string | null };

function sameRecipe(a: Named, b: Named): boolean {
  return a.recipe === b.recipe && a.version === b.version;
}
