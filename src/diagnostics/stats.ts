import type { Kysely } from "kysely";
import { type PriceBook, priceBook } from "../pricing/book.js";
import { newestMs } from "../store/newest.js";
import type { Tables } from "../store/schema.js";
import { type Scope, type Selection, select } from "../store/scope.js";
import { type CacheHitRate, cacheHitRate } from "./cache-hit-rate.js";
import { type Compression, compression } from "./compression.js";
import { type CoverageReport, coverage } from "./coverage.js";
import { type DayOf, type Grouping, groupsOf } from "./groups.js";
import { type CacheMisses, cacheMisses } from "./misses/cache-misses.js";
import { type PrefixChurn, prefixChurn } from "./prefix-churn.js";
import { type ReadRatio, readRatio } from "./read-ratio.js";
import { type Recipe, recipeTable } from "./recipes.js";
import { semanticErrorRate } from "./semantic-error-rate.js";
import { type SemanticPrecision, semanticPrecision } from "./semantic-precision.js";
import { inSnapshot } from "./snapshot.js";
import { type TenantLeaks, tenantLeaks } from "./tenant-leaks.js";
import { type Totals, totals } from "./totals.js";
import { type TtlMix, ttlMix } from "./ttl-mix.js";
import type { Value } from "./value.js";
import { writeAmplification } from "./write-amplification.js";

interface Metrics {
  "cache.hit_rate": CacheHitRate;
  "cache.read_ratio": ReadRatio;
  "prefix.churn": PrefixChurn;
  "semantic.precision": SemanticPrecision;
  "semantic.error_rate": Value;
  "cache.misses": CacheMisses;
  "cache.write_amplification": Value;
  "cache.leaks": TenantLeaks;
}

/** Every figure of one scope. */
export interface Figures {
  totals: Totals;
  metrics: Metrics;
  recipes: Recipe[];
  /** Clearings of single tool results; judged by nobody. */
  microcompactions: Compression[];
}

export interface Stats extends Figures {
  scope: Scope;
  coverage: CoverageReport;
  /** Where the rest of the scope ends, when the window holds nothing of it; else null. */
  newestAtMs: number | null;
  /** Lifetimes of cache writes by client version; by day too when the report is. */
  ttlMix: TtlMix;
  /** Null when no grouping was asked for, and by recipe, which is the table `recipes`. */
  groups: { by: Grouping; rows: Group[]; remainder: Remainder } | null;
}

/** The figures of one part of the scope. */
export interface Group extends Figures {
  key: string;
}

/**
 * What the whole holds beyond the sum of the groups: it belongs to none, such as requests without a model. Negative
 * where things are in several, such as turns that used two models.
 */
export type Remainder = Record<"turns" | "requests" | "toolCalls" | "compactions" | "outputTokens", number>;

export interface StatsOptions {
  /** Retention below this is counted as below; 0.70 unless said otherwise. */
  floor: number;
  judge?: string | undefined;
  by?: Grouping | undefined;
  /** The local day that a moment lies in. */
  dayOf: DayOf;
  /** What missed tokens cost; the shipped prices unless others are given. */
  prices?: PriceBook | undefined;
}

/** All of `context stats`, on one state of the store. */
export function contextStats(db: Kysely<Tables>, scope: Scope, options: StatsOptions): Promise<Stats> {
  return inSnapshot(db, async (db) => {
    const selection = await select(db, scope);
    const whole = await figures(db, selection, options);
    return {
      scope,
      coverage: await coverage(db, selection),
      newestAtMs: isMeasured(whole) ? null : await newestMs(db, selection),
      ttlMix: await ttlMix(db, selection, options.by === "day" ? options.dayOf : null),
      ...whole,
      groups:
        options.by === undefined || options.by === "recipe"
          ? null
          : await grouped(db, selection, options.by, options, whole),
    };
  });
}

/** True when the scope holds anything at all. */
export function isMeasured({ totals: { sessions } }: Figures): boolean {
  return sessions > 0;
}

async function figures(db: Kysely<Tables>, selection: Selection, options: StatsOptions): Promise<Figures> {
  return {
    totals: await totals(db, selection),
    metrics: {
      "cache.hit_rate": await cacheHitRate(db, selection),
      "cache.read_ratio": await readRatio(db, selection),
      "prefix.churn": await prefixChurn(db, selection),
      "semantic.precision": await semanticPrecision(db, selection),
      "semantic.error_rate": await semanticErrorRate(db, selection),
      "cache.misses": await cacheMisses(db, selection, options.prices ?? priceBook()),
      "cache.write_amplification": await writeAmplification(db, selection),
      "cache.leaks": await tenantLeaks(db, selection),
    },
    recipes: await recipeTable(db, selection, options),
    microcompactions: await compression(db, selection, "micro"),
  };
}

async function grouped(
  db: Kysely<Tables>,
  selection: Selection,
  by: Grouping,
  options: StatsOptions,
  whole: Figures,
): Promise<Stats["groups"]> {
  const rows: Group[] = [];
  for (const { key, part } of await groupsOf(db, selection, by, options.dayOf)) {
    rows.push({ key, ...(await figures(db, part, options)) });
  }
  const left = (of: (figures: Figures) => number) => of(whole) - rows.reduce((sum, row) => sum + of(row), 0);
  const remainder: Remainder = {
    turns: left(({ totals }) => totals.turns),
    requests: left(({ totals }) => totals.requests),
    toolCalls: left(({ totals }) => totals.toolCalls),
    compactions: left(({ totals }) => totals.compactions),
    outputTokens: left(({ totals }) => totals.tokens.output ?? 0),
  };
  return { by, rows, remainder };
}
