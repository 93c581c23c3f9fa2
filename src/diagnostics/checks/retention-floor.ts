import type { Kysely } from "kysely";
import type { Tables } from "../../store/schema.js";
import type { Selection } from "../../store/scope.js";
import { counted, figure } from "../figure.js";
import {
  isJudge,
  type JudgedCompaction,
  type Judgment,
  judgedCompactions,
  judgesOf,
  judgeToGoBy,
} from "../judgments.js";
import { exactBounds, factsToSettle } from "../statistics.js";
import { thrash } from "../thrash.js";
import { visibilityOf } from "../visibility.js";
import { type CheckOptions, type CheckResult, type Evidence, evidenceOf, type Finding } from "./check.js";

/**
 * Retention floor: every compaction kept enough, in the named judge's view.
 *
 * - A judgment without counts: the raw, unrounded score at or above the floor passes, below it is a violation.
 * - A judgment that counts facts: exact one-sided 95 % bounds. Upper bound below the floor is a violation, lower bound
 *   above it passes ("not refuted"), between them is unmeasured and says how many facts would settle it.
 * - A degenerate checkpoint and a lost user constraint are violations whatever the score, by any judge.
 * - Unjudged is unmeasured, unless `allowUnjudged` accepts it. Judges are never mixed: with several and none named
 *   (and none called `fact`) everything is unmeasured.
 * - Three or more compactions with fewer than four turns between are noted as thrash.
 * - No compaction, although compactions could be seen: not applicable.
 */
export async function retentionFloor(
  db: Kysely<Tables>,
  selection: Selection,
  options: CheckOptions,
): Promise<CheckResult> {
  const compactions = await judgedCompactions(db, selection);
  if (compactions.length === 0) return nothingCompacted(db, selection);
  const judge = judgeToGoBy(compactions, options.judge);
  const findings = compactions.flatMap((compaction) => findingsOf(compaction, judge, options));
  findings.push(...(await thrashFindings(db, selection)));
  const withOutcome = (outcome: Evidence["outcome"]) =>
    new Set(findings.filter((finding) => finding.outcome === outcome).map(({ id }) => id)).size;
  const violations = withOutcome("violation");
  const unmeasured = withOutcome("unmeasured");
  const accepted = findings.filter(
    ({ outcome, message }) => outcome === "noted" && message.includes("unjudged"),
  ).length;
  return {
    id: "retention_floor",
    verdict: violations > 0 ? "violated" : unmeasured > 0 ? "unmeasured" : "pass",
    violations,
    unmeasured,
    summary: `${counted(compactions.length, "compaction")}, ${violations} below ${options.floor} or faulty, ${unmeasured} undecided${accepted > 0 ? `, ${accepted} unjudged accepted` : ""}, by ${judge ?? "no judge"}`,
    tries: [
      ...(violations > 0 ? ["let the recipe keep more, or accept less on purpose: --floor"] : []),
      ...(unmeasured > 0 ? triesFor(compactions, judge) : []),
    ],
    evidence: await evidenceOf(db, findings),
  };
}

async function nothingCompacted(db: Kysely<Tables>, selection: Selection): Promise<CheckResult> {
  const { level, why } = await visibilityOf(db, selection, "compactions");
  const blind = level === "absent";
  return {
    id: "retention_floor",
    verdict: blind ? "unmeasured" : "not_applicable",
    violations: 0,
    unmeasured: blind ? 1 : 0,
    summary: blind ? "compactions cannot be seen" : "no compaction",
    tries: why === null ? [] : [why],
    evidence: [],
  };
}

/** Compactions that follow each other too closely are noted: what was kept of them matters little. */
async function thrashFindings(db: Kysely<Tables>, selection: Selection): Promise<Finding[]> {
  return (await thrash(db, selection)).map(({ compactions, turnsBetween }) => ({
    table: "compactions",
    id: compactions.at(-1)!.id,
    outcome: "noted",
    message: `thrash: the last of ${compactions.length} compactions with at most ${counted(Math.max(...turnsBetween), "turn")} between`,
  }));
}

/** What speaks against one compaction, or leaves it open; nothing when it passes. */
function findingsOf(compaction: JudgedCompaction, judge: string | null, options: CheckOptions): Finding[] {
  const finding = (outcome: Evidence["outcome"], message: string): Finding => ({
    table: "compactions",
    id: compaction.id,
    outcome,
    message: `${compaction.recipe}${compaction.version === null ? "" : ` ${compaction.version}`}: ${message}`,
  });
  const findings: Finding[] = [];
  if (compaction.fault !== null && compaction.fault !== "none")
    findings.push(finding("violation", `degenerate checkpoint: ${compaction.fault}`));
  const latest = compaction.judgments.filter(
    (said, at, all) => all.findIndex((other) => other.judge === said.judge) === at,
  );
  const lost = Math.max(0, ...latest.map(({ lostConstraints }) => lostConstraints));
  if (lost > 0) {
    findings.push(
      finding(options.allowLostConstraints ? "noted" : "violation", `${counted(lost, "user constraint")} lost`),
    );
  }
  const judgment = compaction.judgments.find((said) => judge !== null && isJudge(judge, said));
  const verdict = judged(judgment, options.floor);
  if (verdict === null) return findings;
  const accepted = verdict.outcome === "unmeasured" && judgment?.score == null && options.allowUnjudged;
  return [...findings, finding(accepted ? "noted" : verdict.outcome, verdict.message)];
}

/** Null when the judgment passes. */
function judged(
  judgment: Judgment | undefined,
  floor: number,
): { outcome: "violation" | "unmeasured"; message: string } | null {
  if (judgment === undefined || judgment.score === null) return { outcome: "unmeasured", message: "unjudged" };
  const { score, facts } = judgment;
  if (facts === null)
    return score >= floor ? null : { outcome: "violation", message: `retention ${score} is below ${floor}` };
  const [low, high] = exactBounds(facts.passed, facts.total)!;
  const at = (bound: number) => figure(bound, [floor]);
  const kept = `${facts.passed} of ${facts.total} facts kept`;
  if (high < floor) return { outcome: "violation", message: `${kept}: at most ${at(high)}, below ${floor}` };
  if (low > floor) return null;
  const needed = factsToSettle(facts.passed, facts.total, floor);
  const settle = needed === null ? "no number of facts at this share settles it" : `${needed} facts would settle it`;
  const message = `${kept}: between ${at(low)} and ${at(high)}, neither side of ${floor}; ${settle}`;
  return { outcome: "unmeasured", message };
}

function triesFor(compactions: JudgedCompaction[], judge: string | null): string[] {
  const others = judgesOf(compactions).filter((name) => name !== judge);
  return [...others.map((name) => `--judge ${name}`), "a judgment: sonny record", "accepting it: --allow-unjudged"];
}
