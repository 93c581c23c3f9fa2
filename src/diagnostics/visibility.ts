import { type Kysely, type RawBuilder, type SqlBool, sql } from "kysely";
import type { CoveredFact } from "../events/event.js";
import type { Tables } from "../store/schema.js";
import { inScope, ofSessions, type Selection } from "../store/scope.js";
import { anythingOf } from "./sessions-in-scope.js";

/**
 * Whether the sources of a session can tell a kind of fact at all: `full` or `absent` when all that spoke of it say so,
 * `partial` when they differ or say so, null when nobody spoke of it.
 */
export type Visibility = "full" | "partial" | "absent" | null;

/**
 * True for a session that nobody could have told this kind of fact of: every source that speaks of it says that it
 * cannot, no other source saw requests of the session (received telemetry is silent about what it cannot tell), and
 * there is no such fact after all.
 */
export function unseenIn(selection: Selection, fact: CoveredFact, session: string): RawBuilder<SqlBool> {
  const table = ROWS[fact];
  const told =
    table === undefined ? sql`0` : sql`exists (select 1 from ${sql.table(table)} r where r.session = mute.session)`;
  return sql`${sql.ref(session)} in (
    select mute.session from (
      select coverage.session from coverage
      where coverage.fact = ${fact} and ${ofSessions(selection, "coverage.session")}
      group by coverage.session having min(coverage.level) = 'absent' and max(coverage.level) = 'absent') mute
    where not ${told} and not exists (
      select 1 from claims inner join sources on sources.id = claims.source
      where claims.session = mute.session and sources.kind <> 'otlp'
        and claims.source not in (
          select source from coverage where coverage.session = mute.session and coverage.fact = ${fact})
        and exists (
          select 1 from requests where requests.session = mute.session and requests.source = claims.source)))`;
}

/** Where the facts of a kind stand: one of them shows that they can be told. */
const ROWS: Partial<Record<CoveredFact, keyof Tables>> = {
  local_cache: "cache_events",
  divergences: "divergences",
  tool_calls: "tool_calls",
  contracts: "contract_checks",
  compactions: "compactions",
};

/** What the sources of the one selected session say, and why those that cannot tell cannot. */
export async function visibilityOf(
  db: Kysely<Tables>,
  selection: Selection,
  fact: CoveredFact,
): Promise<{ level: Visibility; why: string | null }> {
  const rows = await db
    .selectFrom("coverage")
    .select(["level", "why"])
    .where("fact", "=", fact)
    .where(ofSessions(selection, "coverage.session"))
    .orderBy("why")
    .execute();
  const levels = new Set(rows.map((row) => row.level));
  const level = levels.size === 0 ? null : levels.size === 1 ? (rows[0]!.level as Visibility) : "partial";
  const reasons = new Set(rows.filter((row) => row.level !== "full" && row.why !== null).map((row) => row.why));
  return { level, why: reasons.size === 0 ? null : [...reasons].join("; ") };
}

/**
 * Why nothing in scope can tell this kind of fact: every session with a turn (or else a request) in scope has only
 * sources that cannot. Null when one can, and when the scope is empty.
 */
export async function blindTo(db: Kysely<Tables>, selection: Selection, fact: CoveredFact): Promise<string | null> {
  for (const table of ["turns", "requests"] as const) {
    const rows = await db
      .selectFrom(`${table as "turns"} as row`)
      .select([
        sql<number>`count(*)`.as("all"),
        sql<number>`ifnull(sum(${unseenIn(selection, fact, "row.session")}), 0)`.as("unseen"),
      ])
      .where(inScope(selection, table, "row"))
      .executeTakeFirstOrThrow();
    if (rows.all === 0) continue;
    if (rows.unseen < rows.all) return null;
    return (await whyUnseen(db, selection, fact)) ?? "no source in scope records it";
  }
  return null;
}

/** The reasons that sources give for not telling this kind of fact, the commonest first, as one text. */
export async function whyUnseen(db: Kysely<Tables>, selection: Selection, fact: CoveredFact): Promise<string | null> {
  const reasons = await db
    .selectFrom("coverage")
    .select(["why", (eb) => eb.fn.countAll<number>().as("times")])
    .where("fact", "=", fact)
    .where("level", "<>", "full")
    .where("why", "is not", null)
    .where(ofSessions(selection, "coverage.session"))
    .where(anythingOf(selection, ["turns", "requests"], "coverage.session"))
    .groupBy("why")
    .orderBy("times", "desc")
    .orderBy("why")
    .limit(3)
    .execute();
  return reasons.length === 0 ? null : reasons.map((row) => row.why).join("; ");
}
