import type { Raw } from "../db/open.js";
import type { EventHeader } from "../events/event.js";

/** Tells events of sessions and tenants that were forgotten on purpose; null when nothing was. */
export function readTombstones(raw: Raw): ((event: EventHeader) => boolean) | null {
  const rows = raw.prepare("SELECT kind, agent, name FROM tombstones").all() as {
    kind: "session" | "tenant";
    agent: string;
    name: string;
  }[];
  if (rows.length === 0) return null;
  const key = (kind: string, agent: string, name: string) => `${kind}\0${agent}\0${name}`;
  const names = new Set(rows.map(({ kind, agent, name }) => key(kind, agent, name)));
  return ({ agent, session, tenant }) =>
    names.has(key("session", agent, session)) ||
    names.has(key("session", "", session)) ||
    (tenant !== null && names.has(key("tenant", "", tenant)));
}
