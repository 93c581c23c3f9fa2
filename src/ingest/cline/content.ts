import { canonicalJson } from "../canonical.js";
import { decoded, object, text, type Utf8, utf8 } from "../json.js";
import { answered, type Bare, called, spoke } from "../said.js";

type Value = Record<string, unknown>;

/** The blocks of a message; a text stands for one. */
export function blocksIn(content: unknown): Value[] {
  if (typeof content === "string") return [{ type: "text", text: content }];
  return Array.isArray(content) ? content.map(object).filter((block) => block !== null) : [];
}

/** Text of a result: its text, its text blocks, or its JSON. */
export function resultText(content: unknown): Utf8 {
  if (!Array.isArray(content)) return utf8(content) ?? (content === undefined ? ("" as Utf8) : canonicalJson(content));
  const texts = content.map((part) => utf8(object(part)?.text));
  return texts.every((part) => part !== null) ? (texts.join("\n") as Utf8) : canonicalJson(content);
}

/** What a message says: texts, calls, results, and files that were attached. */
export function saidIn(role: unknown, blocks: Value[]): Bare[] {
  return blocks.flatMap((block): Bare[] => {
    switch (block.type) {
      case "text":
        return role === "assistant" ? written(text(block.text) ?? "") : typed(text(block.text) ?? "");
      case "tool_use":
        return called(text(block.id), text(block.name), block.input);
      case "tool_result":
        return [answered(text(block.tool_use_id), block.is_error === true, decoded(resultText(block.content)))];
      case "file":
        return called(null, "read_file", { path: block.path });
      default:
        return [];
    }
  });
}

/** In older versions the model writes its calls into the text. */
function written(words: string): Bare[] {
  const calls = [...words.matchAll(CALL)];
  const rest = calls.reduce((left, [all]) => left.replace(all, "\n"), words).replace(/<\/?thinking>/g, "\n");
  const made = calls.flatMap(([, tool, params]) => called(null, tool!, Object.fromEntries(paramsIn(params!))));
  return [...spoke("assistant", rest), ...made];
}

const TOOLS =
  "read_file|write_to_file|replace_in_file|new_rule|execute_command|search_files|list_files|list_code_definition_names|use_mcp_tool|access_mcp_resource|web_fetch|browser_action";
const CALL = new RegExp(`<(${TOOLS})>([\\s\\S]*?)</\\1>`, "g");

function paramsIn(params: string): [string, string][] {
  return [...params.matchAll(/<([a-z_]+)>([\s\S]*?)<\/\1>/g)].map(([, name, value]) => [name!, value!.trim()]);
}

/** What a person wrote, without what the client puts around it; results that stand in the text are results. */
function typed(words: string): Bare[] {
  const result = RESULT.exec(words);
  if (result !== null) return [answered(null, false, words.slice(result[0].length).trim())];
  const own = words.replace(CLIENTS, "\n");
  const tagged = TAG.exec(own);
  return spoke("user", tagged === null ? own : tagged[2]!);
}

const RESULT = /^\[[a-z_]+(?: for '[\s\S]*?')?\] Result:/;
const CLIENTS =
  /<environment_details>[\s\S]*?(?:<\/environment_details>|$)|^# (?:TODO LIST|task_progress)[\s\S]*$|^\[TASK RESUMPTION\][\s\S]*$/g;
const TAG = /<(task|feedback|user_message|answer|user_input)(?: [^>]*)?>([\s\S]*?)<\/\1>/;
