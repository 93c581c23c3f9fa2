import type { CacheMisses, CauseSum } from "../diagnostics/misses/cache-misses.js";
import type { Actor } from "../diagnostics/misses/causes.js";
import { againstTheRules, type WhatIf, whatIf } from "../diagnostics/misses/what-if.js";
import { inSnapshot } from "../diagnostics/snapshot.js";
import { contextStats, type Stats, type StatsOptions } from "../diagnostics/stats.js";
import { measured, type Value } from "../diagnostics/value.js";
import type { Account } from "../ledger/account.js";
import { bill } from "../ledger/bill.js";
import type { Store } from "../store/open.js";
import { type Scope, select } from "../store/scope.js";

/** What one of those who can act could have prevented. */
export interface AvoidableBy {
  actor: Actor;
  causes: string[];
  requests: number;
  lostTokens: number;
  /** Lost tokens whose model has no price: not in the cost. */
  unpricedTokens: number;
  costMicros: number;
  /** Of the bill; null when nothing is priced. */
  share: number | null;
}

export interface Avoidable extends Value {
  lostTokens: number;
  unpricedTokens: number;
  by: AvoidableBy[];
  bill: Account;
  whatIf: WhatIf;
}

/**
 * Avoidable spend: what was paid again after missed caches, as a share of the bill.
 *
 *     avoidable = Σ cost of unexpected losses / Σ cost        (share of money, lower is better; in microdollars)
 *
 * - By who can act: the user (pauses, switching), the harness (tools, instructions, history), the provider (what
 *   nothing explains). Losses after a compaction are expected and in neither.
 * - Both sums are over priced requests; a model without a price adds to neither, and is counted on both sides.
 * - The bill is at list price. A service tier is priced in the bill and not in the losses.
 * - Avoidable if nothing else had changed; whether it was worth avoiding, the what-ifs tell.
 */
function avoidable(misses: CacheMisses, total: Account, simulated: WhatIf): Avoidable {
  const paidMicros = Number(total.cost.picos / 1_000_000n);
  const priced = total.basis.priced + total.basis.free;
  const isTold = misses.state !== "not_reported";
  const actors = [...new Set(misses.causes.map(({ actor }) => actor))];
  const by = actors.map((actor) => summed(actor, misses.causes, paidMicros));
  const lost = (name: "lostTokens" | "unpricedTokens" | "costMicros") => by.reduce((sum, one) => sum + one[name], 0);
  return {
    ...measured({
      method: "cache.avoidable/1",
      evidence: `${misses.evidence}, list prices`,
      count: Math.round(lost("costMicros")),
      of: isTold ? paidMicros : 0,
      nUnit: "microdollars",
      coverage: { observed: isTold ? priced : 0, expected: total.requests },
      blind: isTold ? null : misses.reason,
      unseen: priced === 0 ? "no request has a price" : "some requests have no price",
      nothing: "nothing was paid",
    }),
    lostTokens: lost("lostTokens"),
    unpricedTokens: lost("unpricedTokens"),
    by: by.sort((a, b) => b.costMicros - a.costMicros || b.lostTokens - a.lostTokens),
    bill: total,
    whatIf: simulated,
  };
}

/** All that `context stats` shows, on one state of the store. */
export function statsAndAvoidable(
  db: Store["db"],
  scope: Scope,
  options: StatsOptions,
): Promise<{ stats: Stats; spend: Avoidable }> {
  return inSnapshot(db, async (db) => {
    const stats = await contextStats(db, scope, options);
    const selection = await select(db, scope);
    const misses = stats.metrics["cache.misses"];
    const simulated =
      misses.violations > 0 ? againstTheRules(misses.violations) : await whatIf(db, selection, options.prices);
    const spend = avoidable(misses, await bill(db, selection, options.prices), simulated);
    return { stats, spend };
  });
}

function summed(actor: Actor, causes: CauseSum[], paidMicros: number): AvoidableBy {
  const own = causes.filter((sum) => sum.actor === actor);
  const total = (name: "requests" | "lostTokens" | "unpricedTokens" | "costMicros") =>
    own.reduce((sum, cause) => sum + cause[name], 0);
  const costMicros = total("costMicros");
  return {
    actor,
    causes: own.map(({ cause }) => cause),
    requests: total("requests"),
    lostTokens: total("lostTokens"),
    unpricedTokens: total("unpricedTokens"),
    costMicros,
    share: paidMicros === 0 ? null : costMicros / paidMicros,
  };
}
