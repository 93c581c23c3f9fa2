import type { Account } from "../ledger/account.js";
import { isWholeCost } from "../ledger/account.js";
import type { Usage } from "../ledger/usage.js";
import { isoOf, scopeJson } from "./moments.js";
import { usd } from "./money.js";

/** What `usage --json` prints: the values that the text is drawn from. Money is in US dollars, to the micro-dollar. */
export function usageJson(usage: Usage, store: string): Record<string, unknown> {
  const { firstAtMs, lastAtMs, newestAtMs, ...coverage } = usage.coverage;
  return {
    schemaVersion: 1,
    store,
    scope: scopeJson(usage.scope),
    timezone: usage.timezone,
    tab: usage.tab,
    by: usage.by,
    coverage: { firstAt: isoOf(firstAtMs), lastAt: isoOf(lastAtMs), newestAt: isoOf(newestAtMs), ...coverage },
    total: accountJson(usage.total),
    groups:
      usage.groups?.map(({ key, about, account }) => ({
        key,
        ...(about === null ? {} : about),
        ...accountJson(account),
      })) ?? null,
    activity: usage.activity,
    tools: usage.tools,
  };
}

/**
 * - `exact`: the whole cost of the requests.
 * - `at_least`: a floor; `missing` says what is not in it.
 * - `unknown`: no request has a price.
 * - `no_data`: no request.
 */
export type CostState = "exact" | "at_least" | "unknown" | "no_data";

export function costState(account: Account): CostState {
  if (account.requests === 0) return "no_data";
  if (account.basis.priced + account.basis.free === 0) return "unknown";
  return isWholeCost(account) ? "exact" : "at_least";
}

/** Shares of the prompt and of the cost; null without anything to divide by, or when no request tells of caching. */
export function sharesOf({ caching, cost }: Account): { read: number | null; saved: number | null } {
  return {
    read: caching.promptTokens === 0 ? null : caching.readTokens / caching.promptTokens,
    saved: cost.baseline === 0n || caching.requests === 0 ? null : 1 - usd(cost.picos) / usd(cost.baseline),
  };
}

function accountJson(account: Account) {
  const { requests, tokens, basis, cost, missing, assumed, caching, unpricedModels, unpricedServices, reported } =
    account;
  const state = costState(account);
  const isKnown = state === "exact" || state === "at_least";
  const known = (picos: bigint) => (isKnown ? usd(picos) : null);
  const told = (picos: bigint) => (caching.requests === 0 ? null : known(picos));
  const { read, saved } = sharesOf(account);
  return {
    requests,
    tokens,
    cost: {
      state,
      usd: state === "exact" ? usd(cost.picos) : null,
      atLeastUsd: known(cost.picos),
      uncachedUsd: known(cost.uncached),
      readUsd: known(cost.read),
      writeUsd: known(cost.write),
      outputUsd: known(cost.output),
      basis,
      missing,
      assumed,
      unpricedModels,
      unpricedServices,
    },
    baselineUsd: known(cost.baseline),
    /** Null also when no request tells of caching: what is not reported was not saved, nor not saved. */
    saving: {
      usd: told(cost.savedByReads - cost.paidForWrites),
      savedByReadsUsd: told(cost.savedByReads),
      paidForWritesUsd: told(cost.paidForWrites),
      ratio: saved,
    },
    caching: { ...caching, readRatio: read },
    reported: { usd: reported.requests === 0 ? null : usd(reported.picos), requests: reported.requests },
  };
}
