import { type Cause, PROVIDER } from "./causes.js";

/** How often what we draw from usage agrees with what the provider says of the same miss. */
export interface Agreement {
  /** Misses for which the provider named a change. */
  compared: number;
  agreed: number;
  /** Null when there is nothing to compare, or when the provider named one class only: a constant would score the same. */
  rate: number | null;
  /** Cohen's kappa under the same conditions: agreement beyond chance. */
  kappa: number | null;
  /** What we drew against what the provider said, and how often. */
  table: { drawn: Cause; provider: Cause; requests: number }[];
}

/** Compares for every miss with a provider's reason. `usageCause` is what usage alone would have said. */
export function agreementOf(misses: { providerReason: string | null; usageCause: Cause }[]): Agreement {
  const rows = misses.flatMap(({ providerReason, usageCause }) => {
    const provider = providerReason === null ? undefined : PROVIDER.get(providerReason);
    return provider === undefined ? [] : [{ drawn: usageCause, provider }];
  });
  const table = new Map<string, { drawn: Cause; provider: Cause; requests: number }>();
  for (const row of rows) {
    const key = `${row.drawn} ${row.provider}`;
    const cell = table.get(key) ?? { ...row, requests: 0 };
    table.set(key, { ...cell, requests: cell.requests + 1 });
  }
  const agreed = rows.filter(({ drawn, provider }) => drawn === provider).length;
  const classes = new Set(rows.map(({ provider }) => provider));
  const rate = classes.size < 2 ? null : agreed / rows.length;
  const cells = [...table.values()].sort((a, b) => b.requests - a.requests);
  return { compared: rows.length, agreed, rate, kappa: rate === null ? null : kappaOf(rows, rate), table: cells };
}

function kappaOf(rows: { drawn: Cause; provider: Cause }[], rate: number): number | null {
  const share = (side: "drawn" | "provider", cause: Cause) =>
    rows.filter((row) => row[side] === cause).length / rows.length;
  const causes = [...new Set(rows.flatMap(({ drawn, provider }) => [drawn, provider]))];
  const chance = causes.reduce((sum, cause) => sum + share("drawn", cause) * share("provider", cause), 0);
  return chance === 1 ? null : (rate - chance) / (1 - chance);
}
