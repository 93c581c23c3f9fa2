import { type Kysely, sql } from "kysely";
import type { PriceBook } from "../pricing/book.js";
import type { Tokens } from "../pricing/cost.js";
import type { Tables } from "../store/schema.js";
import { inScope, type Selection } from "../store/scope.js";
import { serviceTierOf } from "../store/service-tier.js";
import type { GroupColumns } from "./groupings.js";

/** Sums of tokens in buckets; null where no request tells. */
export type Told = { [Bucket in keyof Tokens]: number | null };

/** Requests of one group that pay the same rates and were reported alike, with their sums. */
export interface Cell extends Told {
  /** Start of the slot of time, where the grouping is by time; null also for requests without a time. */
  slot: number | null;
  /** Row of the session that names the group, where it is one. */
  session: number | null;
  /** Name of the group; null when it is not recorded. */
  label: string | null;
  provider: string | null;
  model: string | null;
  service: string | null;
  /** The largest prompt and the last moment; every other one of the cell leads to the same rates. */
  promptTokens: number;
  atMs: number | null;
  firstAtMs: number | null;
  requests: number;
  /** Part of output. */
  reasoning: number | null;
  /** How the usage was reported: a sum of `REPORTED`. */
  flags: number;
  /** Calls to tools that the provider runs and charges apart. */
  searches: number;
  providerCostMicros: number | null;
  providerCosts: number;
}

/** How the usage of a request was reported. */
export const REPORTED = {
  /** Usage is missing or contradicts itself: its tokens are no sum of anything. */
  unusable: 1,
  /** Some part of the usage is unknown. */
  partial: 2,
  /** Output was counted while still streaming, or not at all. */
  outputUnsure: 4,
  /** Whole usage, from a provider that reports caching. */
  caching: 8,
  /** Cache writes without a lifetime. */
  unsplit: 16,
};

/**
 * The requests of a selection, added up in the database as far as they pay the same rates: by group, provider, model
 * and service tier, cut at every prompt size and every moment where a price in use changes.
 */
export async function cellsOf(
  db: Kysely<Tables>,
  selection: Selection,
  book: PriceBook,
  group: GroupColumns = { joins: [] },
): Promise<Cell[]> {
  const cuts = await cutsOf(db, selection, book);
  const none = sql<null>`null`;
  const requests = db
    .selectFrom("requests")
    .$if(group.joins.includes("turns"), (query) => query.leftJoin("turns", "turns.id", "requests.turn"))
    .$if(group.joins.includes("lanes"), (query) => query.leftJoin("lanes", "lanes.id", "requests.lane"))
    .select(["requests.provider", "requests.model", "requests.at_ms", "requests.provider_cost_micros"])
    .select(["requests.uncached_tokens", "requests.read_tokens", "requests.output_tokens", "requests.reasoning_tokens"])
    .select(["requests.write_5m_tokens", "requests.write_1h_tokens", "requests.write_unsplit_tokens"])
    .select([
      (group.slot ?? none).as("slot"),
      (group.word ?? none).as("word"),
      (group.session ?? none).as("group_session"),
      (group.text ?? none).as("group_text"),
      serviceTierOf("requests").as("service"),
      SEARCHES.as("searches"),
      PROMPT.as("prompt"),
      FLAGS.as("flags"),
    ])
    .where(inScope(selection, "requests"));
  const sums = db
    .selectFrom(requests.as("one"))
    .select(["slot", "word", "group_session", "group_text", "provider", "model", "service", "flags"])
    .select([
      sql<number>`max(prompt)`.as("promptTokens"),
      sql<number | null>`max(at_ms)`.as("atMs"),
      sql<number | null>`min(at_ms)`.as("firstAtMs"),
      sql<number>`count(*)`.as("requests"),
      sum("uncached_tokens").as("uncached"),
      sum("read_tokens").as("read"),
      sum("write_5m_tokens").as("write5m"),
      sum("write_1h_tokens").as("write1h"),
      sum("write_unsplit_tokens").as("writeUnsplit"),
      sum("output_tokens").as("output"),
      sum("reasoning_tokens").as("reasoning"),
      sql<number>`ifnull(sum(searches), 0)`.as("searches"),
      sql<number | null>`sum(provider_cost_micros)`.as("providerCostMicros"),
      sql<number>`count(provider_cost_micros)`.as("providerCosts"),
    ])
    .groupBy(["provider", "model", "service", "flags"])
    // Every further key is paid for with each request.
    .$if(group.slot !== undefined, (query) => query.groupBy("slot"))
    .$if(group.word !== undefined, (query) => query.groupBy("word"))
    .$if(group.session !== undefined, (query) => query.groupBy("group_session"))
    .$if(group.text !== undefined, (query) => query.groupBy("group_text"))
    .$if(cuts.sizes.length > 0, (query) => query.groupBy(above("prompt", cuts.sizes)))
    .$if(cuts.moments.length > 0, (query) => query.groupBy(above("at_ms", cuts.moments, ">=")));
  return db
    .selectFrom(sums.as("cell"))
    .leftJoin("words as named", "named.id", "cell.word")
    .leftJoin("words as provider", "provider.id", "cell.provider")
    .leftJoin("words as model", "model.id", "cell.model")
    .leftJoin("sessions", "sessions.id", "cell.group_session")
    .select(["cell.slot", "cell.service", "cell.promptTokens", "cell.atMs", "cell.firstAtMs", "cell.requests"])
    .select(["cell.uncached", "cell.read", "cell.write5m", "cell.write1h", "cell.writeUnsplit", "cell.output"])
    .select(["cell.reasoning", "cell.searches", "cell.providerCostMicros", "cell.providerCosts", "cell.flags"])
    .select(["provider.text as provider", "model.text as model", "cell.group_session as session"])
    .select(sql<string | null>`coalesce(named.text, cell.group_text, ${group.label ?? none})`.as("label"))
    .orderBy("cell.slot")
    .execute();
}

