import type { Raw } from "../db/open.js";
import type { Appended, SourceBatch } from "../events/sink.js";
import { cleanName } from "./clean.js";

type Counts = NonNullable<Appended["replaced"]>;

/**
 * How much the sources that are about to be read anew have said so far, so that it does not count as new. Of requests
 * those that count: the others are counted as copies again.
 */
export function createReplaced(raw: Raw): (parts: SourceBatch[]) => Counts {
  const idOf = raw.prepare("SELECT id FROM sources WHERE format = ? AND locator = ?").pluck();
  const sessions = "session IN (SELECT session FROM claims WHERE source = @id) AND source = @id";
  const counts = raw.prepare(`
    SELECT (SELECT count(*) FROM turns WHERE ${sessions}) AS turn,
      (SELECT count(*) FROM tool_calls WHERE ${sessions}) AS tool_call,
      (SELECT count(*) FROM compactions WHERE ${sessions}) AS compaction,
      (SELECT count(*) FROM requests WHERE counted = 1 AND ${sessions}) AS request`);
  return (parts) => {
    const sum: Required<Pick<Counts, "turn" | "tool_call" | "compaction" | "request">> = {
      turn: 0,
      tool_call: 0,
      compaction: 0,
      request: 0,
    };
    for (const { source, replace } of parts) {
      const id = replace ? idOf.get(source.format, cleanName(source.locator)) : undefined;
      if (id === undefined) continue;
      const said = counts.get({ id }) as typeof sum;
      for (const kind of Object.keys(sum) as (keyof typeof sum)[]) sum[kind] += said[kind];
    }
    return sum;
  };
}
