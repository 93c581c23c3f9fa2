import { type Kysely, sql } from "kysely";
import type { PriceBook } from "../pricing/book.js";
import type { Tables } from "../store/schema.js";
import { inScope, type Selection } from "../store/scope.js";
import type { GroupColumns } from "./groupings.js";

/** Requests of one group that pay the same rates: sums, and what makes the sums lower bounds. */
export interface Cell {
  /** Number of the quarter of an hour, where the grouping is by time. */
  slot: number | null;
  /** Row of the session that names the group, where it is one. */
  session: number | null;
  /** Name of the group; null when it is not recorded. */
  label: string | null;
  provider: string | null;
  model: string | null;
  service: string | null;
  /** Any prompt size and moment of the cell: all lead to the same rates. */
  promptTokens: number;
  atMs: number | null;
  requests: number;
  uncached: number;
  read: number;
  write5m: number;
  write1h: number;
  writeUnsplit: number;
  output: number;
  reasoning: number;
  /** Requests whose usage is missing or contradicts itself: not in the sums. */
  withoutUsage: number;
  contradictory: number;
  /** Requests in the sums with an unknown part. */
  partial: number;
  /** Requests in the sums whose output was counted while still streaming, or not at all. */
  unsureOutput: number;
  unsplit: number;
  timeless: number;
  firstAtMs: number | null;
  /** Requests with whole usage whose provider reports caching, their prompts, and what they read. */
  reporting: number;
  reportingPrompt: number;
  reportingRead: number;
  /** Calls to tools that the provider runs and charges apart. */
  searches: number;
  providerCostMicros: number | null;
  providerCosts: number;
}

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
    .select(["requests.provider", "requests.model", "requests.at_ms", "requests.output_quality"])
    .select(["requests.uncached_tokens", "requests.read_tokens", "requests.output_tokens", "requests.reasoning_tokens"])
    .select(["requests.write_5m_tokens", "requests.write_1h_tokens", "requests.write_unsplit_tokens"])
    .select("requests.provider_cost_micros")
    .select([
      (group.slot ?? none).as("slot"),
      (group.word ?? none).as("word"),
      (group.session ?? none).as("group_session"),
      (group.text ?? none).as("group_text"),
      SERVICE.as("service"),
      SEARCHES.as("searches"),
      PROMPT.as("prompt"),
      sql<number>`requests.usage_state <> 'contradictory'
        and (requests.uncached_tokens is not null or requests.output_tokens is not null)`.as("usable"),
      sql<number>`requests.usage_state = 'contradictory'`.as("contradictory"),
      sql<number>`requests.usage_state = 'partial' or requests.uncached_tokens is null`.as("partial"),
      sql<number>`requests.cache_reported = 1 and requests.usage_state = 'ok'`.as("tells"),
    ])
    .where(inScope(selection, "requests"));
  const sums = db
    .selectFrom(requests.as("one"))
    .select(["slot", "word", "group_session", "group_text", "provider", "model", "service"])
    .select([
      sql<number>`max(iif(usable, prompt, 0))`.as("promptTokens"),
      sql<number | null>`max(at_ms)`.as("atMs"),
      sql<number>`count(*)`.as("requests"),
      sum("uncached_tokens").as("uncached"),
      sum("read_tokens").as("read"),
      sum("write_5m_tokens").as("write5m"),
      sum("write_1h_tokens").as("write1h"),
      sum("write_unsplit_tokens").as("writeUnsplit"),
      sum("output_tokens").as("output"),
      sum("reasoning_tokens").as("reasoning"),
      sql<number>`sum(not usable)`.as("withoutUsage"),
      sql<number>`sum(contradictory)`.as("contradictory"),
      sql<number>`sum(usable and partial)`.as("partial"),
      sql<number>`sum(usable and output_quality <> 'final')`.as("unsureOutput"),
      sql<number>`sum(usable and ifnull(write_unsplit_tokens, 0) > 0)`.as("unsplit"),
      sql<number>`sum(at_ms is null)`.as("timeless"),
      sql<number | null>`min(at_ms)`.as("firstAtMs"),
      sql<number>`sum(tells)`.as("reporting"),
      sql<number>`sum(iif(tells, prompt, 0))`.as("reportingPrompt"),
      sql<number>`sum(iif(tells, ifnull(read_tokens, 0), 0))`.as("reportingRead"),
      sql<number>`ifnull(sum(searches), 0)`.as("searches"),
      sql<number | null>`sum(provider_cost_micros)`.as("providerCostMicros"),
      sql<number>`count(provider_cost_micros)`.as("providerCosts"),
    ])
    .groupBy(["slot", "word", "group_session", "group_text", "provider", "model", "service"])
    .groupBy([above("prompt", cuts.sizes), above("at_ms", cuts.moments, ">=")]);
  const rows = await db
    .selectFrom(sums.as("cell"))
    .leftJoin("words as named", "named.id", "cell.word")
    .leftJoin("words as provider", "provider.id", "cell.provider")
    .leftJoin("words as model", "model.id", "cell.model")
    .leftJoin("sessions", "sessions.id", "cell.group_session")
    .selectAll("cell")
    .select(["provider.text as provider", "model.text as model"])
    .select(sql<string | null>`coalesce(named.text, cell.group_text, ${group.label ?? none})`.as("label"))
    .select("cell.group_session as session")
    .orderBy("cell.slot")
    .execute();
  return rows as unknown as Cell[];
}

const PROMPT = sql<number>`ifnull(requests.uncached_tokens, 0) + ifnull(requests.read_tokens, 0)
  + ifnull(requests.write_5m_tokens, 0) + ifnull(requests.write_1h_tokens, 0) + ifnull(requests.write_unsplit_tokens, 0)`;

/** The raw usage is kept where it holds more than counts; one that was cut short is not JSON and says nothing. */
const inRaw = (path: string) => sql`iif(json_valid(requests.raw_usage), requests.raw_usage ->> ${sql.lit(path)}, null)`;

/** The service tier, a speed other than the plain one first. */
const SERVICE = sql<string | null>`iif(requests.raw_usage is null, null,
  coalesce(nullif(${inRaw("$.speed")}, 'standard'), nullif(${inRaw("$.service_tier")}, 'standard')))`;

const SEARCHES = sql<number | null>`iif(requests.raw_usage is null, null,
  ${inRaw("$.server_tool_use.web_search_requests")})`;

function sum(column: string) {
  return sql<number>`sum(iif(usable, ifnull(${sql.ref(column)}, 0), 0))`;
}

/** How many of the cuts lie below the column: equal for all rows between the same two cuts. */
function above(column: string, cuts: number[], comparison: ">" | ">=" = ">") {
  if (cuts.length === 0) return sql<number>`null`;
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