const PROMPT = sql<number>`ifnull(requests.uncached_tokens, 0) + ifnull(requests.read_tokens, 0)
  + ifnull(requests.write_5m_tokens, 0) + ifnull(requests.write_1h_tokens, 0) + ifnull(requests.write_unsplit_tokens, 0)`;

/** How the usage was reported, in one number: a column to group by is cheaper than a sum. */
const FLAGS = sql<number>`${sql.lit(REPORTED.unusable)} * (requests.usage_state = 'contradictory'
    or (requests.uncached_tokens is null and requests.output_tokens is null))
  + ${sql.lit(REPORTED.partial)} * (requests.usage_state = 'partial' or requests.uncached_tokens is null)
  + ${sql.lit(REPORTED.outputUnsure)} * (requests.output_quality <> 'final')
  + ${sql.lit(REPORTED.caching)} * (requests.cache_reported = 1 and requests.usage_state = 'ok')
  + ${sql.lit(REPORTED.unsplit)} * (ifnull(requests.write_unsplit_tokens, 0) > 0)`;

/** Raw usage that was cut short is not JSON and says nothing. */
const SEARCHES = sql<number | null>`iif(json_valid(requests.raw_usage),
  requests.raw_usage ->> '$.server_tool_use.web_search_requests', null)`;

function sum(column: string) {
  return sql<number | null>`sum(${sql.ref(column)})`;
}

/** How many of the cuts lie below the column: equal for all rows between the same two cuts. */
function above(column: string, cuts: number[], comparison: ">" | ">=" = ">") {
  const steps = cuts.map((cut) => sql`(${sql.ref(column)} ${sql.raw(comparison)} ${sql.lit(cut)})`);
  return sql<number>`${sql.join(steps, sql` + `)}`;
}

/** Prompt sizes and moments at which a price changes that requests in the selection pay. */
async function cutsOf(db: Kysely<Tables>, selection: Selection, book: PriceBook) {
  const pairs = await db
    .selectFrom(
      db
        .selectFrom("requests")
        .select(["provider", "model"])
        .distinct()
        .where(inScope(selection, "requests"))
        .as("pair"),
    )
    .leftJoin("words as provider", "provider.id", "pair.provider")
    .leftJoin("words as model", "model.id", "pair.model")
    .select(["provider.text as provider", "model.text as model"])
    .execute();
  const moments = new Set<number>();
  const sizes = new Set<number>();
  for (const pair of pairs) {
    const changes = book.changesOf(pair);
    for (const moment of changes) moments.add(moment);
    for (const atMs of [null, ...changes, ...changes.map((moment) => moment - 1)])
      for (const { aboveTokens } of book.priceOf({ ...pair, atMs })?.longContext ?? []) sizes.add(aboveTokens);
  }
  const ascending = (cuts: Set<number>) => [...cuts].sort((a, b) => a - b);
  return { moments: ascending(moments), sizes: ascending(sizes) };
}
