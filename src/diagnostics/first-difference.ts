import { type Kysely, sql } from "kysely";
import type { Tables } from "../store/schema.js";

/** The first segment in which two layouts differ: its kind, and its position from 1. */
export interface Difference {
  segmentKind: string;
  position: number;
}

/**
 * Compares two layouts, each named by its last segment. Null when one of them was not recorded, or when they do not
 * differ. Where one layout ends, the other's next segment is the difference.
 */
export async function differenceBetween(
  db: Kysely<Tables>,
  before: number | null,
  after: number | null,
): Promise<Difference | null> {
  if (before === null || after === null) return null;
  const [old, now] = [await segmentsOf(db, before), await segmentsOf(db, after)];
  const at = now.findIndex(({ id }, position) => old[position]?.id !== id);
  const differing = at === -1 ? old[now.length] : now[at];
  if (differing === undefined) return null;
  return { segmentKind: differing.kind, position: (at === -1 ? now.length : at) + 1 };
}

/** Segments in wire order. Equal prefixes share rows, so equal ids mean equal content so far. */
async function segmentsOf(db: Kysely<Tables>, tip: number): Promise<{ id: number; kind: string }[]> {
  const rows = await db
    .withRecursive("chain", (cte) =>
      cte
        .selectFrom("segments")
        .select(["segments.id", "segments.parent", "segments.kind", sql<number>`0`.as("depth")])
        .where("segments.id", "=", tip)
        .unionAll((eb) =>
          eb
            .selectFrom("segments")
            .innerJoin("chain", "chain.parent", "segments.id")
            .select(["segments.id", "segments.parent", "segments.kind", sql<number>`chain.depth + 1`.as("depth")]),
        ),
    )
    .selectFrom("chain")
    .innerJoin("words", "words.id", "chain.kind")
    .select(["chain.id", "words.text as kind"])
    .orderBy("chain.depth", "desc")
    .execute();
  return rows;
}
