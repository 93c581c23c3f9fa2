import { type Kysely, sql } from "kysely";
import type { Tables } from "../store/schema.js";
import type { Selection } from "../store/scope.js";
import { transitionsOf } from "./transitions.js";
import { measured, type Value } from "./value.js";
import { whyUnseen } from "./visibility.js";

export interface PrefixChurn extends Value {
  changes: number;
  /** Changes for which no reason was recorded. */
  undeclared: number;
  /** Changes in which the same segments only stand in another order. */
  reorderedOnly: number;
  /** Transitions that cannot be compared: a shell is not known, or the digests are of different algorithms. */
  unknown: number;
}

/**
 * Prefix churn: how often the shell (system, developer, steering and tool segments in wire order) changed from one
 * request to the next.
 *
 *     churn = transitions whose shell digest changed / transitions with both digests known      (0..1, lower is better)
 *
 * - Per lane, then summed: a subagent between two requests of the parent changes nothing.
 * - A transition belongs to the window of its later request; its predecessor may lie outside.
 * - A change of the model is a change with a declared reason. Parameters have a digest of their own.
 * - A digest missing on either side makes the transition unknown: left out and counted.
 * - Structure only: it does not say whether the provider's cache was hit, nor what a change cost.
 */
export async function prefixChurn(db: Kysely<Tables>, selection: Selection): Promise<PrefixChurn> {
  const sum = await db
    .selectFrom(transitionsOf(db, selection).as("transition"))
    .select([
      sql<number>`count(*)`.as("all"),
      sql<number>`ifnull(sum(known), 0)`.as("known"),
      sql<number>`ifnull(sum(changed), 0)`.as("changes"),
      sql<number>`ifnull(sum(changed and declared is null), 0)`.as("undeclared"),
      sql<number>`ifnull(sum(reordered), 0)`.as("reordered"),
    ])
    .executeTakeFirstOrThrow();
  return {
    ...measured({
      method: "prefix.churn/1",
      evidence: "shell digests",
      count: sum.changes,
      of: sum.known,
      nUnit: "transitions",
      coverage: { observed: sum.known, expected: sum.all },
      unseen: (await whyUnseen(db, selection, "shell_digests")) ?? "requests without a shell digest",
      nothing: "no lane with two requests",
    }),
    changes: sum.changes,
    undeclared: sum.undeclared,
    reorderedOnly: sum.reordered,
    unknown: sum.all - sum.known,
  };
}
