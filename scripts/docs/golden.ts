import { readFileSync } from "node:fs";

/**
 * Replaces the block after each `<!-- golden: NAME -->` by that golden file, so that outputs are shown and never typed.
 * `<!-- golden: NAME / SECTION -->` shows only the part under that heading.
 */
export function withGolden(page: string): string {
  return page.replace(
    /(<!-- golden: ([\w-]+)(?: \/ ([\w -]+?))? -->\n)```[\s\S]*?\n```/g,
    (_, mark: string, name: string, section?: string) => {
      const { command, output } = goldenOf(name);
      const shown = section === undefined ? output : `…\n${sectionOf(output, section)}\n…`;
      return `${mark}\`\`\`\n$ ${command}\n${shown}\n\`\`\``;
    },
  );
}

/** The golden file of a name: the command line and what it printed, without how it exited. */
function goldenOf(name: string): { command: string; output: string } {
  const [first = "", ...rest] = readFileSync(`fixtures/golden/${name}.txt`, "utf8").split("\n");
  return { command: first.replace(/^\$ /, ""), output: rest.slice(0, -2).join("\n").trimEnd() };
}

/** From the heading's line to the next heading at the margin. */
function sectionOf(output: string, heading: string): string {
  const lines = output.split("\n");
  const start = lines.indexOf(heading);
  if (start < 0) throw new Error(`no section "${heading}" in a golden output`);
  const length = lines.slice(start + 1).findIndex((line) => line !== "" && !line.startsWith(" "));
  return lines
    .slice(start, length < 0 ? undefined : start + 1 + length)
    .join("\n")
    .trimEnd();
}
