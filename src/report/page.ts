import { TZDate } from "@date-fns/tz";
import { Chalk, type ChalkInstance } from "chalk";
import Table from "cli-table3";
import { format } from "date-fns/format";
import { clean } from "./clean.js";

/** For whom a text is laid out. */
export interface Page {
  /** Columns to fill; lines of names and paths may be longer. */
  width: number;
  colour: boolean;
  /** IANA zone in which times are shown. */
  timezone: string;
}

/** Paints when the page has colour, leaves text alone when not. */
export function inkOf(page: Page): ChalkInstance {
  return new Chalk({ level: page.colour ? 1 : 0 });
}

/** A moment in the page's zone; `–` when unknown. */
export function timeOf(page: Page, atMs: number | null): string {
  return atMs === null ? "–" : format(new TZDate(atMs, page.timezone), "yyyy-MM-dd HH:mm:ss");
}

/** What stands where there is nothing to show, and where the newest record is when only the window is wrong. */
export function nothingText(newestAtMs: number | null, page: Page): string {
  const elsewhere = newestAtMs === null ? "" : `; the newest record is from ${timeOf(page, newestAtMs)}`;
  return `nothing recorded in this scope${elsewhere}`;
}

/** A cell: what it says, and how it is painted after it has been laid out. */
export type Cell = string | { text: string; right?: boolean };

/**
 * Rows in aligned columns, indented by two, wrapped inside their columns when the page is too narrow. Cells are
 * cleaned before layout. Trailing blanks are cut.
 */
export function columns(page: Page, rows: Cell[][]): string {
  const cells = rows.map((row) => row.map(cleanCell));
  return cells.length === 0 ? "" : laidOut(cells, fitted(naturalWidths(cells), page.width - 2));
}

/** Rows below a head; on a page too narrow for it, every row as a small list of its own. */
export function table(page: Page, head: string[], rows: Cell[][]): string {
  if (rows.length === 0) return "";
  const cells = [head, ...rows].map((row) => row.map(cleanCell));
  const natural = naturalWidths(cells);
  if (sum(natural) - 2 <= page.width - 2) {
    const [first = "", ...rest] = laidOut(cells, natural).split("\n");
    return [inkOf(page).dim(first), ...rest].join("\n");
  }
  return rows
    .map((row) => {
      const [name, ...values] = row.map(cleanCell);
      const list = values.map((value, at): Cell[] => [`  ${head[at + 1]}`, { ...value, right: false }]);
      return `  ${name?.text}\n${columns(page, list)}`;
    })
    .join("\n");
}

function laidOut(cells: CleanCell[][], widths: number[]): string {
  return drawn(cells, widths)
    .toString()
    .split("\n")
    .map((line) => `  ${line}`.trimEnd())
    .join("\n");
}

function naturalWidths(cells: CleanCell[][]): number[] {
  return cells[0]!.map((_, at) => drawn(cells.map((row) => [row[at]!])).width);
}

function sum(widths: number[]): number {
  return widths.reduce((total, width) => total + width, 0);
}

const NARROWEST = 9;

/** Takes from the widest column until all fit, or until none can give more. */
function fitted(natural: number[], room: number): number[] {
  const widths = [...natural];
  for (;;) {
    const widest = widths.indexOf(Math.max(...widths));
    if (sum(widths) <= room || widths[widest]! <= NARROWEST) return widths;
    widths[widest] = widths[widest]! - 1;
  }
}

interface CleanCell {
  text: string;
  right: boolean;
}

function cleanCell(cell: Cell): CleanCell {
  return typeof cell === "string"
    ? { text: cleanText(cell), right: false }
    : { text: cleanText(cell.text), right: cell.right ?? false };
}

/** Our own line breaks inside a cell stay. */
function cleanText(text: string): string {
  return text.split("\n").map(clean).join("\n");
}

function drawn(cells: CleanCell[][], widths?: number[]) {
  const grid = new Table({
    chars: Object.fromEntries(PARTS.map((part) => [part, ""])),
    style: { head: [], border: [], "padding-left": 0, "padding-right": 2, compact: true },
    wordWrap: true,
    ...(widths === undefined ? {} : { colWidths: widths }),
  });
  for (const row of cells) {
    grid.push(
      row.map(({ text, right }, at) => ({
        content: text,
        hAlign: right ? ("right" as const) : ("left" as const),
        wrapOnWordBoundary: text.split(/\s/).every((word) => atMostWide(word) <= (widths?.[at] ?? Infinity) - 2),
      })),
    );
  }
  return grid;
}

/** An upper limit of the columns a word takes: a word that may not fit is broken anywhere. */
function atMostWide(word: string): number {
  return [...word].reduce((sum, letter) => sum + (letter < "\u0300" ? 1 : 2), 0);
}

const PARTS = [
  "top",
  "top-mid",
  "top-left",
  "top-right",
  "bottom",
  "bottom-mid",
  "bottom-left",
  "bottom-right",
  "left",
  "left-mid",
  "mid",
  "mid-mid",
  "right",
  "right-mid",
  "middle",
] as const;
