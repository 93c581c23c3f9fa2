import type { Account } from "../ledger/account.js";
import type { Usage } from "../ledger/usage.js";
import { clean } from "./clean.js";
import { csv } from "./csv.js";
import { usd } from "./money.js";
import { costState } from "./usage-json.js";

const HEAD = [
  "group",
  "requests",
  "uncachedTokens",
  "readTokens",
  "write5mTokens",
  "write1hTokens",
  "writeUnsplitTokens",
  "outputTokens",
  "costUsd",
  "costState",
  "baselineUsd",
  "savedByReadsUsd",
  "paidForWritesUsd",
  "reportedUsd",
  "unpricedRequests",
  "unpricedModels",
];
const TOOL_HEAD = ["name", "server", "calls", "failed", "judged", "resultBytes", "results", "p50Ms", "p95Ms", "maxMs"];

/** What `usage --csv` prints: one line per group, or per tool. There is no line for the sum. */
export function usageCsv({ groups, tools }: Usage): string {
  if (groups === null) {
    const rows = (tools ?? []).map(({ name, server, durationMs, ...use }) => [
      clean(name ?? ""),
      clean(server ?? ""),
      ...[use.calls, use.failed, use.judged, use.resultBytes, use.results],
      ...[durationMs?.p50 ?? null, durationMs?.p95 ?? null, durationMs?.max ?? null],
    ]);
    return csv([TOOL_HEAD, ...rows]);
  }
  return csv([HEAD, ...groups.map(({ key, account }) => [clean(key ?? ""), ...figures(account)])]);
}

function figures(account: Account): (string | number | null)[] {
  const { requests, tokens, basis, cost, unpricedModels, reported } = account;
  const state = costState(account);
  const known = (picos: bigint) => (state === "exact" || state === "at_least" ? usd(picos) : null);
  const told = (picos: bigint) => (account.caching.requests === 0 ? null : known(picos));
  return [
    requests,
    ...[tokens.uncached, tokens.read, tokens.write5m, tokens.write1h, tokens.writeUnsplit, tokens.output],
    known(cost.picos),
    state,
    ...[known(cost.baseline), told(cost.savedByReads), told(cost.paidForWrites)],
    reported.requests === 0 ? null : usd(reported.picos),
    basis.unpriced,
    unpricedModels.map(({ model }) => clean(model ?? "")).join(" "),
  ];
}
