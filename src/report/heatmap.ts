import { grouped } from "../diagnostics/figure.js";
import { inkOf, type Page } from "./page.js";

const WEEKDAYS = ["Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"];
const PLAIN = [" ", ".", ":", "+", "#"];
const PAINTED = [" ", "░", "▒", "▓", "█"];

/** Weekday × hour as a picture: five levels up to the busiest field, in letters that print everywhere without colour. */
export function heatmap(counts: number[][], page: Page): string {
  const most = Math.max(...counts.flat());
  if (most === 0) return "";
  const ink = inkOf(page);
  const [signs, wide] = [page.colour ? PAINTED : PLAIN, page.width >= 56];
  const field = (count: number) => (wide ? `${signs[levelOf(count, most)]} ` : signs[levelOf(count, most)]!);
  const hours = Array.from({ length: 24 }, (_, hour) => hour)
    .filter((hour) => hour % 6 === 0)
    .map((hour) => String(hour).padEnd(wide ? 12 : 6))
    .join("");
  const rows = counts.map((row, day) => {
    const fields = row.map(field).join("").trimEnd();
    return `  ${WEEKDAYS[day]}  ${page.colour ? ink.green(fields) : fields}`.trimEnd();
  });
  return [`       ${hours}`.trimEnd(), ...rows, `       ${legend(signs, most)}`].join("\n");
}

/** 0 is nothing; the others share the range up to the busiest field evenly. */
function levelOf(count: number, most: number): number {
  return Math.ceil((count / most) * 4);
}

function legend(signs: string[], most: number): string {
  const tops = [1, 2, 3, 4].map((level) => Math.floor((level * most) / 4));
  return [1, 2, 3, 4]
    .filter((level) => tops[level - 1]! > (tops[level - 2] ?? 0))
    .map((level) => `${signs[level]} up to ${grouped(tops[level - 1]!)}`)
    .join("   ");
}
