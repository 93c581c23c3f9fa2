import { readFileSync } from "node:fs";
import ts from "typescript";
import { DOOR_VERSION, doorEvent } from "../../src/ingest/door/schema.js";

interface Schema {
  type: string;
  entries?: Record<string, Schema>;
  wrapped?: Schema;
  default?: unknown;
  options?: (string | Schema)[];
  item?: Schema;
  pipe?: Schema[];
  literal?: unknown;
}

const HEADER = ["v", "id", "eventId", "session", "agent", "lane", "turn", "tenant", "at", "line"];

/** The words of the event door, with what `SessionEvent` says about each. */
export function eventsPage(): string {
  const docs = fieldDocs();
  const options = doorEvent.options as unknown as Schema[];
  const lines = [
    "# Events",
    "",
    `Generated. What \`sonny record\` takes, one JSON object per line, and what fixtures list under \`events\`. Version ${DOOR_VERSION}; a line may say so with \`"v": ${DOOR_VERSION}\`.`,
    "",
    "What is left out is unknown. An unknown field or a value of another type refuses that line, with its number; the other lines are kept. A digest is 32 hex digits or any other text, which is then digested. A reference to another event is its `id` within the same session, or its event id as hex (as `context validate --json` prints it).",
    "",
    "## Every event",
    "",
    "| field | value | |",
    "|---|---|---|",
    "| `kind` | one of the sections below | |",
    "| `session` | text | the agent's own id of the session |",
    "| `agent` | text | left out: the agent of that session if it is known already, else `custom` |",
    "| `id` | text | names the event within its session and kind; the same id again is the same event. Left out: the line itself names it |",
    "| `eventId` | 32 hex digits | instead of `id`, for an event that exists already |",
    "| `at` | `2026-08-01T12:00:00Z`, or milliseconds | when it happened; without it the event lies in no time window |",
    "| `lane` | text, `main` if left out | |",
    "| `turn` | text | id of the prompt that began the turn |",
    "| `tenant` | text | whose data it is; `--tenant` fills it in where it is left out |",
    "| `line` | number | where it stands in a file of yours, for evidence |",
    "",
  ];
  for (const option of options) {
    const entries = option.entries!;
    const kind = String(entries.kind!.literal);
    lines.push(`## ${kind}`, "");
    const about = docs.get(kind)?.get("");
    if (about) lines.push(about, "");
    const own = Object.entries(entries).filter(([name]) => name !== "kind" && !HEADER.includes(name));
    if (own.length > 0) lines.push("| field | value | |", "|---|---|---|");
    for (const [name, schema] of own) {
      const meaning = docs.get(kind)?.get(name) ?? docs.get(kind)?.get(`${name}Ms`) ?? "";
      lines.push(`| \`${name}\` | ${typeOf(schema)} | ${meaning} |`);
    }
    lines.push("");
  }
  return lines.join("\n");
}

function typeOf(schema: Schema): string {
  if (schema.type === "optional") {
    const inner = typeOf(schema.wrapped!);
    const otherwise = schema.default;
    return otherwise === null || otherwise === undefined || Array.isArray(otherwise)
      ? inner
      : `${inner}, \`${String(otherwise)}\` if left out`;
  }
  if (schema.type === "nullable") return typeOf(schema.wrapped!);
  if (schema.type === "picklist") return (schema.options as string[]).map((word) => `\`${word}\``).join(" ");
  if (schema.type === "array") return `list of ${typeOf(schema.item!)}`;
  if (schema.type === "strict_object") return `{ ${Object.keys(schema.entries!).join(", ")} }`;
  if (schema.type === "union") return "time";
  if (schema.type === "boolean") return "true or false";
  return schema.type === "string" ? "text" : schema.type;
}

/** Kind → field → doc comment in `event.ts`; the empty field name is the event itself. */
function fieldDocs(): Map<string, Map<string, string>> {
  const file = "src/events/event.ts";
  const source = ts.createSourceFile(file, readFileSync(file, "utf8"), ts.ScriptTarget.Latest, true);
  const docs = new Map<string, Map<string, string>>();
  const usage = new Map<string, string>();
  for (const node of source.statements) {
    if (!ts.isInterfaceDeclaration(node)) continue;
    const fields = new Map<string, string>([["", commentOf(source, node)]]);
    let kind: string | undefined;
    for (const member of node.members) {
      if (!ts.isPropertySignature(member)) continue;
      const name = member.name.getText(source);
      fields.set(name, commentOf(source, member));
      if (name === "kind" && member.type !== undefined) kind = member.type.getText(source).replaceAll('"', "");
    }
    if (node.name.text === "Usage") for (const [name, text] of fields) if (name !== "") usage.set(name, text);
    if (kind !== undefined) docs.set(kind, fields);
  }
  for (const [name, text] of usage) docs.get("request")?.set(name, text);
  return docs;
}

function commentOf(source: ts.SourceFile, node: ts.Node): string {
  const comment = ts.getLeadingCommentRanges(source.text, node.pos)?.at(-1);
  if (comment === undefined || !source.text.startsWith("/**", comment.pos)) return "";
  return source.text
    .slice(comment.pos + 3, comment.end - 2)
    .split("\n")
    .map((line) => line.replace(/^\s*\* ?/, "").trim())
    .join(" ")
    .trim();
}
