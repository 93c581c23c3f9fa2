import type { Kysely } from "kysely";
import type { Tables } from "../store/schema.js";
import { inScope, type Selection } from "../store/scope.js";
import { anythingOf, TELLING } from "./sessions-in-scope.js";

/** What a report can be split by. */
export const GROUPINGS = ["recipe", "lane", "model", "day", "agent"] as const;
export type Grouping = (typeof GROUPINGS)[number];

/** One part of a selection: the selection, narrowed, so that every figure is the same figure of a smaller scope. */
export interface Part {
  key: string;
  part: Selection;
}

export type DayOf = (atMs: number) => { key: string; sinceMs: number; untilMs: number };

/**
 * The parts of the selection that hold anything, by kind of lane, model, agent, or day as `dayOf` has it.
 * Recipes narrow nothing but compactions and are a table of their own in every report: no parts.
 */
export async function groupsOf(db: Kysely<Tables>, selection: Selection, by: Grouping, dayOf: DayOf): Promise<Part[]> {
  if (by === "day") return days(db, selection, dayOf);
  if (by === "lane")
    return (await laneKinds(db, selection)).map((key) => ({ key, part: { ...selection, laneKind: key } }));
  if (by === "model")
    return (await models(db, selection)).map(({ key, id }) => ({ key, part: { ...selection, model: id } }));
  if (by === "agent")
    return (await agents(db, selection)).map(({ key, id }) => ({ key, part: { ...selection, agent: id } }));
  return [];
}

async function days(db: Kysely<Tables>, selection: Selection, dayOf: DayOf): Promise<Part[]> {
  const parts: Part[] = [];
  let next = await firstFrom(db, selection);
  while (next !== null) {
    const { key, sinceMs, untilMs } = dayOf(next);
    const part = {
      ...selection,
      sinceMs: Math.max(sinceMs, selection.sinceMs ?? sinceMs),
      untilMs: Math.min(untilMs, selection.untilMs ?? untilMs),
    };
    parts.push({ key, part });
    next = await firstFrom(db, { ...selection, sinceMs: part.untilMs });
  }
  return parts;
}

/** Time of the first turn, request or compaction in the selection. */
async function firstFrom(db: Kysely<Tables>, selection: Selection): Promise<number | null> {
  const firsts: number[] = [];
  for (const table of TELLING) {
    const row = await db
      .selectFrom(`${table as "requests"} as fact`)
      .select("fact.at_ms as at")
      .where(inScope(selection, table, "fact"))
      .where("fact.at_ms", "is not", null)
      .orderBy("fact.at_ms")
      .limit(1)
      .executeTakeFirst();
    if (row?.at != null) firsts.push(row.at);
  }
  return firsts.length === 0 ? null : Math.min(...firsts);
}

async function laneKinds(db: Kysely<Tables>, selection: Selection): Promise<string[]> {
  const kinds = new Set<string>();
  for (const table of TELLING) {
    const rows = await db
      .selectFrom(`${table as "requests"} as fact`)
      .innerJoin("lanes", "lanes.id", "fact.lane")
      .select("lanes.kind")
      .distinct()
      .where(inScope(selection, table, "fact"))
      .execute();
    for (const { kind } of rows) kinds.add(kind!);
  }
  return [...kinds].sort();
}

function models(db: Kysely<Tables>, selection: Selection) {
  return db
    .selectFrom("requests")
    .innerJoin("words", "words.id", "requests.model")
    .select(["words.text as key", "words.id"])
    .distinct()
    .where(inScope(selection, "requests"))
    .orderBy("words.text")
    .execute();
}

function agents(db: Kysely<Tables>, selection: Selection) {
  return db
    .selectFrom("sessions")
    .innerJoin("words", "words.id", "sessions.agent")
    .select(["words.text as key", "words.id"])
    .distinct()
    .where(anythingOf(selection, TELLING, "sessions.id"))
    .orderBy("words.text")
    .execute();
}
