import { digestOf } from "../events/identity.js";
import type { Attributes, Value } from "./signals.js";

/** Shell digests of texts that emitters send; those of other kinds of source are never compared with them. */
export const SHELL_ALGORITHM = "sha256/16 otlp";

export interface Shell {
  /** Hex: system instructions and tool definitions in the order in which they were sent. */
  shellDigest: string;
  /** Hex: the same, whatever the order of the tools. */
  shellSetDigest: string;
}

/** Digests over the system instructions and the tools; null when neither was sent. */
export function shellOf(system: Value | undefined, tools: Value | undefined): Shell | null {
  const definitions = listOf(tools).map((tool) => digestOf(`tool\0${textOf(tool)}`).toString("hex"));
  const instructions = system === undefined || system === null || system === "" ? [] : [textOf(system)];
  const first = instructions.map((text) => digestOf(`system\0${text}`).toString("hex"));
  if (first.length + definitions.length === 0) return null;
  return {
    shellDigest: over([...first, ...definitions]),
    shellSetDigest: over([...first, ...[...definitions].sort()]),
  };
}

function over(digests: string[]): string {
  return digestOf(digests.join(" ")).toString("hex");
}

/** Tools come as a list, or as the JSON of one; anything else is one definition. */
function listOf(tools: Value | undefined): Value[] {
  if (tools === undefined || tools === null || tools === "") return [];
  if (Array.isArray(tools)) return tools;
  if (typeof tools !== "string") return [tools];
  return (parsedList(tools) as Value[] | null) ?? [tools];
}

function textOf(value: Value): string {
  return typeof value === "string" ? value : JSON.stringify(plain(value));
}

function plain(value: Value): unknown {
  if (value instanceof Map) return Object.fromEntries([...value].map(([key, entry]) => [key, plain(entry)]));
  return Array.isArray(value) ? value.map(plain) : value;
}

/** The first system message of a list of messages that is sent as JSON. */
export function systemIn(messages: Value | undefined): string | undefined {
  const list = typeof messages === "string" ? parsedList(messages) : null;
  const said = list?.find((message) => (message as { role?: unknown } | null)?.role === "system");
  const content = (said as { content?: unknown } | undefined)?.content;
  return content === undefined || content === null ? undefined : JSON.stringify(content);
}

/** Values of flattened lists such as `llm.tools.0.tool.json_schema`, in their order. */
export function flattened(attributes: Attributes, before: string, after: string): Value[] {
  const values: Value[] = [];
  for (let at = 0; attributes.has(`${before}.${at}.${after}`); at += 1) {
    values.push(attributes.get(`${before}.${at}.${after}`)!);
  }
  return values;
}

function parsedList(text: string): unknown[] | null {
  try {
    const value: unknown = JSON.parse(text);
    return Array.isArray(value) ? value : null;
  } catch {
    return null;
  }
}
