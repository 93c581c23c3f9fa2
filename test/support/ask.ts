/** One question about a made-up history: the store is made, asked and removed. */
import type { Kysely } from "kysely";
import type { CheckId, CheckOptions, CheckResult } from "../../src/diagnostics/checks/check.js";
import { checkSession, type SessionVerdict } from "../../src/diagnostics/checks/session.js";
import { contextStats, type Stats, type StatsOptions } from "../../src/diagnostics/stats.js";
import type { SessionEvent } from "../../src/events/event.js";
import { type Avoidable, statsAndAvoidable } from "../../src/gate/avoidable.js";
import type { Tables } from "../../src/store/schema.js";
import { type Scope, type Selection, select } from "../../src/store/scope.js";
import { DAY, NOON } from "./events.js";
import { storeOf } from "./store.js";

/** Answer of one metric over the scope. */
export async function ask<T>(
  events: SessionEvent[],
  scope: Scope,
  metric: (db: Kysely<Tables>, selection: Selection) => Promise<T>,
): Promise<T> {
  const store = storeOf(...events);
  try {
    return await metric(store.db, await select(store.db, scope));
  } finally {
    store.cleanup();
  }
}

export async function stats(
  events: SessionEvent[],
  scope: Scope = {},
  options: Partial<StatsOptions> = {},
): Promise<Stats> {
  const store = storeOf(...events);
  try {
    return await contextStats(store.db, scope, { ...PLAIN_STATS, ...options });
  } finally {
    store.cleanup();
  }
}

/** The same with what it cost. */
export async function statsWithSpend(
  events: SessionEvent[],
  scope: Scope = {},
  options: Partial<StatsOptions> = {},
): Promise<{ stats: Stats; spend: Avoidable }> {
  const store = storeOf(...events);
  try {
    return await statsAndAvoidable(store.db, scope, { ...PLAIN_STATS, ...options });
  } finally {
    store.cleanup();
  }
}

export async function verdict(
  events: SessionEvent[],
  options: Partial<CheckOptions> = {},
  scope: Scope = {},
): Promise<SessionVerdict> {
  const store = storeOf(...events);
  try {
    return await checkSession(store.db, { session: "s1", ...scope }, { ...PLAIN, ...options });
  } finally {
    store.cleanup();
  }
}

export async function check(
  id: CheckId,
  events: SessionEvent[],
  options: Partial<CheckOptions> = {},
): Promise<CheckResult> {
  return (await verdict(events, options)).checks.find((result) => result.id === id)!;
}

export const PLAIN: CheckOptions = {
  floor: 0.7,
  allowUnjudged: false,
  allowLostConstraints: false,
  strictDeclared: false,
  require: [],
  nowMs: NOON,
};

export const PLAIN_STATS: StatsOptions = {
  floor: 0.7,
  dayOf: (atMs) => {
    const sinceMs = Math.floor(atMs / DAY) * DAY;
    return { key: new Date(sinceMs).toISOString().slice(0, 10), sinceMs, untilMs: sinceMs + DAY };
  },
};
