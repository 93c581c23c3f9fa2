import type { Passage } from "../retention/passages.js";
import { decoded, object, text, type Utf8 } from "./json.js";

/** A passage that does not say yet where it stands. */
export type Bare = Passage extends infer P
  ? P extends Passage
    ? Omit<P, "position" | "turn" | "message">
    : never
  : never;

export type Standing = Pick<Passage, "position" | "turn" | "message">;

export function standing(bare: Bare[], at: Standing): Passage[] {
  return bare.map((passage) => ({ ...passage, ...at }));
}

/** What somebody said; nothing when there is nothing but blanks. */
export function spoke(kind: "user" | "assistant" | "reinjected", words: string | null): Bare[] {
  return words === null || words.trim() === "" ? [] : [{ kind, text: words }];
}

/**
 * What a call says: each file that it touches, its command line, or the plan that it sets. Tools are known by their
 * names, which agents have borrowed from each other, and by the names of their arguments.
 */
export function called(id: string | null, tool: string | null, input: unknown): Bare[] {
  const given = object(input) ?? {};
  const plan = planIn(given);
  if (plan !== null) return [{ kind: "plan", items: plan }];
  const name = (tool ?? "").toLowerCase().replace(/[^a-z]/g, "");
  const patched = filesOfPatch(patchIn(input, given));
  const command = RUNNING.has(name) && patched.length === 0 ? commandIn(given) : null;
  const action =
    command !== null
      ? "run"
      : patched.length > 0 || MODIFYING.has(name)
        ? "modify"
        : READING.has(name)
          ? "read"
          : "other";
  const targets = patched.length > 0 ? patched : command === null ? targetsIn(given) : [];
  const call = { kind: "call", call: id, command, action } as const;
  const rest = Object.entries(given).filter(([key]) => !ELSEWHERE.has(key));
  const others = patched.length > 0 ? [] : rest.flatMap(([, value]) => strings(value));
  const [first = null, ...more] = targets;
  return [{ ...call, target: first, arguments: others }, ...more.map((target) => ({ ...call, target, arguments: [] }))];
}

/** What a call gave. */
export function answered(id: string | null, isError: boolean, words: string): Bare {
  return { kind: "result", call: id, isError, text: edgesOf(words) };
}

/** What a command printed, out of the report that some clients make of it: how it was called, its output, its exit code. */
export function printed(report: string): { failed: boolean; output: string } {
  const head = REPORT_HEAD.exec(report)?.[0];
  if (head === undefined) return { failed: false, output: report };
  const code = /^Exit Code: (.+)$/m.exec(report)?.[1];
  return { failed: code !== undefined && /^-?[1-9]/.test(code), output: report.slice(head.length) };
}

const REPORT_HEAD = /^Command: [\s\S]{0,20000}?\n(?:Output|Stdout): (?:\(empty\)\n(?:(?:Error|Stderr): )?)?/;

const RUNNING = new Set(
  "bash shell sh powershell exec execcommand containerexec localshell localshellcall runshellcommand executecommand runcommand runcommands runinterminal runterminalcmd terminal".split(
    " ",
  ),
);
const MODIFYING = new Set(
  "edit multiedit write notebookedit editfile writefile writetofile replace replaceinfile strreplace strreplacefile strreplaceeditor create createfile deletefile editor applypatch applydiff patch newfile inserteditintofile inserttext".split(
    " ",
  ),
);
const READING = new Set(
  "read readfile readfiles readmanyfiles view viewfile viewimage openfile readmediafile".split(" "),
);

/** Arguments that are said in other words, or that are the content of a file. */
const ELSEWHERE = new Set(
  `file_path filePath notebook_path absolute_path path file files paths filename command cmd commands
  content contents old_string new_string oldString newString oldText newText old_text new_text old_str new_str
  new_source file_text fileText insert_text patch patchText diff edits workdir cwd timeout timeout_ms`.split(/\s+/),
);

const TARGETS = ["file_path", "filePath", "notebook_path", "absolute_path", "path", "file", "filename"];

function targetsIn(given: Record<string, unknown>): string[] {
  for (const name of TARGETS) {
    const target = text(given[name]);
    if (target !== null) return [target];
  }
  const listed = given.files ?? given.paths;
  if (!Array.isArray(listed)) return [];
  return listed.flatMap((entry) => text(entry) ?? text(object(entry)?.path) ?? text(object(entry)?.file_path) ?? []);
}

/** A command line; of a list of words that hands a script to a shell, the script. */
function commandIn(given: Record<string, unknown>): string | null {
  const said = given.command ?? given.cmd ?? given.commands;
  if (!Array.isArray(said)) return text(said);
  const words = said.flatMap((word) => text(word) ?? text(object(word)?.command) ?? []);
  const script =
    /^(?:.*\/)?(?:ba|z|da)?sh$/.test(words[0] ?? "") && /^-l?c$/.test(words[1] ?? "") ? words[2] : undefined;
  if (script !== undefined) return script;
  return words.length === 0 ? null : words.join(given.commands === undefined ? " " : "\n");
}

function patchIn(input: unknown, given: Record<string, unknown>): string {
  const script = commandIn(given);
  const written = text(input) ?? text(given.input) ?? text(given.patch) ?? text(given.patchText) ?? "";
  return script?.includes(PATCH) ? script : written;
}

const PATCH = "*** Begin Patch";

function filesOfPatch(patch: string): string[] {
  if (!patch.includes(PATCH)) return [];
  const named = [...patch.matchAll(/^\*\*\* (?:(?:Add|Update|Delete) File|Move to): (.+)$/gm)];
  return [...new Set(named.map(([, file]) => file!.trim()))];
}

/** A plan is a list of things to do, or a list of boxes in a text. */
function planIn(given: Record<string, unknown>): { text: string; open: boolean }[] | null {
  const { todos, plan } = given;
  if (typeof todos === "string") {
    const boxes = [...decoded(todos as Utf8).matchAll(/^\s*[-*] \[([ xX])\] (.+)$/gm)];
    return boxes.length === 0 ? null : boxes.map(([, box, words]) => ({ text: words!, open: box === " " }));
  }
  const listed = Array.isArray(todos) ? todos : Array.isArray(plan) ? plan : [];
  const items = listed.map(object).flatMap((item) => {
    const words = PLANNED.map((name) => text(item?.[name])).find((found) => found !== null);
    return words === undefined || words === null ? [] : [{ text: words, open: !DONE.has(text(item?.status) ?? "") }];
  });
  return items.length === 0 ? null : items;
}

const PLANNED = ["content", "step", "title", "description", "task", "text"];
const DONE = new Set(["completed", "complete", "done", "cancelled", "canceled"]);

const EDGE = 4_000;
const DEPTH = 8;

/** Beginning and end of a result; what lies between is not looked at. */
function edgesOf(words: string): string {
  return words.length <= 2 * EDGE ? words : `${words.slice(0, EDGE)}\n${words.slice(-EDGE)}`;
}

/** All texts in a value. */
function strings(value: unknown, depth = 0): string[] {
  if (typeof value === "string") return [decoded(value as Utf8)];
  if (typeof value !== "object" || value === null || depth > DEPTH) return [];
  return Object.values(value).flatMap((entry) => strings(entry, depth + 1));
}
