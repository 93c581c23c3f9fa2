import { readFileSync } from "node:fs";

/** The golden file of a name: the command line, what it printed, and how it exited. */
function goldenOf(name: string): { command: string; output: string; exit: string } {
  const [first = "", ...rest] = readFileSync(`fixtures/golden/${name}.txt`, "utf8").split("\n");
  const exit = rest.lastIndexOf("") > 0 ? rest.at(-2)! : "";
  return {
    command: first.replace(/^\$ /, ""),
    output: rest.slice(0, -2).join("\n").trimEnd(),
    exit: exit.replace(/^exit /, ""),
  };
}

/** Replaces the block after each `<!-- golden: NAME -->` by that golden file: outputs are shown, never typed. */
export function withGolden(page: string): string {
  return page.replace(/(<!-- golden: ([\w-]+) -->\n)```[\s\S]*?\n```/g, (_, mark: string, name: string) => {
    const { command, output } = goldenOf(name);
    return `${mark}\`\`\`\n$ ${command}\n${output}\n\`\`\``;
  });
}
