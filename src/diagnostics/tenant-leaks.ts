import { type Kysely, sql } from "kysely";
import { hexOf } from "../events/identity.js";
import type { Tables } from "../store/schema.js";
import { inScope, type Selection, without } from "../store/scope.js";
import { noneSeenBound } from "./statistics.js";
import { measured, type Value } from "./value.js";
import { blindTo } from "./visibility.js";

/** One answer that was served from another tenant's entry. */
export interface Leak {
  eventId: string;
  atMs: number | null;
  session: string;
  lane: string | null;
  layer: string;
  readerTenant: string;
  entryTenant: string;
  source: string;
  line: number | null;
}

export interface TenantLeaks extends Value {
  /** Served hits of which the reader's or the entry's tenant is not known. */
  unknown: number;
  /** Cache keys under which more than one tenant stored an entry. */
  sharedKeys: number;
  /** Served hits whose entry was written under another shell: the answer to another context. */
  crossContext: number;
  /** The first ones, in order of time; `count` is the whole number. */
  leaks: Leak[];
}

const LISTED = 100;

/**
 * Tenant leak scan: answers served from a local cache entry that another tenant had written.
 *
 *     leak rate = served hits whose entry is another tenant's / served hits with both tenants known     (0 is the aim)
 *
 * - All local layers. Found but not served is no leak.
 * - Hits with an unknown tenant on either side are counted as not telling.
 * - No leak among n hits: the interval is [0, 1 − 0.05^(1/n)], what n clean hits still allow.
 * - `sharedKeys` counts keys stored under two tenants in the scope: a key that lacks the tenant, waiting to leak.
 * - `crossContext` counts served hits whose entry was written under other instructions or tools than the reader's.
 * - Not an access control: it sees what was recorded.
 */
export async function tenantLeaks(db: Kysely<Tables>, selection: Selection): Promise<TenantLeaks> {
  const hits = db
    .selectFrom("cache_events")
    .where(inScope(selection, "cache_events"))
    .where("cache_events.served", "=", 1);
  const sum = await hits
    .select([
      sql<number>`count(*)`.as("hits"),
      sql<number>`ifnull(sum(tenant is not null and entry_tenant is not null), 0)`.as("told"),
      sql<number>`ifnull(sum(tenant <> entry_tenant), 0)`.as("leaks"),
      sql<number>`ifnull(sum(shell_digest <> entry_shell_digest), 0)`.as("crossContext"),
    ])
    .executeTakeFirstOrThrow();
  const keys = await db
    .selectFrom((eb) =>
      eb
        .selectFrom("cache_events")
        .select("key_digest")
        .where(inScope(without(selection, "tenant"), "cache_events"))
        .where("op", "=", "store")
        .where("key_digest", "is not", null)
        .groupBy("key_digest")
        .having(sql<number>`count(distinct tenant)`, ">", 1)
        .as("shared"),
    )
    .select(sql<number>`count(*)`.as("shared"))
    .executeTakeFirstOrThrow();
  const clean = sum.told > 0 && sum.leaks === 0;
  return {
    ...measured({
      method: "cache.leaks/1",
      evidence: "local cache events",
      count: sum.leaks,
      of: sum.told,
      nUnit: "hits",
      coverage: { observed: sum.told, expected: sum.hits },
      ci: clean ? [0, noneSeenBound(sum.told)] : null,
      blind: sum.hits > 0 ? null : await blindTo(db, selection, "local_cache"),
      unseen: "hits without the tenant of reader or entry",
      nothing: "no hit in a local cache",
    }),
    unknown: sum.hits - sum.told,
    sharedKeys: keys.shared,
    crossContext: sum.crossContext,
    leaks: sum.leaks === 0 ? [] : await listed(db, selection),
  };
}

async function listed(db: Kysely<Tables>, selection: Selection): Promise<Leak[]> {
  const rows = await db
    .selectFrom("cache_events as hit")
    .innerJoin("sessions", "sessions.id", "hit.session")
    .innerJoin("sources", "sources.id", "hit.source")
    .innerJoin("words as reader", "reader.id", "hit.tenant")
    .innerJoin("words as owner", "owner.id", "hit.entry_tenant")
    .leftJoin("lanes", "lanes.id", "hit.lane")
    .select([
      "hit.event_id as eventId",
      "hit.at_ms as atMs",
      "sessions.session_id as session",
      "lanes.lane_id as lane",
      "hit.layer",
      "reader.text as readerTenant",
      "owner.text as entryTenant",
      "sources.locator as source",
      "hit.source_line as line",
    ])
    .where(inScope(selection, "cache_events", "hit"))
    .where("hit.served", "=", 1)
    .whereRef("hit.tenant", "<>", "hit.entry_tenant")
    .orderBy("hit.at_ms")
    .orderBy("hit.event_id")
    .limit(LISTED)
    .execute();
  return rows.map((row) => ({ ...row, eventId: hexOf(row.eventId) }));
}
