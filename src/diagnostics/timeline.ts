import { type Kysely, sql } from "kysely";
import { hexOf } from "../events/identity.js";
import type { Tables } from "../store/schema.js";
import { inScopeWithCopies, ofSessions, type Selection } from "../store/scope.js";
import { promptOf } from "./misses/pairs.js";

/** One request of a session as it was sent, numbered from 1 in order of time over all lanes. */
export interface TimelineRequest {
  kind: "request";
  number: number;
  eventId: string;
  /** True when another session counts it: this one inherited it by a resume or fork, and it adds nothing here. */
  inherited: boolean;
  atMs: number | null;
  lane: string | null;
  /** Number of its turn in the lane; null outside turns. */
  turn: number | null;
  model: string | null;
  promptTokens: number | null;
  uncachedTokens: number | null;
  readTokens: number | null;
  writtenTokens: number | null;
  outputTokens: number | null;
  /** True when the output was counted while the answer was still streaming: a lower bound. */
  provisional: boolean;
  finishReason: string | null;
  declaredChanges: string[];
  missReason: string | null;
  missedTokens: number | null;
  requestId: string | null;
  messageId: string | null;
  source: string;
  line: number | null;
  /** Byte offset of its first record in the source. */
  offset: number | null;
}

export interface TimelineCompaction {
  kind: "compaction";
  eventId: string;
  inherited: boolean;
  atMs: number | null;
  lane: string | null;
  form: string;
  recipe: string;
  version: string | null;
  trigger: string;
  outcome: string;
  tokensBefore: number | null;
  tokensAfter: number | null;
  countMethod: string | null;
  checkpointFault: string | null;
  source: string;
  line: number | null;
}

export type TimelineEntry = TimelineRequest | TimelineCompaction;

/** Every request and compaction of the selection in order of time: what happened to the context, step by step. */
export async function timeline(db: Kysely<Tables>, selection: Selection): Promise<TimelineEntry[]> {
  const requests = await requestsOf(db, selection);
  const compactions = await compactionsOf(db, selection);
  const entries: TimelineEntry[] = [
    ...requests.map(
      ({ event_id, counted, declared, provisional, ...row }, at): TimelineRequest => ({
        kind: "request",
        number: at + 1,
        eventId: hexOf(event_id),
        inherited: counted === 0,
        provisional: provisional === 1,
        declaredChanges: declared?.split(",") ?? [],
        ...row,
      }),
    ),
    ...compactions.map(
      ({ event_id, counted, ...row }): TimelineCompaction => ({
        kind: "compaction",
        eventId: hexOf(event_id),
        inherited: counted === 0,
        ...row,
      }),
    ),
  ];
  return entries.sort((a, b) => (a.atMs ?? 0) - (b.atMs ?? 0) || rank(a) - rank(b));
}

/** A compaction stands before the request that it made shorter. */
function rank({ kind }: TimelineEntry): number {
  return kind === "compaction" ? 0 : 1;
}

function requestsOf(db: Kysely<Tables>, selection: Selection) {
  return db
    .selectFrom("requests")
    .innerJoin("sources", "sources.id", "requests.source")
    .leftJoin("lanes", "lanes.id", "requests.lane")
    .leftJoin("words as model", "model.id", "requests.model")
    .leftJoin("words as finish", "finish.id", "requests.finish_reason")
    .leftJoin("words as declared", "declared.id", "requests.declared_change")
    .leftJoin("words as reason", "reason.id", "requests.miss_reason")
    .leftJoin(numberedTurns(db, selection).as("numbered"), "numbered.id", "requests.turn")
    .select([
      "requests.event_id",
      "requests.counted",
      "requests.at_ms as atMs",
      "lanes.lane_id as lane",
      "numbered.number as turn",
      "model.text as model",
      sql<
        number | null
      >`iif(requests.uncached_tokens is null and requests.read_tokens is null, null, ${promptOf("requests")})`.as(
        "promptTokens",
      ),
      "requests.uncached_tokens as uncachedTokens",
      "requests.read_tokens as readTokens",
      sql<
        number | null
      >`iif(requests.write_5m_tokens is null and requests.write_1h_tokens is null and requests.write_unsplit_tokens is null, null,
        ifnull(requests.write_5m_tokens, 0) + ifnull(requests.write_1h_tokens, 0) + ifnull(requests.write_unsplit_tokens, 0))`.as(
        "writtenTokens",
      ),
      "requests.output_tokens as outputTokens",
      sql<number>`requests.output_quality = 'provisional'`.as("provisional"),
      "finish.text as finishReason",
      "declared.text as declared",
      "reason.text as missReason",
      "requests.missed_tokens as missedTokens",
      "requests.request_id as requestId",
      "requests.message_id as messageId",
      "sources.locator as source",
      "requests.source_line as line",
      "requests.source_offset as offset",
    ])
    .where(inScopeWithCopies(selection, "requests"))
    .where(notTwice("requests"))
    .orderBy("requests.at_ms")
    .orderBy("requests.source_line")
    .orderBy("requests.event_id")
    .execute();
}

/** The number of a turn is its place among all turns of its lane, in the selection or not. */
function numberedTurns(db: Kysely<Tables>, selection: Selection) {
  return db
    .selectFrom("turns")
    .select([
      "turns.id",
      sql<number>`row_number() over (partition by turns.lane order by turns.at_ms, turns.id)`.as("number"),
    ])
    .where(ofSessions(selection, "turns.session"));
}

function compactionsOf(db: Kysely<Tables>, selection: Selection) {
  return db
    .selectFrom("compactions")
    .innerJoin("sources", "sources.id", "compactions.source")
    .innerJoin("words as recipe", "recipe.id", "compactions.recipe")
    .leftJoin("lanes", "lanes.id", "compactions.lane")
    .leftJoin("words as version", "version.id", "compactions.recipe_version")
    .leftJoin("words as method", "method.id", "compactions.count_method")
    .leftJoin("words as fault", "fault.id", "compactions.checkpoint_fault")
    .select([
      "compactions.event_id",
      "compactions.counted",
      "compactions.at_ms as atMs",
      "lanes.lane_id as lane",
      "compactions.form",
      "recipe.text as recipe",
      "version.text as version",
      "compactions.trigger",
      "compactions.outcome",
      "compactions.tokens_before as tokensBefore",
      "compactions.tokens_after as tokensAfter",
      "method.text as countMethod",
      "fault.text as checkpointFault",
      "sources.locator as source",
      "compactions.source_line as line",
    ])
    .where(inScopeWithCopies(selection, "compactions"))
    .where(notTwice("compactions"))
    .orderBy("compactions.at_ms")
    .orderBy("compactions.event_id")
    .execute();
}

/**
 * Of several rows of one thing within the session (snapshots of it), the counted one, else the first. The plus keeps
 * SQLite on the index of the thing: by the session it would compare every row with every other.
 */
function notTwice(table: "requests" | "compactions") {
  const column = (name: string) => sql.ref(`${table}.${name}`);
  return sql<boolean>`not exists (select 1 from ${sql.table(table)} twin
    where twin.event_id = ${column("event_id")} and +twin.session = ${column("session")} and twin.id <> ${column("id")}
      and (twin.counted > ${column("counted")} or (twin.counted = ${column("counted")} and twin.id < ${column("id")})))`;
}
