import { type Kysely, sql } from "kysely";
import type { Tables } from "../store/schema.js";
import type { Selection } from "../store/scope.js";
import { cachePairsOf } from "./misses/pairs.js";
import { measured, type Value } from "./value.js";
import { blindTo } from "./visibility.js";

/**
 * Cache write amplification: how often the same prompt tokens were written into the provider's cache.
 *
 *     amplification = Σ tokens written / Σ tokens first seen        (×, 1.0 is ideal, higher is worse)
 *
 * - Tokens first seen: per lane, and anew after each compaction, the largest prompt; what is longer than any prompt
 *   before it had to be written once.
 * - Over requests whose provider reports caching. Where writes are not reported at all (some providers charge none)
 *   there is no value.
 * - Drawn from usage: two different prompts of one size look like one.
 */
export async function writeAmplification(db: Kysely<Tables>, selection: Selection): Promise<Value> {
  const stretches = db
    .selectFrom(cachePairsOf(db, selection).as("pair"))
    .innerJoin("requests", "requests.id", "pair.id")
    .select([
      "pair.session",
      "pair.lane",
      "pair.prompt",
      sql<
        number | null
      >`iif(coalesce(requests.write_5m_tokens, requests.write_1h_tokens, requests.write_unsplit_tokens) is null, null,
        ifnull(requests.write_5m_tokens, 0) + ifnull(requests.write_1h_tokens, 0) + ifnull(requests.write_unsplit_tokens, 0))`.as(
        "written",
      ),
      sql<number>`sum(pair.compacted) over (partition by pair.session, pair.lane order by pair.at_ms, pair.id)`.as(
        "stretch",
      ),
    ]);
  const sum = await db
    .selectFrom((eb) =>
      eb
        .selectFrom(stretches.as("one"))
        .select([
          sql<number>`max(prompt)`.as("seen"),
          sql<number>`sum(written)`.as("written"),
          sql<number>`count(*)`.as("requests"),
          sql<number>`count(written)`.as("told"),
        ])
        .groupBy(["session", "lane", "stretch"])
        .as("part"),
    )
    .select([
      sql<number>`ifnull(sum(seen), 0)`.as("seen"),
      sql<number>`ifnull(sum(written), 0)`.as("written"),
      sql<number>`ifnull(sum(requests), 0)`.as("requests"),
      sql<number>`ifnull(sum(told), 0)`.as("told"),
    ])
    .executeTakeFirstOrThrow();
  return measured({
    method: "cache.write_amplification/1",
    evidence: "usage",
    unit: "times",
    count: sum.written,
    of: sum.told > 0 ? sum.seen : 0,
    nUnit: "tokens",
    coverage: { observed: sum.told, expected: sum.requests },
    blind: sum.requests > 0 ? null : await blindTo(db, selection, "cache_counters"),
    unseen: "no cache writes are reported",
    nothing: "no request whose provider reports caching",
  });
}
