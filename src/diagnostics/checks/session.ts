import { type Kysely, sql } from "kysely";
import type { Tables } from "../../store/schema.js";
import { inScope, inScopeWithCopies, type Scope, type ScopedTable, type Selection, select } from "../../store/scope.js";
import { sessionsInScope } from "../sessions-in-scope.js";
import { inSnapshot } from "../snapshot.js";
import { CHECKS, type Check, type CheckId, type CheckOptions, type CheckResult, type Verdict } from "./check.js";
import { retentionFloor } from "./retention-floor.js";
import { returnContract } from "./return-contract.js";
import { shellStability } from "./shell-stability.js";
import { tenantScope } from "./tenant-scope.js";

export interface SessionVerdict {
  session: string;
  agent: string | null;
  tenant: string | null;
  verdict: Verdict;
  /** Number of checks that are violated. */
  violated: number;
  checks: CheckResult[];
  /** What the verdict rests on. */
  observed: {
    turns: number;
    requests: number;
    /** Requests that the session inherited and another one counts. */
    inherited: number;
    toolCalls: number;
    compactions: number;
    firstAtMs: number | null;
    lastAtMs: number | null;
  };
}

/**
 * Runs all four checks on one session, on one state of the store; a violation in one never keeps another from running.
 *
 * Violated when any check is; else unmeasured when any is; else pass when at least one passed. A session nobody
 * recorded, and one with nothing in scope, is unmeasured.
 */
export function checkSession(
  db: Kysely<Tables>,
  scope: Scope & { session: string },
  options: CheckOptions,
): Promise<SessionVerdict> {
  return inSnapshot(db, async (db) => {
    const selection = await select(db, {
      ...scope,
      ...(options.tenant === undefined ? {} : { tenant: options.tenant }),
    });
    const observed = await observedIn(db, selection);
    const checks: CheckResult[] = [];
    for (const id of CHECKS) {
      const result = selection.session === 0 ? unknown(id, scope.session) : await byId[id](db, selection, options);
      checks.push(required(result, options.require));
    }
    return {
      session: scope.session,
      agent: scope.agent ?? (await agentOf(db, selection)),
      tenant: options.tenant ?? null,
      verdict: combined(checks.map(({ verdict }) => verdict)),
      violated: checks.filter(({ verdict }) => verdict === "violated").length,
      checks,
      observed,
    };
  });
}

/** Runs the checks on every session with anything in scope, in order of their ids, all on one state of the store. */
export function checkSessions(db: Kysely<Tables>, scope: Scope, options: CheckOptions): Promise<SessionVerdict[]> {
  return inSnapshot(db, async (db) => {
    const tenant = options.tenant === undefined ? {} : { tenant: options.tenant };
    const sessions = await sessionsInScope(db, await select(db, { ...scope, ...tenant }))
      .innerJoin("words", "words.id", "sessions.agent")
      .select(["sessions.session_id as session", "words.text as agent"])
      .orderBy("sessions.session_id")
      .orderBy("words.text")
      .execute();
    const verdicts: SessionVerdict[] = [];
    for (const session of sessions) verdicts.push(await checkSession(db, { ...scope, ...session }, options));
    return verdicts;
  });
}

/** One verdict out of several. */
export function combined(verdicts: Verdict[]): Verdict {
  if (verdicts.includes("violated")) return "violated";
  if (verdicts.includes("unmeasured")) return "unmeasured";
  return verdicts.includes("pass") ? "pass" : "unmeasured";
}

const byId: Record<CheckId, Check> = {
  shell_stability: shellStability,
  tenant_scope: tenantScope,
  retention_floor: retentionFloor,
  return_contract: returnContract,
};

function unknown(id: CheckId, session: string): CheckResult {
  const tries = ["sonny import", "the ids that are there: sonny context validate --all"];
  return {
    id,
    verdict: "unmeasured",
    violations: 0,
    unmeasured: 1,
    summary: `no records of session ${session}`,
    tries,
    evidence: [],
  };
}

function required(result: CheckResult, require: CheckId[]): CheckResult {
  if (result.verdict !== "not_applicable" || !require.includes(result.id)) return result;
  return { ...result, verdict: "unmeasured", unmeasured: 1, summary: `${result.summary}, and it was required` };
}

async function agentOf(db: Kysely<Tables>, selection: Selection): Promise<string | null> {
  const row = await db
    .selectFrom("sessions")
    .innerJoin("words", "words.id", "sessions.agent")
    .select("words.text as agent")
    .where("sessions.id", "=", selection.session ?? 0)
    .executeTakeFirst();
  return row?.agent ?? null;
}

async function observedIn(db: Kysely<Tables>, selection: Selection): Promise<SessionVerdict["observed"]> {
  const of = (table: ScopedTable, belongs = inScope) =>
    db
      .selectFrom(`${table as "requests"} as fact`)
      .select([
        sql<number>`count(*)`.as("rows"),
        sql<number | null>`min(at_ms)`.as("first"),
        sql<number | null>`max(at_ms)`.as("last"),
      ])
      .where(belongs(selection, table, "fact"))
      .executeTakeFirstOrThrow();
  const withCopies = await of("requests", inScopeWithCopies);
  const [turns, requests, toolCalls, compactions] = [
    await of("turns"),
    await of("requests"),
    await of("tool_calls"),
    await of("compactions"),
  ];
  const times = [turns, requests, toolCalls, compactions];
  const firsts = times.map(({ first }) => first).filter((time) => time !== null);
  const lasts = times.map(({ last }) => last).filter((time) => time !== null);
  return {
    turns: turns.rows,
    requests: requests.rows,
    inherited: withCopies.rows - requests.rows,
    toolCalls: toolCalls.rows,
    compactions: compactions.rows,
    firstAtMs: firsts.length === 0 ? null : Math.min(...firsts),
    lastAtMs: lasts.length === 0 ? null : Math.max(...lasts),
  };
}
