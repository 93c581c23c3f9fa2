/** Sessions of opencode of our own making, as exports, as a storage folder, and as a database. */
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import Database from "better-sqlite3";

type Given = Record<string, unknown>;

export interface Exported {
  info: Given;
  messages: { info: Given; parts: Given[] }[];
}

const START = Date.UTC(2026, 4, 1, 9);
let serial = 0;

const now = () => {
  serial += 1;
  return START + serial * 1000;
};
const nextId = (kind: string) => `${kind}_${String(serial).padStart(24, "0")}`;

export const session = (id: string, ...messages: Exported["messages"]): Exported => ({
  info: { id, directory: "/home/ann/project", title: "Parser", version: "1.2.24", time: { created: START } },
  messages,
});

export const user = (text: string, part: Given = {}) => {
  const created = now();
  const info: Given = { id: nextId("msg"), role: "user", time: { created } };
  return { info, parts: [{ id: nextId("prt"), type: "text", text, ...part }] as Given[] };
};

/** Input 10, read 900, written 90, output 50. */
export const tokens = (given: Given = {}) => ({
  input: 10,
  output: 50,
  reasoning: 5,
  cache: { read: 900, write: 90 },
  ...given,
});

export const assistant = (parts: Given[] = [], given: Given = {}) => {
  const created = now();
  const info: Given = {
    id: nextId("msg"),
    role: "assistant",
    time: { created, completed: created + 500 },
    modelID: "claude-opus-4-5",
    providerID: "anthropic",
    cost: 0.0125,
    tokens: tokens(),
    finish: "stop",
    ...given,
  };
  return { info, parts };
};

export const tool = (callID: string, state: Given = {}, given: Given = {}): Given => ({
  type: "tool",
  callID,
  tool: "read",
  state: { status: "completed", input: { filePath: "a" }, output: "text", time: { start: 1, end: 4 }, ...state },
  ...given,
});

export const step = (given: Given = {}): Given => ({ type: "step-finish", tokens: tokens(given) });

/** Writes the session as single files; returns the path of the session's own. */
export function inStorage(folder: string, { info, messages }: Exported): string {
  const file = (path: string, value: unknown) => {
    mkdirSync(join(path, ".."), { recursive: true });
    writeFileSync(path, JSON.stringify(value));
  };
  for (const { info: message, parts } of messages) {
    file(join(folder, "message", String(info.id), `${message.id}.json`), message);
    for (const [i, part] of parts.entries()) file(join(folder, "part", String(message.id), `prt_${i}.json`), part);
  }
  const path = join(folder, "session", "project", `${info.id}.json`);
  file(path, info);
  return path;
}

/** Opens a database with opencode's tables, which the caller closes. */
export function database(path: string) {
  const raw = new Database(path);
  raw.pragma("journal_mode = WAL");
  raw.exec(`
    CREATE TABLE IF NOT EXISTS session (id TEXT PRIMARY KEY, parent_id TEXT, directory TEXT, title TEXT, version TEXT,
      time_created INTEGER, time_updated INTEGER);
    CREATE TABLE IF NOT EXISTS message (id TEXT PRIMARY KEY, session_id TEXT, time_created INTEGER, data TEXT);
    CREATE TABLE IF NOT EXISTS part (id TEXT PRIMARY KEY, message_id TEXT, session_id TEXT, data TEXT);`);
  const insert = {
    session: raw.prepare("INSERT OR REPLACE INTO session VALUES (?, ?, ?, ?, ?, ?, ?)"),
    message: raw.prepare("INSERT OR REPLACE INTO message VALUES (?, ?, ?, ?)"),
    part: raw.prepare("INSERT OR REPLACE INTO part VALUES (?, ?, ?, ?)"),
  };
  return {
    raw,
    put({ info, messages }: Exported) {
      const { id, parentID, directory, title, version } = info;
      insert.session.run(id, parentID ?? null, directory, title, version, START, START);
      for (const { info: message, parts } of messages) {
        const { id: name, ...data } = message;
        insert.message.run(name, id, (data.time as { created: number }).created, JSON.stringify(data));
        for (const [i, part] of parts.entries()) insert.part.run(`${name}/${i}`, name, id, JSON.stringify(part));
      }
    },
  };
}
