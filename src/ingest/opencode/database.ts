import { type DatabaseFile, openForReading } from "../../db/open.js";
import { Damaged } from "../open.js";
import type { Export } from "./gather.js";

/** Databases of other programs do not say whose they are. */
const FOREIGN = { applicationId: 0 };

/** True for a database with the tables of opencode. Throws `Damaged`. */
export function isDatabase(path: string): boolean {
  return reading(path, ({ raw }) => {
    const tables = raw.prepare("SELECT name FROM sqlite_schema WHERE type = 'table'").pluck().all();
    return ["session", "message", "part"].every((table) => tables.includes(table));
  });
}

/** The sessions of a database one after the other, in the order of their ids. Throws `Damaged`. */
export function* sessionsIn(path: string): Generator<Export> {
  const ids = reading(path, ({ raw }) => raw.prepare("SELECT id FROM session ORDER BY id").pluck().all() as string[]);
  for (const id of ids) {
    const session = reading(path, (file) => sessionIn(file, id));
    if (session !== null) yield session;
  }
}

type Row = Record<string, unknown>;

function sessionIn({ raw }: DatabaseFile, id: string): Export | null {
  const session = raw.prepare("SELECT * FROM session WHERE id = ?").get(id) as Row | undefined;
  if (session === undefined) return null;
  const messages = raw.prepare("SELECT * FROM message WHERE session_id = ? ORDER BY time_created, id").all(id) as Row[];
  const parts = raw.prepare("SELECT * FROM part WHERE message_id = ? ORDER BY id");
  const { directory, title, version, parent_id, time_created, time_updated } = session;
  return {
    info: {
      id,
      directory,
      title,
      version,
      ...(parent_id === null ? {} : { parentID: parent_id }),
      time: { created: time_created, updated: time_updated },
    },
    messages: messages.map((message) => ({
      info: { ...dataOf(message), id: message.id, sessionID: id },
      parts: (parts.all(message.id) as Row[]).map((part) => ({ ...dataOf(part), id: part.id })),
    })),
  };
}

/** What is no JSON is empty. */
function dataOf({ data }: Row): object {
  try {
    const value = JSON.parse(String(data)) as unknown;
    return typeof value === "object" && value !== null ? value : {};
  } catch {
    return {};
  }
}

function reading<T>(path: string, read: (file: DatabaseFile) => T): T {
  try {
    const file = openForReading(path, FOREIGN);
    try {
      return read(file);
    } finally {
      file.close();
    }
  } catch (error) {
    throw new Damaged(`cannot be read as a database: ${(error as Error).message}`);
  }
}
