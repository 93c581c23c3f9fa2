import { type Kysely, sql } from "kysely";
import type { Tables } from "../../store/schema.js";
import { inScope, type Selection } from "../../store/scope.js";
import { counted } from "../figure.js";
import { visibilityOf } from "../visibility.js";
import { type CheckOptions, type CheckResult, evidenceOf, type Finding } from "./check.js";

/**
 * Return contract: tools, subagents and final answers returned what they promised.
 *
 * - Violations that were recorded, unless a waiver with author and reason accepts them and has not expired.
 * - Violations that follow from the records: a call whose result never came (`result_missing`), a result nobody asked
 *   for (`result_orphan`). A call that nothing follows in its lane, or in a turn that was interrupted, was interrupted:
 *   noted.
 * - Violations that importers read from transcripts: arguments that are no JSON object (`args_not_json`), or that the
 *   agent refused (`args_schema`, with the parameter where it is named); a call of a tool that does not exist
 *   (`tool_unknown`); a call that was cut off with the answer (`truncated_json`). Bad arguments (`args_*`) that the same
 *   turn repaired by a later successful call of the same tool: noted.
 * - What a tool's output should look like stands in no transcript, so `output_not_json` and `output_schema` are never
 *   computed; a checker of one's own can record them, or any other code, with `sonny record`.
 * - A contract that was declared and never checked is unmeasured. No contract and no tool call, although they could
 *   be seen: not applicable.
 *
 * A tool that reports an error has returned; that is no violation.
 */
export async function returnContract(
  db: Kysely<Tables>,
  selection: Selection,
  options: CheckOptions,
): Promise<CheckResult> {
  const checks = await contractChecks(db, selection);
  const waivers = await waiversOf(db, selection);
  const calls = await toolCalls(db, selection);
  const findings = [
    ...checks.rows.map((row) => recorded(row, waivers.get(row.id) ?? [], options.nowMs)),
    ...(await unansweredCalls(db, selection)),
    ...(await orphanResults(db, selection)),
  ];
  const violations = findings.filter(({ outcome }) => outcome === "violation").length;
  const unmeasured = findings.filter(({ outcome }) => outcome === "unmeasured").length;
  const looked = checks.total + calls;
  const { level, why } = await visibilityOf(db, selection, "tool_calls");
  const blind = looked === 0 && level === "absent";
  return {
    id: "return_contract",
    verdict:
      violations > 0 ? "violated" : unmeasured > 0 || blind ? "unmeasured" : looked === 0 ? "not_applicable" : "pass",
    violations,
    unmeasured: blind ? 1 : unmeasured,
    summary: blind
      ? "tool calls cannot be seen"
      : looked === 0
        ? "no tool call and no contract"
        : `${counted(violations, "violation")} in ${counted(calls, "tool call")} and ${counted(checks.total, "recorded check")}`,
    tries:
      blind && why !== null ? [why] : violations > 0 ? ["sonny record: a waiver with author, reason and expiry"] : [],
    evidence: await evidenceOf(db, findings),
  };
}

interface CheckRow {
  id: number;
  outcome: string;
  contract: string;
  code: string | null;
  subject: string | null;
  pointer: string | null;
  detail: string | null;
  repaired: number;
}

async function contractChecks(db: Kysely<Tables>, selection: Selection): Promise<{ total: number; rows: CheckRow[] }> {
  const { total } = await db
    .selectFrom("contract_checks")
    .select(sql<number>`count(*)`.as("total"))
    .where(inScope(selection, "contract_checks"))
    .executeTakeFirstOrThrow();
  const repaired = sql<number>`ifnull(code.text, '') like 'args\\_%' escape '\\' and exists (
    select 1 from tool_calls as again
    left join tool_calls as first on first.session = again.session and first.call_id = "check".subject_ref
    where again.session = "check".session and again.turn = "check".turn and again.at_ms > "check".at_ms
      and again.is_error = 0 and again.result_seen = 1
      and again.tool = ifnull(first.tool, "check".contract))`;
  const rows = await db
    .selectFrom("contract_checks as check")
    .innerJoin("words as contract", "contract.id", "check.contract")
    .leftJoin("words as code", "code.id", "check.code")
    .select([
      "check.id",
      "check.outcome",
      "contract.text as contract",
      "code.text as code",
      "check.subject_ref as subject",
      "check.pointer",
      "check.detail",
      repaired.as("repaired"),
    ])
    .where(inScope(selection, "contract_checks", "check"))
    .where("check.outcome", "<>", "pass")
    .execute();
  return { total, rows };
}

