import { type Kysely, sql } from "kysely";
import type { Tables } from "../../store/schema.js";
import type { Selection } from "../../store/scope.js";
import { counted } from "../figure.js";
import { differenceBetween } from "../first-difference.js";
import { transitionsOf } from "../transitions.js";
import { visibilityOf } from "../visibility.js";
import { type CheckOptions, type CheckResult, evidenceOf, type Finding } from "./check.js";

/** Reasons that say by themselves that the shell changed; a compaction or a resume need not touch it. */
const SHELL_REASONS = ["tools", "instructions", "model", "mode", "upgrade"];
const DRIFT_REASONS = ["system_changed", "tools_changed"];
/** Of so many changes it is said where they begin. */
const TOLD = 50;
const STEADY = "keep tools and instructions as they are within a session, or declare the change";
/** Digests decide when at least this share of the transitions has them. */
const ENOUGH = 0.9;

/**
 * Shell stability: the shell (system and tool segments in wire order) stays the same from request to request of a lane,
 * unless a change was declared.
 *
 * The best evidence there is decides, and is named:
 * 1. shell digests, when 90 % of the transitions have them: a changed digest without a declared reason is drift;
 * 2. the provider's own miss reasons, when the client records them: `system_changed` and `tools_changed` are drift;
 * 3. changes that the client records (tools, instructions, mode, version): declared, so listed and not violated.
 *
 * Drift that any evidence shows is a violation, however thin the evidence is otherwise. Declared changes are violations
 * with `strictDeclared` only. Nothing of the three recorded: unmeasured. No lane with two requests: not applicable.
 */
export async function shellStability(
  db: Kysely<Tables>,
  selection: Selection,
  options: CheckOptions,
): Promise<CheckResult> {
  const seen = await seenTransitions(db, selection);
  const digests = seen.known > 0 && seen.known >= ENOUGH * seen.all;
  const reasons = await visibilityOf(db, selection, "miss_reasons");
  const deltas = await visibilityOf(db, selection, "shell_deltas");
  const whole = await visibilityOf(db, selection, "shell_digests");
  const basis = digests
    ? "shell digests"
    : reasons.level === "full"
      ? "the provider's miss reasons"
      : deltas.level === "full"
        ? "changes the client recorded"
        : null;
  const changed = await changes(db, selection);
  const findings = changed.map((row) => findingOf(row, digests, options)).filter((finding) => finding !== null);
  const found = await withDifference(db, findings, changed);
  const violations = found.filter(({ outcome }) => outcome === "violation").length;
  const declared = found.length - violations;
  const blind = basis === null && violations === 0 && seen.all > 0;
  return {
    id: "shell_stability",
    verdict: violations > 0 ? "violated" : seen.all === 0 ? "not_applicable" : blind ? "unmeasured" : "pass",
    violations,
    unmeasured: blind ? seen.all : 0,
    summary:
      seen.all === 0
        ? "no lane with two requests"
        : blind
          ? `the shell cannot be seen in ${counted(seen.all, "transition")}`
          : `${counted(violations, "change")} held against it and ${declared} declared in ${counted(seen.all, "transition")}, by ${basis ?? "what little was recorded"}`,
    tries: blind ? wouldShow([reasons.why, deltas.why, whole.why]) : violations > 0 ? [STEADY] : [],
    evidence: await evidenceOf(db, found),
  };
}

async function seenTransitions(db: Kysely<Tables>, selection: Selection) {
  return db
    .selectFrom(transitionsOf(db, selection).as("transition"))
    .select([sql<number>`count(*)`.as("all"), sql<number>`ifnull(sum(known), 0)`.as("known")])
    .executeTakeFirstOrThrow();
}

/** Transitions that any evidence calls a change. */
function changes(db: Kysely<Tables>, selection: Selection) {
  return db
    .selectFrom(transitionsOf(db, selection).as("transition"))
    .leftJoin("words as miss", "miss.id", "transition.miss_reason")
    .select(["transition.id", "tip", "earlier_tip", "changed", "reordered", "declared", "miss.text as missReason"])
    .where((eb) => eb.or([eb("changed", "=", 1), eb("miss.text", "in", DRIFT_REASONS), eb("declared", "is not", null)]))
    .execute();
}

type Change = Awaited<ReturnType<typeof changes>>[number];

/** Null when the transition is no change of the shell after all. */
function findingOf(change: Change, byDigest: boolean, options: CheckOptions): Finding | null {
  const { id, changed, reordered, missReason } = change;
  const drifted = changed === 1 || (changed === null && DRIFT_REASONS.includes(missReason ?? ""));
  const reason = change.declared?.split(/[, ]+/).filter((word) => drifted || SHELL_REASONS.includes(word)) ?? [];
  if (!drifted && (byDigest || reason.length === 0)) return null;
  const what = reordered === 1 ? "same segments in another order" : changed === 1 ? "shell digest changed" : missReason;
  const table = "requests";
  if (reason.length === 0)
    return { table, id, outcome: "violation", message: `${what ?? "shell changed"}, no reason declared` };
  const message = `${drifted ? what : "change recorded"}, declared: ${reason.join(", ")}`;
  return { table, id, outcome: options.strictDeclared ? "violation" : "noted", message };
}

/** Says of the first changes in which segment they begin, where layouts were recorded. */
async function withDifference(db: Kysely<Tables>, findings: Finding[], changed: Change[]): Promise<Finding[]> {
  const told: Finding[] = [];
  for (const [at, finding] of findings.entries()) {
    const row = at < TOLD ? changed.find(({ id }) => id === finding.id) : undefined;
    const difference = row?.changed !== 1 ? null : await differenceBetween(db, row.earlier_tip, row.tip);
    const where = difference === null ? "" : `, from segment ${difference.position} (${difference.segmentKind}) on`;
    told.push({ ...finding, message: finding.message + where });
  }
  return told;
}

/** What would make the shell visible, in the words of the sources themselves. */
function wouldShow(why: (string | null)[]): string[] {
  const said = [...new Set(why.filter((text) => text !== null))];
  return said.length > 0 ? said : ["record shell digests, the provider's miss reasons or declared changes"];
}
