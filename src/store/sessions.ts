import type { Kysely } from "kysely";
import { Failure } from "../failure.js";
import type { Tables } from "./schema.js";

/** Agents that have a session of exactly this id, in order of their names. */
export async function agentsOf(db: Kysely<Tables>, session: string): Promise<string[]> {
  const rows = await db
    .selectFrom("sessions")
    .innerJoin("words", "words.id", "sessions.agent")
    .select("words.text")
    .where("sessions.session_id", "=", session)
    .orderBy("words.text")
    .execute();
  return rows.map(({ text }) => text);
}

/** Inner key of one session. Fails when there is none, or when several agents have one and none is named. */
export async function sessionKey(db: Kysely<Tables>, session: string, agent?: string): Promise<number> {
  const rows = await db
    .selectFrom("sessions")
    .innerJoin("words", "words.id", "sessions.agent")
    .select(["sessions.id", "words.text as agent"])
    .where("sessions.session_id", "=", session)
    .orderBy("words.text")
    .execute();
  const found = agent === undefined ? rows : rows.filter((row) => row.agent === agent);
  if (found.length === 1) return found[0]!.id;
  if (found.length === 0) {
    throw new Failure("session.unknown", `no session "${session}" in this store`, {
      tries: ["sonny import", "sonny context stats"],
    });
  }
  throw new Failure("session.ambiguous", `several agents have a session "${session}"`, {
    tries: found.map((row) => `--agent ${row.agent}`),
  });
}
