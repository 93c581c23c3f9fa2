import { type Kysely, sql } from "kysely";
import type { Tables } from "../store/schema.js";
import { inLaneHistory, inScope, type Selection } from "../store/scope.js";

/**
 * Pairs of consecutive requests of one lane, one row per pair, named by the later request.
 *
 * - Order within a lane: time, then position in the source, then id.
 * - A pair belongs to the window (and tenant and model) of its later request; the earlier one may lie outside, and may
 *   be a copy that the session inherited.
 * - `known`: both shells are known and of one digest algorithm. Otherwise `changed` and `reordered` are null.
 * - `declared`: the reason that was said for a change, `model` when the model differs, else null.
 */
export function transitionsOf(db: Kysely<Tables>, selection: Selection) {
  const history = db
    .selectFrom("requests as request")
    .selectAll("request")
    .select([
      earlier("id").as("earlier_id"),
      earlier("shell_digest").as("earlier_shell"),
      earlier("shell_set_digest").as("earlier_set"),
      earlier("digest_algorithm").as("earlier_algorithm"),
      earlier("model").as("earlier_model"),
    ])
    .where(inLaneHistory(selection, "request"));
  return db
    .selectFrom(history.as("later"))
    .leftJoin("words", "words.id", "later.declared_change")
    .select([
      "later.id",
      "later.miss_reason",
      sql<number>`${known}`.as("known"),
      sql<number | null>`iif(${known}, shell_digest <> earlier_shell, null)`.as("changed"),
      sql<number | null>`iif(${known}, shell_digest <> earlier_shell and shell_set_digest = earlier_set, null)`.as(
        "reordered",
      ),
      sql<string | null>`ifnull(words.text, iif(model <> earlier_model, 'model', null))`.as("declared"),
    ])
    .where("later.earlier_id", "is not", null)
    .where(inScope(selection, "requests", "later"));
}

const known = sql`(shell_digest is not null and earlier_shell is not null and digest_algorithm is earlier_algorithm)`;

function earlier(column: string) {
  return sql<number | null>`lag(${sql.ref(`request.${column}`)}) over (
    partition by request.session, request.lane order by request.at_ms, request.source_line, request.event_id)`;
}
