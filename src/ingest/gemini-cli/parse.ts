import { type Conversation, timeOf } from "../conversation.js";
import type { TranscriptFile } from "../importer.js";
import { object, text, texts } from "../json.js";
import type { Found } from "../values.js";
import type { Reader } from "../whole.js";
import { LEVELS } from "./coverage.js";
import { recognises } from "./detect.js";
import { type Message, stepsOf } from "./steps.js";

type Value = Record<string, unknown>;

/**
 * Follows how a chat was written: a later message replaces the earlier one of the same id, and what was rewound or
 * replaced has left the context, but was billed all the same.
 */
export function chatReader({ path }: TranscriptFile): Reader {
  const about: Value = {};
  const messages = new Map<string, Message>();
  let rewound = false;

  const put = (value: Value, { line, offset }: Found) => {
    const id = text(value.id) ?? `${line}/${messages.size}`;
    const before = messages.get(id);
    messages.set(id, { id, value, line, offset, left: false, afterRewind: before?.afterRewind ?? rewound });
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
    const kept = new Set(values.map((value) => text(object(value)?.id)));
    for (const message of messages.values()) {
      if (!kept.has(message.id) && !message.left) {
        message.left = true;
        rewound = true;
      }
    }
    for (const value of values) {
      const said = object(value);
      if (said !== null) put(said, record);
    }
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
    levels: LEVELS,
  };
}
