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
  const pairs = db
    .selectFrom("requests")
    .select([
      "requests.id",
      sql<number | null>`lag(requests.id) over (
        partition by requests.session, requests.lane
        order by requests.at_ms, requests.source_line, requests.event_id)`.as("earlier"),
    ])
    .where(inLaneHistory(selection, "requests"));
  return db
    .selectFrom(pairs.as("pair"))
    .innerJoin("requests as later", "later.id", "pair.id")
    .innerJoin("requests as earlier", "earlier.id", "pair.earlier")
    .leftJoin("words", "words.id", "later.declared_change")
    .select([
      "later.id",
      "later.miss_reason",
      "later.tip",
      "earlier.tip as earlier_tip",
      sql<number>`${known}`.as("known"),
      sql<number | null>`iif(${known}, ${changed}, null)`.as("changed"),
      sql<number | null>`iif(${known}, ${changed} and later.shell_set_digest = earlier.shell_set_digest, null)`.as(
        "reordered",
      ),
      sql<string | null>`ifnull(words.text, iif(later.model <> earlier.model, 'model', null))`.as("declared"),
    ])
    .where(inScope(selection, "requests", "later"));
}

const known = sql`(later.shell_digest is not null and earlier.shell_digest is not null
  and later.digest_algorithm is earlier.digest_algorithm)`;
const changed = sql`later.shell_digest <> earlier.shell_digest`;
