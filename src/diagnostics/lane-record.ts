import { type Kysely, sql } from "kysely";
import type { Digest } from "../events/event.js";
import { hexOf } from "../events/identity.js";
import { Failure } from "../failure.js";
import type { Tables } from "../store/schema.js";
import type { Selection } from "../store/scope.js";
import { type CompactionLosses, losses } from "./losses.js";

/** One lane of one session, and where its text stands. */
export interface LaneTexts {
  agent: string;
  lane: string;
  /** The source that tells most of the lane first; a lane's own file before copies in others. */
  texts: LaneText[];
}

/** A source that holds records of the lane. */
export interface LaneText {
  source: number;
  /** Whose transcript it is. */
  agent: string;
  path: string;
  /** Offset of the session's first record, when another session stands before it; else 0. */
  begin: number;
  /** Offset of the next session's first record; null when none follows. */
  end: number | null;
  /** How far the import read, and what the file was then. */
  readBytes: number | null;
  sizeBytes: number | null;
  mtimeMs: number | null;
}

/**
 * Where the text of one lane of the selected session stands: of the parent lane, unless the selection names one.
 *
 * - Fails when the lane is unknown or several go by that name.
 * - Texts carry no tenant: a selection with a tenant fails unless everything that is known of the lane is that tenant's.
 */
export async function laneTexts(db: Kysely<Tables>, selection: Selection): Promise<LaneTexts> {
  const { key, agent, lane } = await laneOf(db, selection);
  const { rows } = await sql<Omit<LaneText, "begin" | "end"> & { foreign: number }>`
    with told as (${thingsOf(selection.session!, key)})
    select told.source, sources.format as agent, sources.locator as path, sources.offset as readBytes,
      sources.size as sizeBytes, sources.mtime_ms as mtimeMs,
      sum(${selection.tenant} is not null and told.tenant is not ${selection.tenant}) as "foreign"
    from told join sources on sources.id = told.source
    group by told.source
    order by max(told.rank), count(distinct told.event_id) desc, sources.locator`.execute(db);
  if (rows.some(({ foreign }) => foreign > 0)) {
    throw new Failure("text.of_others", `lane ${lane} is not, or not only, of tenant ${selection.scope.tenant}`, {
      tries: ["leave --tenant out"],
    });
  }
  const texts: LaneText[] = [];
  for (const { foreign: _, ...row } of rows) {
    texts.push({ ...row, ...(await boundsOf(db, selection.session!, row.source)) });
  }
  return { agent, lane, texts };
}

/** A compaction of one lane, with what it says of the context and what was found lost. */
export interface ToldCompaction {
  eventId: string;
  form: "full" | "micro";
  recipe: string;
  version: string | null;
  trigger: string;
  outcome: string;
  atMs: number | null;
  tokensBefore: number | null;
  tokensAfter: number | null;
  countMethod: string | null;
  fault: string | null;
  /** Byte offset of its record in the source. */
  offset: number | null;
  /** Hex digest and bytes of its checkpoint. */
  digest: string | null;
  summaryBytes: number | null;
  /** Its text, when texts were kept. */
  keptText: string | null;
  items: { messageId: string; fate: string }[];
  /** Null for a compaction that nobody judges, or that is judged in a session outside the selection. */
  losses: CompactionLosses | null;
}

/** What the store knows of the lane beyond its words. */
export interface LaneFacts {
  /** Compactions that changed the context, in the order of their records. */
  compactions: ToldCompaction[];
  /** By the provider's id of the call. */
  calls: Map<string, { tool: string | null; resultBytes: number | null }>;
}

/**
 * Compactions and calls of a lane as one source tells them. A text that goes on from another session holds that one's
 * compactions too, so they are found by source.
 */
