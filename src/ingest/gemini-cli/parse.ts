import { type Conversation, timeOf } from "../conversation.js";
import type { TranscriptFile } from "../importer.js";
import { object, text, texts } from "../json.js";
import type { Found } from "../values.js";
import type { Reader } from "../whole.js";
import { isCheckpoint } from "./content.js";
import { levelsOf } from "./coverage.js";
import { recognises } from "./detect.js";
import { type Message, stepsOf } from "./steps.js";

type Value = Record<string, unknown>;

/**
 * Follows how a chat was written: a later message replaces the earlier one of the same id, and what was rewound or
 * replaced has left the context, but was billed all the same. A compression shows as a list of messages that is set
 * anew, with a checkpoint among them.
 */
export function chatReader({ path }: TranscriptFile): Reader {
  const about: Value = {};
  const messages = new Map<string, Message>();
  let rewound = false;

  const put = (value: Value, { line, offset }: Found) => {
    const id = text(value.id) ?? `${line}/${messages.size}`;
    const before = messages.get(id);
    const afterRewind = before?.afterRewind ?? rewound;
    messages.set(id, { id, value, line, offset, left: false, afterRewind, compressed: before?.compressed ?? null });
    rewound = false;
  };

  const leave = (from: string) => {
    let inside = !messages.has(from);
    for (const message of messages.values()) {
      inside ||= message.id === from;
      if (inside) message.left = true;
    }
    rewound = true;
  };

  const replaceAll = (values: unknown[], record: Found) => {
    const all = values.map(object).filter((value) => value !== null);
    const kept = all.flatMap(({ id }) => text(id) ?? []).filter((id) => messages.get(id)?.left === false);
    const isNew = ({ id }: Value) => messages.size > 0 && !messages.has(text(id) ?? "");
    const checkpoint = all.find((value) => isNew(value) && isCheckpoint(value));
    for (const message of messages.values()) {
      if (kept.includes(message.id) || message.left) continue;
      message.left = true;
      rewound ||= checkpoint === undefined;
    }
    for (const value of all) put(value, record);
    const made = messages.get(text(checkpoint?.id) ?? "");
    if (made !== undefined) made.compressed = { kept };
  };

  return {
    take(record) {
      const { value } = record;
      const set = object(value.$set);
      const rewindTo = text(value.$rewindTo);
      if (set !== null) {
        Object.assign(about, set);
        if (Array.isArray(set.messages)) replaceAll(set.messages, record);
      } else if (rewindTo !== null) leave(rewindTo);
      else if (recognises(value)) {
        Object.assign(about, value);
        if (Array.isArray(value.messages)) replaceAll(value.messages, record);
      } else if (typeof value.type === "string") put(value, record);
      return null;
    },
    rest: () => (messages.size === 0 && about.sessionId === undefined ? null : conversationOf(about, messages, path)),
  };
}

function conversationOf(about: Value, messages: Map<string, Message>, path: string): Conversation {
  const session = text(about.sessionId) ?? path.replace(/^.*[\\/]/, "").replace(/\.jsonl?$/, "");
  return {
    session,
    agentVersion: null,
    project: texts(about.directories)[0] ?? null,
    branch: null,
    title: text(about.summary),
    parent: null,
    sessionKind: about.kind === "subagent" ? "subagent" : "task",
    steps: stepsOf(session, [...messages.values()], timeOf(about.startTime)),
    levels: levelsOf([...messages.values()].some(({ compressed }) => compressed !== null)),
  };
}
