import { type Kysely, sql } from "kysely";
import type { Tables } from "../../store/schema.js";
import { inLaneHistory, inScope, type Selection } from "../../store/scope.js";

const FIVE_MINUTES_MS = 300_000;
const HOUR_MS = 3_600_000;

/**
 * Consecutive requests of one lane whose provider reports caching, one row per pair, named by the later one.
 *
 * - `potential`: tokens of the later prompt that could have been read, had the conversation only been appended to:
 *   the smaller of both prompts. `lost`: potential minus what was read, never negative.
 * - Requests that failed, or whose usage is incomplete or contradictory, are no baseline and no loss.
 * - `cached_before`: what the earlier request had read or written, without its uncached tail.
 * - `ttl_ms`: the longest lifetime that the lane had written before; null when it never wrote.
 * - A pair belongs to the window of its later request.
 */
export function cachePairsOf(db: Kysely<Tables>, selection: Selection) {
  const over = sql`over (partition by requests.session, requests.lane
    order by requests.at_ms, requests.source_line, requests.event_id)`;
  const before = sql`over (partition by requests.session, requests.lane
    order by requests.at_ms, requests.source_line, requests.event_id rows between unbounded preceding and 1 preceding)`;
  const lane = db
    .selectFrom("requests")
    .select([
      "requests.id",
      sql<number>`${promptOf("requests")}`.as("prompt"),
      sql<number | null>`lag(${promptOf("requests")}) ${over}`.as("prompt_before"),
      sql<number | null>`lag(${promptOf("requests")} - ifnull(requests.uncached_tokens, 0)) ${over}`.as(
        "cached_before",
      ),
      sql<number | null>`lag(requests.at_ms) ${over}`.as("at_before"),
      sql<number | null>`lag(requests.model) ${over}`.as("model_before"),
      sql<
        number | null
      >`max(iif(requests.write_1h_tokens > 0, ${HOUR_MS}, iif(requests.write_5m_tokens > 0 or requests.write_unsplit_tokens > 0, ${FIVE_MINUTES_MS}, null))) ${before}`.as(
        "ttl_ms",
      ),
    ])
    .where(inLaneHistory(selection, "requests"))
    .where("requests.status", "=", "reported")
    .where("requests.cache_reported", "=", 1)
    .where("requests.usage_state", "=", "ok");
  return db
    .selectFrom(lane.as("pair"))
    .innerJoin("requests as later", "later.id", "pair.id")
    .leftJoin("words as declared", "declared.id", "later.declared_change")
    .leftJoin("words as reason", "reason.id", "later.miss_reason")
    .select([
      "later.id",
      "later.session",
      "later.lane",
      "later.at_ms",
      "pair.prompt",
      "pair.prompt_before",
      "pair.cached_before",
      "pair.ttl_ms",
      "declared.text as declared",
      "reason.text as reason",
      "later.missed_tokens",
      sql<number>`later.read_tokens`.as("read_tokens"),
      sql<number | null>`later.at_ms - pair.at_before`.as("gap_ms"),
      sql<number>`ifnull(later.model <> pair.model_before, 0)`.as("model_changed"),
      sql<number | null>`min(pair.prompt, pair.prompt_before)`.as("potential"),
      sql<number>`max(0, min(pair.prompt, pair.prompt_before) - later.read_tokens)`.as("lost"),
      sql<number>`exists (select 1 from compactions c
        where c.session = later.session and c.lane is later.lane and c.form = 'full' and c.outcome = 'applied'
          and c.at_ms > pair.at_before and c.at_ms <= later.at_ms)`.as("compacted"),
    ])
    .where(inScope(selection, "requests", "later"));
}

/** All input tokens of a request; a bucket that is not told counts as nothing. */
export function promptOf(alias: string) {
  const column = (name: string) => sql.ref(`${alias}.${name}`);
  return sql<number>`(ifnull(${column("uncached_tokens")}, 0) + ifnull(${column("read_tokens")}, 0)
    + ifnull(${column("write_5m_tokens")}, 0) + ifnull(${column("write_1h_tokens")}, 0) + ifnull(${column("write_unsplit_tokens")}, 0))`;
}
