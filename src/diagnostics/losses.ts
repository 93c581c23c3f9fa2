import { type Kysely, sql } from "kysely";
import type { Digest } from "../events/event.js";
import { hexOf } from "../events/identity.js";
import type { Tables } from "../store/schema.js";
import { inScope, type Selection } from "../store/scope.js";
import { exactBounds, type Interval } from "./statistics.js";

/** What one compaction lost. */
export interface CompactionLosses {
  eventId: string;
  session: string;
  agent: string;
  lane: string | null;
  recipe: string;
  version: string | null;
  trigger: string;
  atMs: number | null;
  /** Fault of the checkpoint, `none`, or null when its text was not seen. */
  fault: string | null;
  judgment: Survival | null;
  /** Why there is no judgment; null when there is one. */
  unjudged: string | null;
}

export interface Survival {
  judge: string;
  judgeVersion: string | null;
  /** Σ weight of kept / Σ weight of kept, restorable and lost; and the same with restorable among the kept. */
  score: number | null;
  scoreOrRestorable: number | null;
  /** Without weights, with exact one-sided 95 % bounds of the share. */
  kept: number;
  total: number;
  bounds: Interval | null;
  /** Where the replaced text stands: the file, and whether it tells the words of the facts. */
  source: string;
  kinds: KindSum[];
  /** The weightiest first, then in the order of the text. */
  lost: LostFact[];
}

export interface KindSum {
  kind: string;
  facts: number;
  kept: number;
  restorable: number;
  lost: number;
  ambiguous: number;
  superseded: number;
  notAtRisk: number;
}

export interface LostFact {
  kind: string;
  /** Hex digest of kind and value. */
  digest: string;
  /** Byte offset of the record in `source`. */
  position: number | null;
  turn: string | null;
  toolCall: string | null;
  weight: number;
  isConstraint: boolean;
  /** What it says; null unless texts were kept, or the source was read again. */
  words: string | null;
}

/**
 * Compaction losses: facts of the replaced text that the checkpoint does not say any more, compaction by compaction.
 *
 *     survival = Σ weight of kept / Σ weight of kept, restorable and lost     (0..1, higher is better)
 *
 * - By the judge that counts facts. Its controls (the text itself scores 1, nothing 0, a foreign checkpoint at most
 *   0.02) passed for every judgment that is shown; a judgment that failed one was not recorded, and is unjudged.
 * - Ambiguous facts (any checkpoint may hold them), superseded ones and facts of the kept tail are counted, not scored.
 * - One-sided: a lost fact is not in the text any more; a kept one was not necessarily understood.
 */
export async function losses(db: Kysely<Tables>, selection: Selection): Promise<CompactionLosses[]> {
  const compactions = await db
    .selectFrom("compactions")
    .innerJoin("sessions", "sessions.id", "compactions.session")
    .innerJoin("words as agent", "agent.id", "sessions.agent")
    .innerJoin("words as recipe", "recipe.id", "compactions.recipe")
    .leftJoin("lanes", "lanes.id", "compactions.lane")
    .leftJoin("words as version", "version.id", "compactions.recipe_version")
    .leftJoin("words as fault", "fault.id", "compactions.checkpoint_fault")
    .select([
      "compactions.event_id",
      "sessions.session_id as session",
      "agent.text as agent",
      "lanes.lane_id as lane",
      "recipe.text as recipe",
      "version.text as version",
      "compactions.trigger",
      "compactions.at_ms as atMs",
      "fault.text as fault",
      sql<string | null>`(select why.text from notes
        join words as note on note.id = notes.kind left join words as why on why.id = notes.name
        where note.text = 'unjudged' and notes.session = compactions.session
          and notes.detail = lower(hex(compactions.event_id)) limit 1)`.as("why"),
    ])
    .where(inScope(selection, "compactions"))
    .where("compactions.form", "=", "full")
    .where("compactions.outcome", "in", ["applied", "indeterminate"])
    .orderBy("compactions.at_ms")
    .orderBy("compactions.event_id")
    .execute();
  const result: CompactionLosses[] = [];
  for (const { event_id, why, ...compaction } of compactions) {
    const judgment = await survivalOf(db, event_id);
    const unjudged = judgment !== null ? null : (why ?? (compaction.fault === null ? "no_checkpoint" : "not_judged"));
    result.push({ eventId: hexOf(event_id), ...compaction, judgment, unjudged });
  }
  return result;
}

async function survivalOf(db: Kysely<Tables>, compaction: Digest): Promise<Survival | null> {
  const judgment = await db
    .selectFrom("judgments")
    .innerJoin("words as judge", "judge.id", "judgments.judge")
    .innerJoin("sources", "sources.id", "judgments.source")
    .leftJoin("words as version", "version.id", "judgments.judge_version")
    .select([
      "judgments.id",
      "judge.text as judge",
      "version.text as judgeVersion",
      "judgments.score",
      "judgments.facts_passed as kept",
      "judgments.facts_total as total",
      "sources.locator as source",
    ])
    .where("judgments.compaction", "=", compaction)
    .where("judgments.counted", "=", 1)
    .where("judgments.judge_kind", "=", "fact")
    .where(({ not, exists, selectFrom }) =>
      not(
        exists(
          selectFrom("judgments as newer").select("newer.id").whereRef("newer.supersedes", "=", "judgments.event_id"),
        ),
      ),
    )
    .orderBy("judgments.at_ms", "desc")
    .orderBy("version.text", "desc")
    .executeTakeFirst();
  if (judgment === undefined) return null;
  const facts = await db
    .selectFrom("facts")
    .innerJoin("words as kind", "kind.id", "facts.kind")
    .select([
      "kind.text as kind",
      "facts.digest",
      "facts.byte_position as position",
      "facts.text as words",
      "facts.origin_turn as turn",
      "facts.origin_tool_call as toolCall",
      "facts.state",
      "facts.weight",
      "facts.is_constraint",
    ])
    .where("facts.judgment", "=", judgment.id)
    .orderBy("facts.weight", "desc")
    .orderBy("facts.byte_position")
    .orderBy("facts.digest")
    .execute();
  const weigh = (...states: string[]) =>
    facts.reduce((sum, { state, weight }) => sum + (states.includes(state) ? weight : 0), 0);
  const scored = weigh("kept", "restorable", "lost");
  const { id: _, kept, total, ...told } = judgment;
  return {
    ...told,
    scoreOrRestorable: scored === 0 ? null : weigh("kept", "restorable") / scored,
    kept: kept ?? 0,
    total: total ?? 0,
    bounds: exactBounds(kept ?? 0, total ?? 0),
    kinds: kindsOf(facts),
    lost: facts
      .filter(({ state }) => state === "lost")
      .map(({ state: _, digest, is_constraint, ...fact }) => ({
        ...fact,
        digest: hexOf(digest),
        isConstraint: is_constraint === 1,
      })),
  };
}

function kindsOf(facts: { kind: string; state: string }[]): KindSum[] {
  return [...new Set(facts.map(({ kind }) => kind))].sort().map((kind) => {
    const own = facts.filter((fact) => fact.kind === kind);
    const count = (state: string) => own.filter((fact) => fact.state === state).length;
    return {
      kind,
      facts: own.length,
      kept: count("kept"),
      restorable: count("restorable"),
      lost: count("lost"),
      ambiguous: count("ambiguous"),
      superseded: count("superseded"),
      notAtRisk: count("not_at_risk"),
    };
  });
}
