import { clean } from "./clean.js";

/** One case of a JUnit report. */
export interface JunitCase {
  suite: string;
  name: string;
  outcome: "passed" | "failed" | "skipped";
  /** Why it failed or was skipped. */
  message: string;
  details: string[];
}

/** A JUnit file that CI services read: failures are violations, skipped cases say why nothing was decided. */
export function junit(name: string, cases: JunitCase[]): string {
  const suites = [...new Set(cases.map(({ suite }) => suite))];
  const count = (list: JunitCase[]) =>
    `tests="${list.length}" failures="${list.filter(({ outcome }) => outcome === "failed").length}" errors="0" skipped="${list.filter(({ outcome }) => outcome === "skipped").length}"`;
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    `<testsuites name="${escaped(name)}" ${count(cases)}>`,
    ...suites.flatMap((suite) => {
      const own = cases.filter((item) => item.suite === suite);
      return [`  <testsuite name="${escaped(suite)}" ${count(own)}>`, ...own.map(caseXml), "  </testsuite>"];
    }),
    "</testsuites>",
    "",
  ].join("\n");
}

function caseXml({ suite, name, outcome, message, details }: JunitCase): string {
  const open = `    <testcase classname="${escaped(suite)}" name="${escaped(name)}"`;
  if (outcome === "passed") return `${open}/>`;
  const said = `message="${escaped(message)}"`;
  if (outcome === "skipped") return `${open}><skipped ${said}/></testcase>`;
  return `${open}><failure ${said}>${details.map(escaped).join("\n")}</failure></testcase>`;
}

/** Characters that XML cannot carry are shown escaped by `clean`. */
function escaped(text: string): string {
  return clean(text).replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;").replaceAll('"', "&quot;");
}
