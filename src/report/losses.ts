import { counted, figure, grouped } from "../diagnostics/figure.js";
import type { CompactionLosses, KindSum, LostFact, Survival } from "../diagnostics/losses.js";
import { clean } from "./clean.js";
import { isoOf } from "./moments.js";
import { type Cell, columns, inkOf, type Page, table, timeOf } from "./page.js";

/** A compaction with its place in the session, counted from 1. */
export interface NumberedLosses extends CompactionLosses {
  number: number;
  /** False when words were asked of a file that is gone. */
  sourceReadable: boolean;
}

const LISTED = 40;

/** All of `context losses` for a person: one block per compaction. */
export function lossesText(session: string, compactions: NumberedLosses[], store: string, page: Page): string {
  const head = [`store    ${clean(store)}`, `session  ${clean(session)}`];
  if (compactions.length === 0) return [...head, "", "no compaction in this scope"].join("\n");
  return [...head, ...compactions.flatMap((compaction) => ["", ...block(compaction, page)])].join("\n");
}

export function lossesJson({ atMs, ...compaction }: NumberedLosses) {
  return { ...compaction, at: isoOf(atMs) };
}

function block(compaction: NumberedLosses, page: Page): string[] {
  const { number, recipe, version, trigger, atMs, fault, judgment, unjudged, lane, sourceReadable } = compaction;
  const by = `${recipe}${version === null ? "" : ` ${version}`}, ${trigger}${lane === null || lane === "main" ? "" : `, lane ${lane}`}`;
  const lines = [inkOf(page).bold(`compaction ${number}`) + clean(`  ${timeOf(page, atMs)}  by ${by}`)];
  if (fault !== null && fault !== "none") lines.push(`  degenerate checkpoint: ${clean(fault.replaceAll("_", " "))}`);
  if (judgment === null) return [...lines, `  unjudged: ${WHY.get(unjudged!) ?? clean(unjudged!)}`];
  const { lost } = judgment;
  lines.push(...scoreLines(judgment), table(page, HEAD, judgment.kinds.map(kindRow)));
  if (judgment.kinds.length === 0) return [...lines, "  no fact of this kind was found in the replaced text"];
  if (lost.length === 0) return [...lines, "  nothing lost that the words can show"];
  lines.push(`  lost, weightiest first${sourceReadable ? "" : " (the file is gone: only places are known)"}`);
  lines.push(
    columns(
      page,
      lost.slice(0, LISTED).map((fact) => lostRow(fact, judgment.source)),
    ),
  );
  if (lost.length > LISTED) lines.push(`  and ${grouped(lost.length - LISTED)} more (--json lists all)`);
  return lines;
}

const WHY = new Map(
  Object.entries({
    replaced_text_elsewhere: "the file holds too little of what was replaced to judge it",
    too_long: "what was replaced is too long to be read",
    no_facts: "nothing in the replaced text that could be told from chance",
    invalid: "a control failed: the same judge finds facts in a foreign checkpoint, or not in the text itself",
    unreadable: "its checkpoint cannot be read: it was not recorded, or is encrypted",
    no_checkpoint: "no text of the checkpoint was recorded",
    not_judged: "no request followed it, or nothing read its text",
  }),
);

function scoreLines({ score, scoreOrRestorable, kept, total, bounds, judge, judgeVersion }: Survival): string[] {
  const shown = (value: number | null) => (value === null ? "–" : figure(value));
  const share = bounds === null ? "" : `: between ${figure(bounds[0])} and ${figure(bounds[1])}, 95 % each side`;
  return [
    `  survival ${shown(score)} by weight, ${shown(scoreOrRestorable)} with what can be restored; by ${clean(judge)} ${clean(judgeVersion ?? "")}`.trimEnd(),
    `  ${counted(kept, "fact")} of ${grouped(total)} kept${share}`,
    "  controls passed: the text itself scores 1, nothing scores 0, a foreign checkpoint at most 0.02",
  ];
}

const HEAD = ["kind", "facts", "kept", "restorable", "lost", "not scored"];

function kindRow({ kind, facts, kept, restorable, lost, ambiguous, superseded, notAtRisk }: KindSum): Cell[] {
  const apart = [
    [ambiguous, "ambiguous"],
    [superseded, "superseded"],
    [notAtRisk, "not at risk"],
  ] as const;
  return [
    kind.replaceAll("_", " "),
    ...[facts, kept, restorable, lost].map((count) => ({ text: grouped(count), right: true })),
    apart.flatMap(([count, name]) => (count === 0 ? [] : [`${count} ${name}`])).join(", "),
  ];
}

function lostRow({ kind, words, position, digest, weight }: LostFact, source: string): Cell[] {
  const name = source.split(/[\\/]/).at(-1) ?? source;
  const said = words === null ? `(words unknown, ${digest.slice(0, 8)})` : words.replace(/\s+/g, " ").slice(0, 120);
  return [
    kind.replaceAll("_", " "),
    { text: `×${weight}`, right: true },
    said,
    position === null ? name : `${name} at byte ${grouped(position)}`,
  ];
}
