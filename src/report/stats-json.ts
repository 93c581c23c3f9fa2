import type { Group, Stats } from "../diagnostics/stats.js";
import type { TtlShare } from "../diagnostics/ttl-mix.js";
import type { Avoidable } from "../gate/avoidable.js";
import { avoidableJson } from "./avoidable.js";
import { missesJson } from "./misses.js";
import { isoOf, scopeJson } from "./moments.js";

/** What `context stats --json` prints: the values that the text is drawn from. */
export function statsJson(stats: Stats, store: string, spend: Avoidable): Record<string, unknown> {
  const { firstAtMs, lastAtMs, ...coverage } = stats.coverage;
  return {
    schemaVersion: 1,
    store,
    scope: scopeJson(stats.scope),
    coverage: {
      firstAt: isoOf(firstAtMs),
      lastAt: isoOf(lastAtMs),
      newestAt: isoOf(stats.newestAtMs),
      ...coverage,
    },
    ...figuresJson(stats),
    avoidable: avoidableJson(spend),
    ttlMix: stats.ttlMix.versions.map(ttlJson),
    ttlFalls: stats.ttlMix.falls,
    ttlDays: stats.ttlMix.days?.map(ttlJson) ?? null,
    groups:
      stats.groups === null
        ? null
        : {
            by: stats.groups.by,
            remainder: stats.groups.remainder,
            rows: stats.groups.rows.map((group) => ({ key: group.key, ...figuresJson(group) })),
          },
  };
}

function ttlJson<Share extends TtlShare>({ firstAtMs, ...share }: Share) {
  return { ...share, firstAt: isoOf(firstAtMs) };
}

function figuresJson({ totals, metrics, recipes, microcompactions }: Omit<Group, "key">) {
  const { leaks, ...scan } = metrics["cache.leaks"];
  const { missed, causes, expected } = missesJson(metrics["cache.misses"]);
  const listed = leaks.map(({ atMs, ...leak }) => ({ ...leak, at: isoOf(atMs) }));
  return {
    totals,
    metrics: { ...metrics, "cache.misses": missed, "cache.leaks": { ...scan, leaks: listed } },
    recipes,
    microcompactions,
    misses: causes,
    expectedMisses: expected,
  };
}
