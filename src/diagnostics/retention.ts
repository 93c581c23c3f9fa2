import { isJudge, type JudgedCompaction, type Judgment, judgesOf, judgeToGoBy } from "./judgments.js";
import { exactBounds, type Interval, meanInterval } from "./statistics.js";
import { measured, type Value, withheld } from "./value.js";

export interface Retention {
  judge: string | null;
  judgeVersion: string | null;
  /** Mean score of the judged compactions; `count` is how many were judged, `of` how many there are. */
  retention: Value;
  /** Lowest score, unrounded; null when nothing was judged. */
  worst: number | null;
  /** Judged compactions below the floor. */
  below: number;
}

/**
 * Retention: how much needed meaning the compactions kept, in one judge's view.
 *
 *     retention = mean of the latest judgment per compaction      (0..1, higher is better)
 *
 * - One judge in one version; two judges are two columns and are never mixed. Without `--judge` it is the only judge
 *   there is, else `fact`; when several others judged, none is chosen.
 * - A judgment that another one replaces does not count.
 * - Unjudged compactions are counted, never taken as 0 or 1. Nothing judged: no value.
 * - The mean can meet a floor that a single compaction fails: see `worst` and `below`.
 * - Interval: exact over all facts when every judgment counts facts (two one-sided 95 % bounds, as the floor check
 *   uses), else a bootstrap over compactions from 10 on.
 * - A high score of a deterministic judge means "not refuted", not "proven".
 */
export function retention(compactions: JudgedCompaction[], floor: number, named?: string): Retention {
  const judge = judgeToGoBy(compactions, named);
  if (judge === null) return undecided(compactions);
  const columns = retentionByJudge(compactions, floor).filter((column) => isJudge(judge, asJudge(column)));
  return columns[0] ?? columnOf(judge, null, [], compactions.length, floor);
}

/** One column per judge and version, the one that judged last first. */
export function retentionByJudge(compactions: JudgedCompaction[], floor: number): Retention[] {
  const columns = new Map<string, Judgment[]>();
  for (const judgment of compactions.flatMap(({ judgments }) => judgments)) {
    const key = JSON.stringify([judgment.judge, judgment.judgeVersion]);
    columns.set(key, [...(columns.get(key) ?? []), judgment]);
  }
  return [...columns.values()]
    .sort((a, b) => lastOf(b) - lastOf(a) || nameOf(a).localeCompare(nameOf(b)))
    .map((judgments) =>
      columnOf(judgments[0]!.judge, judgments[0]!.judgeVersion, judgments, compactions.length, floor),
    );
}

function columnOf(
  judge: string | null,
  judgeVersion: string | null,
  judgments: Judgment[],
  compactions: number,
  floor: number,
): Retention {
  const scored = judgments.filter((judgment) => judgment.score !== null);
  const scores = scored.map((judgment) => judgment.score!);
  return {
    judge,
    judgeVersion,
    retention: measured({
      method: "compaction.retention/1",
      evidence: "judgments",
      kind: "sample",
      value: scores.length === 0 ? null : scores.reduce((sum, score) => sum + score, 0) / scores.length,
      count: scores.length,
      of: compactions,
      nUnit: "compactions",
      coverage: { observed: scores.length, expected: compactions },
      ci: intervalOf(scored),
      unseen: "unjudged",
      nothing: "no compaction",
    }),
    worst: scores.length === 0 ? null : Math.min(...scores),
    below: scores.filter((score) => score < floor).length,
  };
}

function undecided(compactions: JudgedCompaction[]): Retention {
  const judges = judgesOf(compactions);
  const column = columnOf(null, null, [], compactions.length, 0);
  if (judges.length === 0) return column;
  const reason = `judged by ${judges.join(" and ")}: name one with --judge`;
  return { ...column, retention: withheld(column.retention, "insufficient", reason) };
}

function intervalOf(judgments: Judgment[]): Interval | null {
  if (judgments.length > 0 && judgments.every(({ facts }) => facts !== null)) {
    const sum = (name: "passed" | "total") => judgments.reduce((total, { facts }) => total + facts![name], 0);
    return exactBounds(sum("passed"), sum("total"));
  }
  return meanInterval(judgments.map(({ score }) => score!));
}

function asJudge({ judge, judgeVersion }: Retention) {
  return { judge: judge ?? "", judgeVersion };
}

function lastOf(judgments: Judgment[]): number {
  return Math.max(...judgments.map(({ atMs }) => atMs ?? 0));
}

function nameOf([first]: Judgment[]): string {
  return `${first!.judge}@${first!.judgeVersion}`;
}
