import { counted, figure, grouped } from "../diagnostics/figure.js";
import type { LostFact } from "../diagnostics/losses.js";
import { clean } from "./clean.js";
import { inkOf, type Page, timeOf } from "./page.js";
import type { CompactionHead, DiffPart, Entry, Glimpse, HeldEntry, Material, SummaryPart, View } from "./views.js";

/** A view for a person. Lines are as long as what was said; results and what was put back are shortened, and say so. */
export function viewText(material: Material, view: View, page: Page): string {
  return [...headLines(material), ...bodyOf(material, view, page)].join("\n");
}

function headLines({ store, session, lane, source, sourceChanged, request }: Material): string[] {
  const kept = source === null ? "kept texts; the file is not there" : source;
  return [
    `store    ${clean(store)}`,
    `session  ${clean(session)}`,
    `lane     ${clean(lane)}${request === null ? "" : `, before request ${request.number}`}`,
    `text     ${clean(kept)}`,
    ...(sourceChanged ? [`         it has changed since it was imported: sonny import ${clean(source ?? "")}`] : []),
  ];
}

function bodyOf(material: Material, view: View, page: Page): string[] {
  switch (view.view) {
    case "user":
      return userLines(view, page);
    case "model":
      return modelLines(material, view, page);
    case "summary":
      return view.compactions.length === 0
        ? NONE
        : view.compactions.flatMap((part) => ["", ...summaryLines(part, page)]);
    case "diff":
      return view.compactions.length === 0 ? NONE : view.compactions.flatMap((part) => ["", ...diffLines(part, page)]);
  }
}

const NONE = ["", "no compaction in this lane"];

function userLines({ entries, unplaced }: View & { view: "user" }, page: Page): string[] {
  return [
    ...entries.flatMap((entry) =>
      entry.kind === "compaction" ? ["", ruleOf(compactionWords(entry, page), page)] : entryLines(entry, page),
    ),
    ...unplaced.map((head) => ruleOf(`${compactionWords(head, page)}, at a place that the text does not tell`, page)),
  ];
}

function modelLines({ latest, request }: Material, view: View & { view: "model" }, page: Page): string[] {
  const { entries, promptTokens, keptWithoutWords, checkpointUnreadable, unnamedClearings } = view;
  const missing = [
    checkpointUnreadable ? "the checkpoint cannot be read and is missing here" : "",
    keptWithoutWords.length > 0
      ? `${counted(keptWithoutWords.length, "kept message")} without words in this text: they may have been said before it begins`
      : "",
    unnamedClearings > 0
      ? `results cleared by ${counted(unnamedClearings, "micro-compaction")} are not named, and shown here`
      : "",
  ];
  const labelWidth = entries.some(({ fate }) => fate !== "said") ? LABEL_WITH_FATE : LABEL;
  return [
    `context  ${counted(entries.length, "entry", "entries")}${sentWords(latest, request, promptTokens)}`,
    ...missing.filter((words) => words !== "").map((words) => `         ${words}`),
    ...entries.flatMap((entry) => entryLines(entry, page, labelWidth)),
  ];
}

function sentWords(latest: Material["latest"], request: Material["request"], promptTokens: number | null): string {
  if (latest === null) return "";
  const size = promptTokens === null ? "" : `, which sent ${grouped(promptTokens)} tokens with system prompt and tools`;
  return `, ${request === null ? "with the answer to" : "for"} request ${latest.number}${size}`;
}

function summaryLines(part: SummaryPart, page: Page): string[] {
  const { checkpoint, checkpointBytes, fault } = part;
  const size = checkpointBytes === null ? "" : `checkpoint of ${grouped(checkpointBytes)} bytes`;
  const wrong = fault === null || fault === "none" ? "" : `degenerate: ${clean(fault.replaceAll("_", " "))}`;
  return [
    headLine(part, page),
    ...[[tokensOf(part), size, wrong].filter((words) => words !== "").join(", ")].map((words) => `  ${words}`),
    `  ${judgmentWords(part)}`,
    ...(checkpoint === null
      ? ["  its text is not known: encrypted, or not recorded"]
      : ["", ...indented(checkpoint, "  ")]),
  ];
}

function diffLines(part: DiffPart, page: Page): string[] {
  const { placed, tokensBefore, tokensAfter, messagesBefore, messagesAfter, keptWithoutWords, lost } = part;
  const sizes = (messages: number | null, tokens: number | null) =>
    `${messages === null ? "–" : counted(messages, "message")}, ${tokens === null ? "– tokens" : counted(tokens, "token")}`;
  return [
    headLine(part, page),
    `  before   ${sizes(messagesBefore, tokensBefore)}`,
    `  after    ${sizes(messagesAfter, tokensAfter)}`,
    ...(placed
      ? [
          ...(messagesBefore === null
            ? ["  dropped  said before this text begins"]
            : glimpses("dropped", part.dropped)),
          ...glimpses("kept", part.kept, keptWithoutWords),
          ...glimpses("put in", part.added),
        ]
      : ["  where it happened cannot be told from the text, so nothing can be compared"]),
    `  lost     ${judgmentWords(part)}`,
    ...lost.slice(0, LISTED).map(lostLine),
    ...(lost.length > LISTED ? [`    and ${grouped(lost.length - LISTED)} more: sonny context losses`] : []),
  ];
}

const LISTED = 20;
const LABEL = 12;
const LABEL_WITH_FATE = 18;

