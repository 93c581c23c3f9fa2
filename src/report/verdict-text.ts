import type { CheckResult, Evidence, Verdict } from "../diagnostics/checks/check.js";
import type { SessionVerdict } from "../diagnostics/checks/session.js";
import { counted, grouped } from "../diagnostics/figure.js";
import { clean } from "./clean.js";
import { inkOf, type Page, timeOf } from "./page.js";

/** Lines of evidence shown per check; the rest is counted, and whole in the JSON. */
const SHOWN = { violation: 10, unmeasured: 5, noted: 3 };

/** One session's verdict: what it rests on, then a line per check with its evidence, then the sum. */
export function verdictText(result: SessionVerdict, store: string, page: Page): string {
  const { session, agent, tenant, observed, checks } = result;
  const inherited = observed.inherited > 0 ? `, ${grouped(observed.inherited)} more inherited` : "";
  return [
    `store    ${clean(store)}`,
    `session  ${clean(session)}${agent === null ? "" : ` (${clean(agent)})`}${tenant === null ? "" : `, tenant ${clean(tenant)}`}`,
    `rests on ${counted(observed.turns, "turn")}, ${counted(observed.requests, "request")}${inherited}, ${counted(observed.toolCalls, "tool call")}, ${counted(observed.compactions, "compaction")}`,
    `         ${timeOf(page, observed.firstAtMs)} to ${timeOf(page, observed.lastAtMs)} (${page.timezone})`,
    "",
    ...checks.flatMap((check) => checkLines(check, page)),
    "",
    `${painted(result.verdict, page)}: ${result.violated} of ${checks.length} checks violated`,
  ].join("\n");
}

/** Many sessions: those that do not pass in a line each per check, then the sums. */
export function verdictsText(results: SessionVerdict[], store: string, page: Page): string {
  const count = (verdict: Verdict) => results.filter((result) => result.verdict === verdict).length;
  const lines = results
    .filter(({ verdict }) => verdict !== "pass")
    .flatMap(({ session, agent, verdict, checks }) => [
      `${painted(verdict, page)}  ${clean(session)}${agent === null ? "" : ` (${clean(agent)})`}`,
      ...checks
        .filter((check) => check.verdict === "violated" || check.verdict === "unmeasured")
        .map(({ id, verdict, summary }) => `    ${painted(verdict, page)}  ${nameOf(id)}: ${clean(summary)}`),
    ]);
  return [
    `store  ${clean(store)}`,
    "",
    ...lines,
    ...(lines.length > 0 ? [""] : []),
    `${counted(results.length, "session")}: ${count("pass")} pass, ${count("violated")} violated, ${count("unmeasured")} unmeasured`,
  ].join("\n");
}

function checkLines(
  { id, verdict, summary, evidence, tries, violations, unmeasured }: CheckResult,
  page: Page,
): string[] {
  const all = {
    violation: violations,
    unmeasured,
    noted: evidence.filter(({ outcome }) => outcome === "noted").length,
  };
  const listed = (["violation", "unmeasured", "noted"] as const).flatMap((outcome) => {
    const found = evidence.filter((item) => item.outcome === outcome);
    const shown = found.slice(0, SHOWN[outcome]);
    const more = found.length === 0 ? 0 : all[outcome] - shown.length;
    return [
      ...shown.map((item) => `    ${evidenceLine(item, page)}`),
      ...(more > 0
        ? [`    and ${grouped(more)} more ${outcome === "noted" ? "noted" : `${outcome} lines`} (--json lists them)`]
        : []),
    ];
  });
  return [
    `${painted(verdict, page)}  ${nameOf(id).padEnd(15)}  ${clean(summary)}`,
    ...listed,
    ...tries.map((text) => `    try: ${clean(text)}`),
  ];
}

function evidenceLine({ outcome, atMs, lane, source, line, eventId, message }: Evidence, page: Page): string {
  const place = `${clean(source)}${line === null ? "" : `:${line}`}`;
  const mark = outcome === "noted" ? "noted: " : "";
  return `${timeOf(page, atMs)}  ${clean(lane ?? "–")}  ${mark}${clean(message)}  (${place}, event ${eventId})`;
}

function nameOf(id: string): string {
  return id.replaceAll("_", " ");
}

function painted(verdict: Verdict, page: Page): string {
  const ink = inkOf(page);
  const words: Record<Verdict, string> = {
    pass: ink.green("pass          "),
    violated: ink.red("VIOLATED      "),
    unmeasured: ink.yellow("UNMEASURED    "),
    not_applicable: ink.dim("not applicable"),
  };
  return words[verdict];
}
