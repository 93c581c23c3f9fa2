import { type Kysely, type RawBuilder, type SqlBool, sql } from "kysely";
import { Failure } from "../failure.js";
import type { Tables } from "./schema.js";

/**
 * Which part of the store a question is about. This file is the only place where a scope becomes SQL, so that every
 * filter restricts every figure.
 *
 * - Names are looked up first; a name matches only itself, never a prefix or a pattern.
 * - The window is `[sinceMs, untilMs)` on the row's own time. A turn belongs to the window of its start. A row without
 *   a time is outside every window.
 * - `tenant` leaves out rows of other tenants and rows without one. It is a filter, not an access control.
 * - `lane` is the id of a lane, or one of the kinds of lanes, such as `subagent`.
 * - A request has its own model. A turn belongs to every model it sent a request to; any other fact belongs to the
 *   model that its lane used last, at that time or before.
 */
export interface Scope {
  session?: string;
  agent?: string;
  tenant?: string;
  sinceMs?: number;
  untilMs?: number;
  lane?: string;
  model?: string;
}

/** A scope with its names looked up. An id of 0 is a name the store has never seen: it matches nothing. */
export interface Selection {
  scope: Scope;
  session: number | null;
  agent: number | null;
  tenant: number | null;
  model: number | null;
  lane: string | null;
  /** Narrows a group; no flag of its own. */
  laneKind: string | null;
  sinceMs: number | null;
  untilMs: number | null;
}

/** Tables whose rows a scope can restrict. */
export type ScopedTable =
  | "turns"
  | "requests"
  | "attempts"
  | "tool_calls"
  | "cache_events"
  | "divergences"
  | "compactions"
  | "judgments"
  | "contract_checks"
  | "waivers"
  | "scope_accesses"
  | "memory_events"
  | "budget_events";

/** Judgments and waivers follow what they judge, so they are not here. */
export const TABLES_IN_SCOPE: ScopedTable[] = [
  "turns",
  "requests",
  "attempts",
  "tool_calls",
  "cache_events",
  "divergences",
  "compactions",
  "contract_checks",
  "scope_accesses",
  "memory_events",
  "budget_events",
];

type Part = Exclude<keyof Selection, "scope">;

/** Looks the names up. Fails when the session's id belongs to several agents and none was named. */
export async function select(db: Kysely<Tables>, scope: Scope): Promise<Selection> {
  return {
    scope,
    session: scope.session === undefined ? null : await sessionId(db, scope.session, scope.agent),
    agent: await wordId(db, scope.agent),
    tenant: await wordId(db, scope.tenant),
    model: await wordId(db, scope.model),
    lane: scope.lane ?? null,
    laneKind: null,
    sinceMs: scope.sinceMs ?? null,
    untilMs: scope.untilMs ?? null,
  };
}

/** The same selection without some of its restrictions. */
export function without(selection: Selection, ...parts: Part[]): Selection {
  return { ...selection, ...Object.fromEntries(parts.map((part) => [part, null])) };
}

/** True when nothing is restricted. */
export function isWhole({ scope: _, ...parts }: Selection): boolean {
  return Object.values(parts).every((part) => part === null);
}

/** Rows of the table that belong to the selection, each thing once. `alias` is the table's name in the query. */
export function inScope(selection: Selection, table: ScopedTable, alias: string = table): RawBuilder<SqlBool> {
  return all([sql`${sql.ref(`${alias}.counted`)} = 1`, ...conditions(selection, table, alias)]);
}

/** Like `inScope`, but with the copies that another session inherited. */
export function inScopeWithCopies(
  selection: Selection,
  table: ScopedTable,
  alias: string = table,
): RawBuilder<SqlBool> {
  return all(conditions(selection, table, alias));
}

/** Rows of the selected session, or of the agent's sessions; nothing else of the selection is looked at. */
export function ofSessions(selection: Selection, session: string): RawBuilder<SqlBool> {
  return all(sessionConditions(selection, session));
}

/** Rows of sessions that have a turn in the selection: all that can belong to those turns, found by index. */
export function besideTurns(selection: Selection, session: string): RawBuilder<SqlBool> {
  if (selection.session !== null || timeConditions(selection, "turns").length === 0)
    return ofSessions(selection, session);
  return sql`${sql.ref(session)} in (select session from turns where ${inScope(selection, "turns")})`;
}

/**
 * Requests as their lanes sent them, inherited ones too and each once, as far as they can be in scope or come just
 * before one that is: the ground for comparing a request with its predecessor, which may lie outside the window.
 */
export function inLaneHistory(selection: Selection, alias: string): RawBuilder<SqlBool> {
  const column = (name: string) => sql.ref(`${alias}.${name}`);
  const once = sql<SqlBool>`(${column("counted")} = 1 or not exists (
    select 1 from requests as twin
    where twin.event_id = ${column("event_id")} and twin.lane = ${column("lane")}
      and (twin.counted > ${column("counted")} or (twin.counted = ${column("counted")} and twin.id < ${column("id")}))))`;
  const parts = [once, ...sessionConditions(selection, `${alias}.session`), ...laneConditions(selection, alias)];
  if (selection.untilMs !== null) parts.push(sql`${column("at_ms")} < ${selection.untilMs}`);
  if (selection.session === null && (selection.sinceMs !== null || selection.untilMs !== null)) {
    const windowed = all(timeConditions(selection, "requests"));
    for (const name of ["session", "lane"])
      parts.push(sql`${column(name)} in (select ${sql.ref(name)} from requests where ${windowed})`);
  }
  return all(parts);
}