/** `elsewhere` are ids of which nothing but that is known. */
function glimpses(name: string, listed: Glimpse[], elsewhere: string[] = []): string[] {
  const width = Math.max(0, ...listed.map(({ message }) => clean(message ?? "–").length));
  const count = listed.length + elsewhere.length;
  return [
    `  ${name.padEnd(9)}${count === 0 ? "nothing" : counted(count, "entry", "entries")}`,
    ...listed.map(
      ({ kind, message, words }) =>
        `    ${labelOf(kind).padEnd(LABEL)}${clean(message ?? "–").padEnd(width)}  ${clean(words) || "–"}`,
    ),
    ...elsewhere.map((id) => `    ${"".padEnd(LABEL)}${clean(id)}  no words in this text`),
  ];
}

function lostLine({ kind, weight, words, digest }: LostFact): string {
  const said = words === null ? `(words unknown, ${digest.slice(0, 8)})` : words.replace(/\s+/g, " ").slice(0, 120);
  return `    ${`${kind.replaceAll("_", " ")} ×${weight}`.padEnd(20)}  ${clean(said)}`;
}

function judgmentWords({ judgment, unjudged }: Pick<SummaryPart, "judgment" | "unjudged">): string {
  if (judgment === null) return `unjudged: ${clean((unjudged ?? "").replaceAll("_", " "))}`;
  const { judge, score, kept, total } = judgment;
  const survived = score === null ? "–" : figure(score);
  return `by ${clean(judge)}: survival ${survived} by weight, ${counted(kept, "fact")} of ${grouped(total)} kept`;
}

function headLine(head: CompactionHead, page: Page): string {
  const { number, at, recipe, version, trigger, outcome } = head;
  const by = clean(
    `${recipe}${version === null ? "" : ` ${version}`}, ${trigger}${outcome === "applied" ? "" : `, ${outcome}`}`,
  );
  return `${inkOf(page).bold(`compaction ${number}`)}  ${timeOf(page, msOf(at))}  by ${by}`;
}

function compactionWords(head: CompactionHead, page: Page): string {
  const name = head.number === null ? "micro-compaction" : `compaction ${head.number}`;
  return `${name}, ${timeOf(page, msOf(head.at))}, ${clean(head.trigger)}: ${tokensOf(head)}`;
}

function tokensOf({ tokensBefore, tokensAfter }: CompactionHead): string {
  const size = (tokens: number | null) => (tokens === null ? "–" : grouped(tokens));
  return `${size(tokensBefore)} to ${size(tokensAfter)} tokens`;
}

function msOf(at: string | null): number | null {
  return at === null ? null : Date.parse(at);
}

function ruleOf(words: string, page: Page): string {
  return inkOf(page).bold(`── ${words} ──`);
}

/** Nothing for a passage without words, such as a prompt that held only the client's own. */
function entryLines(entry: Entry | HeldEntry, page: Page, labelWidth = LABEL): string[] {
  const lines = wordsOf(entry).filter((line, at, all) => line.trim() !== "" || (at > 0 && at < all.length - 1));
  if (lines.length === 0) return [];
  const fate = "fate" in entry && entry.fate !== "said" ? `, ${entry.fate}` : "";
  const label = entry.kind === "result" && entry.isError ? "error" : labelOf(entry.kind);
  const [first = "", ...rest] = lines;
  const begins = entry.kind === "user" || entry.kind === "checkpoint" ? [""] : [];
  const back =
    entry.kind === "user" && entry.insteadOf !== undefined
      ? [ruleOf("went back: instead of an earlier prompt", page)]
      : [];
  return [
    ...begins,
    ...back,
    `  ${inkOf(page).dim(`${label}${fate}`.padEnd(labelWidth))}${first}`.trimEnd(),
    ...rest.map((line) => `  ${"".padEnd(labelWidth)}${line}`.trimEnd()),
  ];
}

function labelOf(kind: Entry["kind"]): string {
  return kind === "reinjected" ? "put in" : kind;
}

function wordsOf(entry: Entry | HeldEntry): string[] {
  if ("fate" in entry && entry.fate === "cleared") return ["(cleared: the model sees that it was there)"];
  switch (entry.kind) {
    case "user":
    case "assistant":
    case "checkpoint":
      return cleanLinesOf(entry.text);
    case "reinjected":
      return shortened(entry.text, Buffer.byteLength(entry.text));
    case "result":
      return shortened(entry.text, entry.bytes ?? null);
    case "plan":
      return entry.items.map(({ text, open }) => `${open ? "[ ]" : "[x]"} ${clean(text)}`);
    case "call": {
      const words = [entry.command ?? entry.target, ...entry.arguments].filter((text) => text !== null).join("  ");
      return shortened(`${entry.tool ?? entry.action}  ${words}`, null);
    }
  }
}

const SHOWN_LINES = 8;
const SHOWN_LENGTH = 800;

/** The beginning of a long text, with the size of all of it: `bytes`, where that was recorded. */
function shortened(text: string, bytes: number | null): string[] {
  const lines = text.slice(0, SHOWN_LENGTH).split(/\r?\n/).slice(0, SHOWN_LINES);
  const shown = lines.join("\n");
  const whole = bytes ?? Buffer.byteLength(text);
  const isWhole = shown.length >= text.replaceAll("\r\n", "\n").length && Buffer.byteLength(text) >= (bytes ?? 0);
  return [...lines.map(cleanLine), ...(isWhole ? [] : [`… (${counted(whole, "byte")} in all)`])];
}

function indented(text: string, by: string): string[] {
  return cleanLinesOf(text.trim()).map((line) => `${by}${line}`.trimEnd());
}

function cleanLinesOf(text: string): string[] {
  return text.trim().split(/\r?\n/).map(cleanLine);
}

/** Tabs would be shown as `\t`. */
function cleanLine(line: string): string {
  return clean(line.replaceAll("\t", "  "));
}