export async function laneFacts(
  db: Kysely<Tables>,
  selection: Selection,
  lane: string,
  source: number,
): Promise<LaneFacts> {
  const sessions = sql<number>`(select session from claims where source = ${source} union select ${selection.session})`;
  const lanes = sql<number>`(select id from lanes where lane_id = ${lane} and session in ${sessions})`;
  const rows = await db
    .selectFrom("compactions")
    .innerJoin("words as recipe", "recipe.id", "compactions.recipe")
    .leftJoin("words as version", "version.id", "compactions.recipe_version")
    .leftJoin("words as method", "method.id", "compactions.count_method")
    .leftJoin("words as fault", "fault.id", "compactions.checkpoint_fault")
    .leftJoin("contents", (on) =>
      on
        .onRef("contents.digest", "=", "compactions.summary_digest")
        .on(sql<boolean>`contents.tenant is compactions.tenant`),
    )
    .select([
      "compactions.id",
      "compactions.event_id",
      "compactions.form",
      "recipe.text as recipe",
      "version.text as version",
      "compactions.trigger",
      "compactions.outcome",
      "compactions.at_ms as atMs",
      "compactions.tokens_before as tokensBefore",
      "compactions.tokens_after as tokensAfter",
      "method.text as countMethod",
      "fault.text as fault",
      "compactions.source_offset as offset",
      "compactions.summary_digest",
      "compactions.summary_bytes as summaryBytes",
      "contents.text as keptText",
    ])
    .where("compactions.session", "in", sessions)
    .where("compactions.lane", "in", lanes)
    .where("compactions.source", "=", source)
    .where("compactions.outcome", "in", ["applied", "indeterminate"])
    .orderBy("compactions.source_offset")
    .orderBy("compactions.at_ms")
    .orderBy("compactions.event_id")
    .execute();
  const judged = await judgedOf(db, selection, rows);
  const compactions: ToldCompaction[] = [];
  for (const { id, event_id, summary_digest, form, ...row } of rows) {
    const items = await db
      .selectFrom("compaction_items")
      .select(["message_id as messageId", "fate"])
      .where("compaction", "=", id)
      .orderBy("id")
      .execute();
    const eventId = hexOf(event_id);
    const digest = summary_digest === null ? null : hexOf(summary_digest);
    compactions.push({
      ...row,
      eventId,
      form: form as ToldCompaction["form"],
      digest,
      items,
      losses: judged.get(eventId) ?? null,
    });
  }
  const calls = await db
    .selectFrom("tool_calls")
    .leftJoin("words as tool", "tool.id", "tool_calls.tool")
    .select(["tool_calls.call_id as call", "tool.text as tool", "tool_calls.result_bytes as resultBytes"])
    .where("tool_calls.session", "in", sessions)
    .where("tool_calls.source", "=", source)
    .where("tool_calls.call_id", "is not", null)
    .execute();
  return { compactions, calls: new Map(calls.map(({ call, ...told }) => [call!, told])) };
}

/** Requests, turns and compactions of a lane with their places. */
function thingsOf(session: number, lane: number) {
  return sql`select source, event_id, tenant, copy_rank as rank
      from requests where session = ${session} and lane = ${lane}
    union all select source, event_id, tenant, null from turns where session = ${session} and lane = ${lane}
    union all select source, event_id, tenant, null from compactions where session = ${session} and lane = ${lane}`;
}

async function laneOf(
  db: Kysely<Tables>,
  { session, scope }: Selection,
): Promise<{ key: number; agent: string; lane: string }> {
  const lanes = await db
    .selectFrom("lanes")
    .innerJoin("sessions", "sessions.id", "lanes.session")
    .innerJoin("words as agent", "agent.id", "sessions.agent")
    .select(["lanes.id as key", "agent.text as agent", "lanes.lane_id as lane", "lanes.kind"])
    .where("lanes.session", "=", session)
    .orderBy("lanes.id")
    .execute();
  const asked = scope.lane ?? "parent";
  const exact = lanes.filter(({ lane }) => lane === (scope.lane ?? "main"));
  const found = exact.length > 0 ? exact : lanes.filter(({ kind }) => kind === asked);
  if (found.length === 1) return found[0]!;
  const tries = (found.length === 0 ? lanes : found).slice(0, TRIES).map(({ lane }) => `--lane ${lane}`);
  if (found.length === 0) throw new Failure("lane.unknown", `session ${scope.session} has no lane ${asked}`, { tries });
  throw new Failure("lane.ambiguous", `session ${scope.session} has ${found.length} lanes ${asked}`, { tries });
}

const TRIES = 5;

/** Where a session stands among others of the same source. */
async function boundsOf(db: Kysely<Tables>, session: number, source: number): Promise<Pick<LaneText, "begin" | "end">> {
  const others = sql`select session from claims where source = ${source} and session <> ${session}`;
  const offsets = (where: ReturnType<typeof sql>) => sql`
    select source_offset as offset from requests where source = ${source} and ${where}
    union all select source_offset from turns where source = ${source} and ${where}`;
  const own = offsets(sql`session = ${session}`);
  const found = await sql<{ first: number | null; before: number | null; end: number | null }>`
    with own as (${own}), other as (${offsets(sql`session in (${others})`)})
    select (select min(offset) from own) as first,
      (select max(offset) from other where offset < (select min(offset) from own)) as before,
      (select min(offset) from other where offset > (select max(offset) from own)) as "end"`.execute(db);
  const { first = null, before = null, end = null } = found.rows[0] ?? {};
  return { begin: before === null ? 0 : (first ?? 0), end };
}

/** What was lost, by the session that counts the compaction. */
async function judgedOf(
  db: Kysely<Tables>,
  selection: Selection,
  compactions: { event_id: Digest }[],
): Promise<Map<string, CompactionLosses>> {
  const ids = compactions.map(({ event_id }) => event_id);
  const sessions = await db
    .selectFrom("compactions")
    .select("session")
    .distinct()
    .where("counted", "=", 1)
    .where("event_id", "in", ids)
    .execute();
  const found = new Map<string, CompactionLosses>();
  for (const { session } of sessions) {
    for (const each of await losses(db, { ...selection, session, lane: null })) found.set(each.eventId, each);
  }
  return found;
}
