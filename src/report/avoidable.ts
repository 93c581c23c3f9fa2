import { counted, figure, grouped } from "../diagnostics/figure.js";
import type { Simulated, WhatIf } from "../diagnostics/misses/what-if.js";
import type { Avoidable, AvoidableBy } from "../gate/avoidable.js";
import { dollars, usd } from "./money.js";
import { type Cell, columns, type Page } from "./page.js";
import { costState } from "./usage-json.js";

/** What was paid again, of which bill, by who could have prevented it; nothing where nothing was missed. */
export function avoidableLines(spend: Avoidable, page: Page): string {
  const { by, bill, coverage, value } = spend;
  if (by.length === 0) return "";
  const least = costState(bill) === "at_least" ? "≥ " : "";
  const paid =
    value === null
      ? "the bill is not known"
      : `of ${least}${dollars(bill.cost.picos)}; rests on ${grouped(coverage.observed)} of ${counted(coverage.expected, "request")} with a price`;
  const row = (name: string, sum: Omit<AvoidableBy, "actor" | "requests" | "causes">, more: string): Cell[] => [
    name,
    { text: costText(sum), right: true },
    { text: sum.share === null ? "–" : percent(sum.share), right: true },
    { text: `${grouped(sum.lostTokens)} tokens`, right: true },
    more,
  ];
  const all = { ...spend, share: value, costMicros: spend.count };
  return columns(page, [
    row("all", all, paid),
    ...by.map((one) => row(one.actor, one, one.causes.join(", ").replaceAll("_", " "))),
  ]);
}

/** Always both, cost and ratio: a better ratio can cost more. */
export function whatIfLines({ actual, hourLong, keptWarm, reason }: WhatIf, page: Page): string {
  if (actual === null || hourLong === null || keptWarm === null) return columns(page, [[`not simulated: ${reason}`]]);
  const row = (name: string, { costMicros, readTokens, promptTokens }: Simulated): Cell[] => [
    name,
    { text: dollars(picosOf(costMicros)), right: true },
    `read ratio ${promptTokens === 0 ? "–" : figure(readTokens / promptTokens)}`,
  ];
  return columns(page, [
    row("input as it was", actual),
    row("every entry kept for an hour", hourLong),
    row("kept warm through pauses of up to an hour", keptWarm),
  ]);
}

/** The envelope, and both sums in dollars. */
export function avoidableJson({ bill, by, whatIf, ...value }: Avoidable) {
  const state = costState(bill);
  const known = state === "exact" || state === "at_least";
  return {
    ...value,
    usd: value.value === null ? null : value.count / 1e6,
    by: by.map(({ costMicros, ...one }) => ({ ...one, usd: one.share === null ? null : costMicros / 1e6 })),
    bill: {
      state,
      usd: state === "exact" ? usd(bill.cost.picos) : null,
      atLeastUsd: known ? usd(bill.cost.picos) : null,
    },
    whatIf,
  };
}

function costText({
  costMicros,
  unpricedTokens,
  lostTokens,
}: Pick<AvoidableBy, "costMicros" | "unpricedTokens" | "lostTokens">): string {
  if (unpricedTokens === lostTokens) return "–";
  return `${unpricedTokens > 0 ? "≥ " : ""}${dollars(picosOf(costMicros))}`;
}

function picosOf(micros: number): bigint {
  return BigInt(Math.round(micros * 1_000)) * 1_000n;
}

function percent(share: number): string {
  return `${(share * 100).toFixed(1)} %`;
}
