import { readdirSync, readFileSync } from "node:fs";
import { basename, join } from "node:path";
import ts from "typescript";

/** One section per file, of the places and the folders among them, that exports a documented function of its own name. */
export function docstringsPage(places: string[], title: string, lead: string): string {
  const sections = places
    .flatMap((place) => (place.endsWith(".ts") ? [place] : filesIn(place)))
    .map((file) => ({ file, name: basename(file, ".ts") }))
    .sort((a, b) => (a.name < b.name ? -1 : 1))
    .flatMap(({ file, name }) => {
      const doc = docstringOf(file, camel(name));
      return doc === undefined ? [] : [section(name, doc)];
    });
  const from = places.map((place) => `\`${place}\``).join(", ");
  return [`# ${title}`, "", `Generated from the docstrings in ${from}. ${lead}`, "", ...sections].join("\n");
}

function filesIn(folder: string): string[] {
  return readdirSync(folder)
    .filter((name) => name.endsWith(".ts"))
    .map((name) => join(folder, name));
}

/** The text of the doc comment of an exported function, or undefined when the file has no such function. */
function docstringOf(file: string, exported: string): string | undefined {
  const source = ts.createSourceFile(file, readFileSync(file, "utf8"), ts.ScriptTarget.Latest, true);
  const found = source.statements.find((node) => ts.isFunctionDeclaration(node) && node.name?.text === exported);
  if (found === undefined) return undefined;
  const comment = ts.getLeadingCommentRanges(source.text, found.pos)?.at(-1);
  if (comment === undefined || !source.text.startsWith("/**", comment.pos)) return undefined;
  return source.text
    .slice(comment.pos + 3, comment.end - 2)
    .split("\n")
    .map((line) => line.replace(/^\s*\* ?/, "").trimEnd())
    .join("\n")
    .trim();
}

function section(name: string, doc: string): string {
  return `## ${name.replaceAll("-", " ")}\n\n${doc.replace(/^\s*@\w+.*$/gm, "").trim()}\n`;
}

function camel(name: string): string {
  return name.replace(/-(\w)/g, (_, letter: string) => letter.toUpperCase());
}
