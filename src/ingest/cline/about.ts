import type { Conversation } from "../conversation.js";
import type { TranscriptFile } from "../importer.js";
import { object } from "../json.js";

/** What the file that describes the session tells; it lies beside the one with the messages. */
export function aboutSession(
  { path, beside }: TranscriptFile,
  session: string,
): Pick<Conversation, "project" | "title" | "parent"> {
  const name = path.replace(/^.*[\\/]/, "").replace(/\.messages\.json$/, "");
  const told = described(beside(`${name}.json`));
  if (told === null || told.session_id !== session) return { project: null, title: null, parent: null };
  const metadata = object(told.metadata);
  return {
    project: textIn(told.cwd),
    title: textIn(metadata?.title),
    parent: textIn(object(metadata?.fork)?.forkedFromSessionId),
  };
}

function described(json: string | null): Record<string, unknown> | null {
  try {
    return json === null ? null : object(JSON.parse(json));
  } catch {
    return null;
  }
}

const textIn = (value: unknown) => (typeof value === "string" ? value : null);
