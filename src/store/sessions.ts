import { guarded } from "../db/trouble.js";
import { Failure } from "../failure.js";
import type { Store } from "./open.js";

/** The agents that have a session of this id, by name; a session id is unique only within its agent. */
export function agentsOf({ path, raw }: Pick<Store, "path" | "raw">, session: string): string[] {
  const sql = "SELECT w.text FROM sessions s JOIN words w ON w.id = s.agent WHERE s.session_id = ? ORDER BY w.text";
  return guarded(path, () => raw.prepare(sql).pluck().all(session) as string[]);
}

/** Inner key of one session. Fails when there is none, or when several agents have one and none is named. */
export function sessionKey(store: Pick<Store, "path" | "raw">, session: string, agent?: string): number {
  const agents = agentsOf(store, session).filter((name) => agent === undefined || name === agent);
  if (agents.length === 0) {
    throw new Failure("session.unknown", `no session "${session}" in this store`, {
      tries: ["sonny import", "sonny context stats"],
    });
  }
  if (agents.length > 1) {
    throw new Failure("session.ambiguous", `several agents have a session "${session}"`, {
      tries: agents.map((name) => `--agent ${name}`),
    });
  }
  const sql = "SELECT s.id FROM sessions s JOIN words w ON w.id = s.agent WHERE s.session_id = ? AND w.text = ?";
  return guarded(store.path, () => store.raw.prepare(sql).pluck().get(session, agents[0]) as number);
}

/** True when a judgment or waiver can be about this thing: a compaction, a contract result or a tool call. */
export function holdsSubject({ path, raw }: Pick<Store, "path" | "raw">, eventId: Buffer): boolean {
  return guarded(path, () =>
    ["compactions", "contract_checks", "tool_calls"].some(
      (table) => raw.prepare(`SELECT 1 FROM ${table} WHERE event_id = ? LIMIT 1`).get(eventId) !== undefined,
    ),
  );
}