/** Rows that the tenant and the window leave out, over all kinds of facts. */
export interface Excluded {
  otherTenant: number;
  noTenant: number;
  noTime: number;
}

/** Counts what the selection's tenant and window leave out of the rest of the selection. */
export async function excluded(db: Kysely<Tables>, selection: Selection): Promise<Excluded> {
  const sum: Excluded = { otherTenant: 0, noTenant: 0, noTime: 0 };
  const { tenant } = selection;
  const windowed = selection.sinceMs !== null || selection.untilMs !== null;
  for (const table of TABLES_IN_SCOPE) {
    if (tenant !== null) {
      const left = await db
        .selectFrom(`${table as "requests"} as row`)
        .select([
          sql<number>`ifnull(sum(row.tenant is null), 0)`.as("none"),
          sql<number>`ifnull(sum(row.tenant <> ${tenant}), 0)`.as("other"),
        ])
        .where(inScope(without(selection, "tenant"), table, "row"))
        .executeTakeFirstOrThrow();
      sum.noTenant += left.none;
      sum.otherTenant += left.other;
    }
    if (windowed) {
      const left = await db
        .selectFrom(`${table as "requests"} as row`)
        .select((eb) => eb.fn.countAll<number>().as("rows"))
        .where(inScope(without(selection, "sinceMs", "untilMs"), table, "row"))
        .where("row.at_ms", "is", null)
        .executeTakeFirstOrThrow();
      sum.noTime += left.rows;
    }
  }
  return sum;
}

async function sessionId(db: Kysely<Tables>, session: string, agent: string | undefined): Promise<number> {
  const found = await db
    .selectFrom("sessions")
    .innerJoin("words", "words.id", "sessions.agent")
    .select(["sessions.id", "words.text as agent"])
    .where("sessions.session_id", "=", session)
    .$if(agent !== undefined, (query) => query.where("words.text", "=", agent!))
    .orderBy("words.text")
    .execute();
  if (found.length > 1) {
    const agents = found.map((row) => row.agent);
    throw new Failure("session.ambiguous", `session "${session}" exists for ${agents.join(" and ")}`, {
      tries: agents.map((name) => `--agent ${name}`),
    });
  }
  return found[0]?.id ?? 0;
}

async function wordId(db: Kysely<Tables>, text: string | undefined): Promise<number | null> {
  if (text === undefined) return null;
  const word = await db.selectFrom("words").select("id").where("text", "=", text).executeTakeFirst();
  return word?.id ?? 0;
}

type Condition = RawBuilder<SqlBool>;

function conditions(selection: Selection, table: ScopedTable, alias: string): Condition[] {
  const { tenant } = selection;
  return [
    ...sessionConditions(selection, `${alias}.session`),
    ...laneConditions(selection, alias),
    ...timeConditions(selection, alias),
    ...modelConditions(selection, table, alias),
    ...(tenant === null ? [] : [sql<SqlBool>`${sql.ref(`${alias}.tenant`)} = ${tenant}`]),
  ];
}

function sessionConditions({ session, agent }: Selection, column: string): Condition[] {
  if (session !== null) return [sql`${sql.ref(column)} = ${session}`];
  if (agent !== null) return [sql`${sql.ref(column)} in (select id from sessions where agent = ${agent})`];
  return [];
}

function laneConditions({ lane, laneKind, session }: Selection, alias: string): Condition[] {
  const named = [
    ...(lane === null ? [] : [sql<SqlBool>`(lane_id = ${lane} or kind = ${lane})`]),
    ...(laneKind === null ? [] : [sql<SqlBool>`kind = ${laneKind}`]),
  ];
  if (named.length === 0) return [];
  const ofSession = session === null ? [] : [sql<SqlBool>`session = ${session}`];
  return [sql`${sql.ref(`${alias}.lane`)} in (select id from lanes where ${all([...ofSession, ...named])})`];
}

function timeConditions({ sinceMs, untilMs }: Selection, alias: string): Condition[] {
  const column = sql.ref(`${alias}.at_ms`);
  return [
    ...(sinceMs === null ? [] : [sql<SqlBool>`${column} >= ${sinceMs}`]),
    ...(untilMs === null ? [] : [sql<SqlBool>`${column} < ${untilMs}`]),
  ];
}

function modelConditions(selection: Selection, table: ScopedTable, alias: string): Condition[] {
  const { model } = selection;
  if (model === null) return [];
  const column = (name: string) => sql.ref(`${alias}.${name}`);
  if (table === "requests") return [sql`${column("model")} = ${model}`];
  if (table === "turns") {
    const used = all([sql`model = ${model}`, ...sessionConditions(selection, "requests.session")]);
    return [sql`${column("id")} in (select turn from requests where ${used})`];
  }
  return [
    sql`(select model from requests as latest
      where latest.session = ${column("session")} and latest.lane = ${column("lane")} and latest.at_ms <= ${column("at_ms")}
      order by latest.at_ms desc limit 1) = ${model}`,
  ];
}

function all(parts: Condition[]): Condition {
  return parts.length === 0 ? sql`1` : sql.join(parts, sql` and `);
}
