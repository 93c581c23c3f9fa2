import type { Passage } from "../../retention/passages.js";
import { decoded, object, text, type Utf8 } from "../json.js";
import type { Found } from "../values.js";
import { checkpointOf } from "./compactions.js";
import { laneIdOf } from "./lanes.js";
import { recordOf } from "./parse.js";
import type { ToolResult, ToolUse, UserRecord } from "./records.js";
import { newFile } from "./state.js";
import { isPrompt } from "./turns.js";

/** What the records of one lane say, in file order; the turn goes on from one record to the next. */
export function passages(lane: string): (record: Found) => Passage[] {
  const file = newFile();
  const earlier = earlierPrompts();
  let turn: string | null = null;
  return (found) => {
    const record = recordOf(found);
    if (record.frame.progressOf !== null || laneIdOf(file, record) !== lane) return [];
    const { uuid } = record.frame;
    if (record.kind === "user" && isPrompt(record)) turn = record.frame.copyOf?.uuid ?? uuid;
    const at = { position: found.offset, turn, message: uuid };
    if (record.kind === "user") {
      const insteadOf = earlier(record);
      return said(record).map((passage) => ({ ...passage, ...at, ...(insteadOf === undefined ? {} : { insteadOf }) }));
    }
    if (record.kind === "assistant" && !record.synthetic) {
      const words = textsIn(object(found.value.message)?.content);
      const calls = record.toolUses.map(called);
      return [...words.map((words) => ({ kind: "assistant" as const, text: words })), ...calls].map((passage) => ({
        ...passage,
        ...at,
      }));
    }
    const attached = found.value.type === "attachment" ? strings(found.value.attachment) : [];
    return attached.length === 0 ? [] : [{ kind: "reinjected", text: attached.join("\n"), ...at }];
  };
}

/**
 * Answers which earlier prompt a prompt was put in the place of: the one that follows the same record. The client's own
 * caveat before local commands is said once and followed by all of them.
 */
function earlierPrompts(): (record: UserRecord) => string | undefined {
  const prompts = new Map<string, string>();
  const caveats = new Set<string>();
  return (record) => {
    const { uuid, parentUuid } = record.frame;
    if (uuid !== null && record.meta) caveats.add(uuid);
    if (!isPrompt(record) || uuid === null || parentUuid === null || caveats.has(parentUuid)) return undefined;
    const before = prompts.get(parentUuid);
    prompts.set(parentUuid, uuid);
    return before === uuid ? undefined : before;
  };
}

type Bare = Passage extends infer P ? (P extends Passage ? Omit<P, "position" | "turn" | "message"> : never) : never;

function said(record: UserRecord): Bare[] {
  const answers = record.results.flatMap(answered);
  if (record.text === null || record.results.length > 0) return answers;
  const words = decoded(record.text);
  if (record.checkpoint) return [{ kind: "checkpoint", text: checkpointOf(words) }];
  return isPrompt(record)
    ? [{ kind: "user", text: words.replace(REMINDER, "\n") }]
    : [{ kind: "reinjected", text: words }];
}

/** What a user says while refusing a call stands in its result, behind words of the client's own. */
function answered({ id, isError, content }: ToolResult): Bare[] {
  const text = edgesOf(content);
  if (!isError || !text.startsWith(REFUSED)) return [{ kind: "result", call: id, isError, text }];
  const words = text.indexOf(SAID);
  return words < 0 ? [] : [{ kind: "user", text: text.slice(words + SAID.length) }];
}

const REFUSED = "The user doesn't want to proceed with this tool use.";
const SAID = "the user said:\n";

/** The client's own words inside a prompt. */
const REMINDER = /<(system-reminder|command-name|command-message|local-command-stdout)>[\s\S]*?<\/\1>/g;

function called({ id, name, input }: ToolUse): Bare {
  const given = object(input) ?? {};
  const todos = Array.isArray(given.todos) ? given.todos.map(object) : [];
  if (todos.length > 0) {
    const items = todos.map((todo) => ({ text: text(todo?.content) ?? "", open: text(todo?.status) !== "completed" }));
    return { kind: "plan", items };
  }
  const command = name === "Bash" || name === "PowerShell" ? text(given.command) : null;
  const target = command !== null ? null : (text(given.file_path) ?? text(given.notebook_path) ?? text(given.path));
  const action = command !== null ? "run" : MODIFYING.has(name ?? "") ? "modify" : name === "Read" ? "read" : "other";
  const rest = Object.entries(given).filter(([key]) => !ELSEWHERE.has(key));
  return { kind: "call", call: id, action, target, command, arguments: rest.flatMap(([, value]) => strings(value)) };
}

/** Arguments that are said in other words, or that are the content of a file. */
const ELSEWHERE = new Set(
  "file_path notebook_path path command content old_string new_string new_source edits".split(" "),
);

const MODIFYING = new Set(["Edit", "MultiEdit", "Write", "NotebookEdit"]);

function textsIn(content: unknown): string[] {
  if (typeof content === "string") return [decoded(content as Utf8)];
  if (!Array.isArray(content)) return [];
  return content.map(object).flatMap((block) => (block?.type === "text" ? [text(block.text) ?? ""] : []));
}

/** Beginning and end of a result; what lies between is not looked at. */
function edgesOf(content: unknown): string {
  const whole = textsIn(content).join("\n");
  return whole.length <= 2 * EDGE ? whole : `${whole.slice(0, EDGE)}\n${whole.slice(-EDGE)}`;
}

const EDGE = 4_000;
const DEPTH = 8;

/** All texts in a value. */
function strings(value: unknown, depth = 0): string[] {
  if (typeof value === "string") return [decoded(value as Utf8)];
  if (typeof value !== "object" || value === null || depth > DEPTH) return [];
  return Object.values(value).flatMap((entry) => strings(entry, depth + 1));
}
