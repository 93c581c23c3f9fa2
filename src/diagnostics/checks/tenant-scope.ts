import { type Kysely, sql } from "kysely";
import type { Tables } from "../../store/schema.js";
import { inScope, type ScopedTable, type Selection, TABLES_IN_SCOPE, without } from "../../store/scope.js";
import { counted } from "../figure.js";
import { type CheckOptions, type CheckResult, evidenceOf, type Finding } from "./check.js";

const TABLES: ScopedTable[] = [...TABLES_IN_SCOPE, "judgments", "waivers"];
const LISTED = 10_000;

/**
 * Tenant scope: every record of the session is the tenant's, and nothing of another tenant's was used.
 *
 * With a tenant asked for, a row of another tenant and a row without one are violations. Without, only agreement is
 * checked: the tenant of most rows is taken for the session's, and rows of another one are violations. In both cases
 * so are an answer served from another tenant's cache entry, and an allowed access to another tenant's resource; a
 * denied one is noted. Names are compared byte by byte.
 *
 * No tenant anywhere and none asked for: not applicable. Not an access control: it sees what was recorded.
 */
export async function tenantScope(
  db: Kysely<Tables>,
  selection: Selection,
  options: CheckOptions,
): Promise<CheckResult> {
  const all = without(selection, "tenant");
  const rows = await rowsByTenant(db, all);
  const expected = options.tenant ?? mostFrequent(rows);
  const total = [...rows.values()].reduce((sum, times) => sum + times, 0);
  const missing = rows.get(null) ?? 0;
  const base = { id: "tenant_scope" as const, violations: 0, unmeasured: 0, tries: [], evidence: [] };
  if (expected === null) return { ...base, verdict: "not_applicable", summary: "no row names a tenant" };
  if (total === 0) return { ...base, verdict: "unmeasured", summary: "no rows", unmeasured: 1 };

  const reached = await reachedOver(db, all, expected);
  const other = total - missing - (rows.get(expected) ?? 0);
  const astray = other + (options.tenant === undefined ? 0 : missing);
  const foreign = astray === 0 ? [] : await foreignRows(db, all, expected, options.tenant !== undefined);
  const violations = astray + reached.filter(({ outcome }) => outcome === "violation").length;
  return {
    ...base,
    verdict: violations > 0 ? "violated" : "pass",
    violations,
    summary: `${counted(rows.get(expected) ?? 0, "row")} of ${quoted(expected)}, ${other} of others, ${missing} without a tenant`,
    tries:
      missing > 0 && options.tenant !== undefined
        ? [`name the tenant where it is recorded: import --tenant ${expected}`]
        : [],
    evidence: await evidenceOf(db, [...foreign, ...reached]),
  };
}

async function rowsByTenant(db: Kysely<Tables>, selection: Selection): Promise<Map<string | null, number>> {
  const rows = new Map<string | null, number>();
  for (const table of TABLES) {
    const groups = await db
      .selectFrom(`${table as "requests"} as fact`)
      .leftJoin("words", "words.id", "fact.tenant")
      .select(["words.text as tenant", sql<number>`count(*)`.as("times")])
      .where(inScope(selection, table, "fact"))
      .groupBy("words.text")
      .execute();
    for (const { tenant, times } of groups) rows.set(tenant, (rows.get(tenant) ?? 0) + times);
  }
  return rows;
}

/** Ties go to the smaller name, so that the order of import does not matter. */
function mostFrequent(rows: Map<string | null, number>): string | null {
  const named = [...rows].filter(([tenant]) => tenant !== null) as [string, number][];
  return named.sort(([a, x], [b, y]) => y - x || (a < b ? -1 : 1))[0]?.[0] ?? null;
}

async function foreignRows(
  db: Kysely<Tables>,
  selection: Selection,
  expected: string,
  missingToo: boolean,
): Promise<Finding[]> {
  const findings: Finding[] = [];
  for (const table of TABLES) {
    const rows = await db
      .selectFrom(`${table as "requests"} as fact`)
      .leftJoin("words", "words.id", "fact.tenant")
      .select(["fact.id", "words.text as tenant"])
      .where(inScope(selection, table, "fact"))
      .where((eb) =>
        missingToo
          ? eb.or([eb("words.text", "is", null), eb("words.text", "<>", expected)])
          : eb("words.text", "<>", expected),
      )
      .limit(LISTED)
      .execute();
    for (const { id, tenant } of rows) {
      const message = `${table}: ${tenant === null ? "no tenant" : `tenant ${quoted(tenant)}${hint(tenant, expected)}`}`;
      findings.push({ table, id, outcome: "violation", message });
    }
  }
  return findings;
}

/** Uses of what another tenant owns, by rows that are the tenant's own. */
async function reachedOver(db: Kysely<Tables>, selection: Selection, expected: string): Promise<Finding[]> {
  const hits = await db
    .selectFrom("cache_events")
    .leftJoin("words as reader", "reader.id", "cache_events.tenant")
    .innerJoin("words as owner", "owner.id", "cache_events.entry_tenant")
    .select(["cache_events.id", "cache_events.layer", "owner.text as owner"])
    .where(inScope(selection, "cache_events"))
    .where("cache_events.served", "=", 1)
    .where((eb) => eb.or([eb("reader.text", "is", null), eb("reader.text", "=", expected)]))
    .where("owner.text", "<>", expected)
    .execute();
  const accesses = await db
    .selectFrom("scope_accesses")
    .innerJoin("words as owner", "owner.id", "scope_accesses.resource_tenant")
    .innerJoin("words as kind", "kind.id", "scope_accesses.resource_kind")
    .select(["scope_accesses.id", "access", "decision", "kind.text as kind", "owner.text as owner"])
    .where(inScope(selection, "scope_accesses"))
    .where("owner.text", "<>", expected)
    .execute();
  return [
    ...hits.map(({ id, layer, owner }) => ({
      table: "cache_events" as const,
      id,
      outcome: "violation" as const,
      message: `${layer} cache served an entry of tenant ${quoted(owner)}`,
    })),
    ...accesses.map(({ id, access, decision, kind, owner }) => ({
      table: "scope_accesses" as const,
      id,
      outcome: decision === "allowed" ? ("violation" as const) : ("noted" as const),
      message: `${access} of a ${kind} of tenant ${quoted(owner)} was ${decision}`,
    })),
  ];
}

function quoted(name: string): string {
  return JSON.stringify(name);
}

function hint(tenant: string, expected: string): string {
  return tenant.trim().toLowerCase() === expected.trim().toLowerCase() ? ", which differs in case or blanks only" : "";
}
