import { type Kysely, sql } from "kysely";
import type { Digest } from "../events/event.js";
import type { Tables } from "../store/schema.js";
import { inScope, type Selection } from "../store/scope.js";

/** A compaction that took place, with what every judge last said of it. */
export interface JudgedCompaction {
  id: number;
  eventId: Digest;
  recipe: string;
  version: string | null;
  countMethod: string | null;
  /** Fault of the checkpoint, `none`, or null when its text was not seen. */
  fault: string | null;
  judgments: Judgment[];
}

/** The latest judgment of one judge in one version that no other judgment replaced. */
export interface Judgment {
  judge: string;
  judgeVersion: string | null;
  judgeKind: string;
  atMs: number | null;
  /** 0..1, unrounded; null when the judge could not score. */
  score: number | null;
  /** Facts or probes behind the score; null when the judge does not count. */
  facts: { passed: number; total: number } | null;
  lostConstraints: number;
}

/** Full compactions in scope that were applied, or may have been, in order of time. */
export async function judgedCompactions(db: Kysely<Tables>, selection: Selection): Promise<JudgedCompaction[]> {
  const rows = await db
    .selectFrom("compactions")
    .innerJoin("words as recipe", "recipe.id", "compactions.recipe")
    .leftJoin("words as version", "version.id", "compactions.recipe_version")
    .leftJoin("words as method", "method.id", "compactions.count_method")
    .leftJoin("words as fault", "fault.id", "compactions.checkpoint_fault")
    .leftJoin("judgments", (join) =>
      join
        .onRef("judgments.compaction", "=", "compactions.event_id")
        .on("judgments.counted", "=", 1)
        .on(({ not, exists, selectFrom }) =>
          not(
            exists(
              selectFrom("judgments as newer")
                .select("newer.id")
                .whereRef("newer.compaction", "=", "compactions.event_id")
                .whereRef("newer.supersedes", "=", "judgments.event_id"),
            ),
          ),
        ),
    )
    .leftJoin("words as judge", "judge.id", "judgments.judge")
    .leftJoin("words as judge_version", "judge_version.id", "judgments.judge_version")
    .select([
      "compactions.id",
      "compactions.event_id as eventId",
      "recipe.text as recipe",
      "version.text as version",
      "method.text as countMethod",
      "fault.text as fault",
      "judge.text as judge",
      "judge_version.text as judgeVersion",
      "judgments.judge_kind as judgeKind",
      "judgments.at_ms as atMs",
      "judgments.score",
      "judgments.facts_passed as passed",
      "judgments.facts_total as total",
      sql<number>`(select count(*) from facts
        where facts.judgment = judgments.id and facts.is_constraint = 1 and facts.state = 'lost')`.as(
        "lostConstraints",
      ),
    ])
    .where(inScope(selection, "compactions"))
    .where("compactions.form", "=", "full")
    .where("compactions.outcome", "in", ["applied", "indeterminate"])
    .orderBy("compactions.at_ms")
    .orderBy("compactions.event_id")
    .orderBy("judgments.at_ms", "desc")
    .orderBy("judgments.event_id", "desc")
    .execute();
  const compactions = new Map<number, JudgedCompaction>();
  for (const row of rows) {
    const { id, eventId, recipe, version, countMethod, fault } = row;
    const compaction = compactions.get(id) ?? { id, eventId, recipe, version, countMethod, fault, judgments: [] };
    compactions.set(id, compaction);
    if (row.judge === null || judgeSpoke(compaction, row.judge, row.judgeVersion)) continue;
    compaction.judgments.push(judgmentOf({ ...row, judge: row.judge }));
  }
  return [...compactions.values()];
}

/** Whether a judge's name, or `name@version`, is the one that was asked for. */
export function isJudge(named: string, { judge, judgeVersion }: { judge: string; judgeVersion: string | null }) {
  return named === judge || named === `${judge}@${judgeVersion}`;
}

/** The judge to go by: the named one, else the only one, else `fact`, else nobody. */
export function judgeToGoBy(compactions: JudgedCompaction[], named: string | undefined): string | null {
  if (named !== undefined) return named;
  const judges = judgesOf(compactions);
  if (judges.length === 1) return judges[0]!;
  return judges.includes("fact") ? "fact" : null;
}

/** Names of all judges that spoke, sorted. */
export function judgesOf(compactions: JudgedCompaction[]): string[] {
  return [...new Set(compactions.flatMap(({ judgments }) => judgments.map(({ judge }) => judge)))].sort();
}

function judgeSpoke(compaction: JudgedCompaction, judge: string, version: string | null): boolean {
  return compaction.judgments.some((said) => said.judge === judge && said.judgeVersion === version);
}

function judgmentOf(row: {
  judge: string;
  judgeVersion: string | null;
  judgeKind: string | null;
  atMs: number | null;
  score: number | null;
  passed: number | null;
  total: number | null;
  lostConstraints: number;
}): Judgment {
  const facts = row.passed === null || !row.total ? null : { passed: row.passed, total: row.total };
  return {
    judge: row.judge,
    judgeVersion: row.judgeVersion,
    judgeKind: row.judgeKind!,
    atMs: row.atMs,
    score: row.score ?? (facts === null ? null : facts.passed / facts.total),
    facts,
    lostConstraints: row.lostConstraints,
  };
}