interface Waiver {
  author: string;
  reason: string;
  expiresAtMs: number | null;
}

/** Waivers of the checks in scope, by the check's row. */
async function waiversOf(db: Kysely<Tables>, selection: Selection): Promise<Map<number, Waiver[]>> {
  const rows = await db
    .selectFrom("contract_checks as check")
    .innerJoin("waivers", "waivers.violation", "check.event_id")
    .select(["check.id", "waivers.author", "waivers.reason", "waivers.expires_at_ms as expiresAtMs"])
    .where(inScope(selection, "contract_checks", "check"))
    .where("waivers.counted", "=", 1)
    .orderBy("waivers.at_ms")
    .orderBy("waivers.event_id")
    .execute();
  const byCheck = new Map<number, Waiver[]>();
  for (const { id, ...waiver } of rows) byCheck.set(id, [...(byCheck.get(id) ?? []), waiver]);
  return byCheck;
}

function recorded(row: CheckRow, waivers: Waiver[], nowMs: number): Finding {
  const finding = (outcome: Finding["outcome"], note = ""): Finding => ({
    table: "contract_checks",
    id: row.id,
    outcome,
    message: `${[row.contract, row.code, row.pointer, row.detail].filter(Boolean).join(": ")}${note}`,
  });
  if (row.outcome === "repaired") return finding("noted", ", repaired");
  if (row.outcome === "waived") return finding("noted", ", waived");
  if (row.outcome === "unchecked") return finding("unmeasured", ", declared and never checked");
  const valid = waivers.find(({ expiresAtMs }) => expiresAtMs === null || expiresAtMs > nowMs);
  if (valid !== undefined) return finding("noted", `, waived by ${valid.author}: ${valid.reason}`);
  if (row.repaired === 1) return finding("noted", ", repaired by a later call in the same turn");
  const expired = waivers.at(-1);
  return finding("violation", expired === undefined ? "" : `, the waiver by ${expired.author} has expired`);
}

async function toolCalls(db: Kysely<Tables>, selection: Selection): Promise<number> {
  const { calls } = await db
    .selectFrom("tool_calls")
    .select(sql<number>`count(*)`.as("calls"))
    .where(inScope(selection, "tool_calls"))
    .executeTakeFirstOrThrow();
  return calls;
}

/** Calls without a result here or in any other source. */
async function unansweredCalls(db: Kysely<Tables>, selection: Selection): Promise<Finding[]> {
  const rows = await db
    .selectFrom("tool_calls as call")
    .leftJoin("words as tool", "tool.id", "call.tool")
    .leftJoin("turns", "turns.id", "call.turn")
    .select([
      "call.id",
      "tool.text as tool",
      sql<number>`ifnull(turns.outcome, '') = 'interrupted' or not exists (
        select 1 from requests
        where requests.session = call.session and requests.lane = call.lane and requests.at_ms > call.at_ms)`.as(
        "interrupted",
      ),
    ])
    .where(inScope(selection, "tool_calls", "call"))
    .where("call.use_seen", "=", 1)
    .where("call.result_seen", "=", 0)
    .where(sql<boolean>`not exists (
      select 1 from tool_calls as copy where copy.event_id = call.event_id and copy.result_seen = 1)`)
    .execute();
  return rows.map(({ id, tool, interrupted }) => ({
    table: "tool_calls",
    id,
    outcome: interrupted === 1 ? "noted" : "violation",
    message: `${tool ?? "a tool"}: ${interrupted === 1 ? "interrupted before its result" : "result_missing"}`,
  }));
}

/** Results without a call here or in any other source. */
async function orphanResults(db: Kysely<Tables>, selection: Selection): Promise<Finding[]> {
  const rows = await db
    .selectFrom("tool_calls as call")
    .select(["call.id", "call.call_id as callId"])
    .where(inScope(selection, "tool_calls", "call"))
    .where("call.use_seen", "=", 0)
    .where(sql<boolean>`not exists (
      select 1 from tool_calls as copy where copy.event_id = call.event_id and copy.use_seen = 1)`)
    .execute();
  return rows.map(({ id, callId }) => ({
    table: "tool_calls",
    id,
    outcome: "violation",
    message: `result_orphan: no call ${callId ?? "with an id"}`,
  }));
}
