import type { CheckResult, Evidence, Verdict } from "../diagnostics/checks/check.js";
import type { SessionVerdict } from "../diagnostics/checks/session.js";
import { counted, grouped } from "../diagnostics/figure.js";
import { clean } from "./clean.js";
import { inkOf, type Page, timeOf } from "./page.js";

/** Lines of evidence shown per check; the rest is counted, and whole in the JSON. */
const SHOWN = { violation: 10, unmeasured: 5, noted: 3 };

/** One session's verdict: what it rests on, then each check with its evidence and what would help, then the sum. */
export function verdictText(result: SessionVerdict, store: string, page: Page): string {
  const { session, agent, tenant, observed, checks } = result;
  const whose = tenant === null ? "" : `, tenant ${clean(tenant)}`;
  return [
    `store     ${clean(store)}`,
    `session   ${named(session, agent)}${whose}`,
    `rests on  ${restsOn(observed)}`,
    ...(observed.firstAtMs === null
      ? []
      : [`          ${timeOf(page, observed.firstAtMs)} to ${timeOf(page, observed.lastAtMs)} (${page.timezone})`]),
    "",
    ...checks.flatMap((check, at) => checkLines(check, alreadySaid(checks.slice(0, at)), page)),
    "",
    `${painted(result.verdict, page)}: ${result.violated} of ${checks.length} checks violated; ${tallied(checks)}`,
  ].join("\n");
}

/** How the other checks went, in words: "1 passed, 3 did not apply". */
function tallied(checks: CheckResult[]): string {
  const words: [Verdict, string][] = [
    ["unmeasured", "unmeasured"],
    ["pass", "passed"],
    ["not_applicable", "did not apply"],
  ];
  return words
    .map(([verdict, word]) => [checks.filter((check) => check.verdict === verdict).length, word] as const)
    .filter(([count]) => count > 0)
    .map(([count, word]) => `${count} ${word}`)
    .join(", ");
}

/** Many sessions: those that do not pass with the checks that say why, then the sums. */
export function verdictsText(results: SessionVerdict[], store: string, page: Page): string {
  const count = (verdict: Verdict) => results.filter((result) => result.verdict === verdict).length;
  const lines = results
    .filter(({ verdict }) => verdict !== "pass")
    .flatMap(({ session, agent, verdict, checks }) => [
      `${padded(verdict, page)}  ${named(session, agent)}`,
      ...deciding(checks).map(
        (check) => `    ${padded(check.verdict, page)}  ${nameOf(check.id)}: ${clean(check.summary)}`,
      ),
    ]);
  return [
    `store  ${clean(store)}`,
    "",
    ...lines,
    ...(lines.length > 0 ? [""] : []),
    ...(results.length === 0 ? ["no session in this scope"] : []),
    `${counted(results.length, "session")}: ${count("pass")} pass, ${count("violated")} violated, ${count("unmeasured")} unmeasured`,
  ].join("\n");
}

/** The checks that keep a session from passing: violated or unmeasured ones, or all when none applies. */
function deciding(checks: CheckResult[]): CheckResult[] {
  const bad = checks.filter(({ verdict }) => verdict === "violated" || verdict === "unmeasured");
  return bad.length > 0 ? bad : checks;
}

function restsOn({ turns, requests, inherited, toolCalls, compactions }: SessionVerdict["observed"]): string {
  return [
    counted(turns, "turn"),
    counted(requests, "request"),
    ...(inherited > 0 ? [`${grouped(inherited)} more inherited`] : []),
    counted(toolCalls, "tool call"),
    counted(compactions, "compaction"),
  ].join(", ");
}

function alreadySaid(checks: CheckResult[]): string[] {
  return checks.flatMap(({ tries }) => tries);
}

function checkLines(check: CheckResult, said: string[], page: Page): string[] {
  const { id, verdict, summary, evidence, tries } = check;
  const whole = { violation: check.violations, unmeasured: check.unmeasured, noted: 0 };
  const listed = (["violation", "unmeasured", "noted"] as const).flatMap((outcome) => {
    const found = evidence.filter((item) => item.outcome === outcome);
    const shown = found.slice(0, SHOWN[outcome]).map((item) => `    ${evidenceLine(item, page)}`);
    const more = found.length === 0 ? 0 : Math.max(found.length, whole[outcome]) - shown.length;
    return more > 0 ? [...shown, `    and ${grouped(more)} more (--json lists them)`] : shown;
  });
  return [
    `${padded(verdict, page)}  ${nameOf(id).padEnd(15)}  ${clean(summary)}`,
    ...listed,
    ...tries.filter((text) => !said.includes(text)).map((text) => `    would help: ${clean(text)}`),
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

function named(session: string, agent: string | null): string {
  return agent === null ? clean(session) : `${clean(session)} (${clean(agent)})`;
}

const WORDS: Record<Verdict, string> = {
  pass: "pass",
  violated: "VIOLATED",
  unmeasured: "UNMEASURED",
  not_applicable: "not applicable",
};

function painted(verdict: Verdict, page: Page): string {
  const ink = inkOf(page);
  const colours = { pass: ink.green, violated: ink.red, unmeasured: ink.yellow, not_applicable: ink.dim };
  return colours[verdict](WORDS[verdict]);
}

function padded(verdict: Verdict, page: Page): string {
  return painted(verdict, page) + " ".repeat("not applicable".length - WORDS[verdict].length);
}
