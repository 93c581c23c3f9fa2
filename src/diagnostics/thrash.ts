import { type Kysely, sql } from "kysely";
import type { Tables } from "../store/schema.js";
import type { Selection } from "../store/scope.js";
import { type LaneCompaction, laneCompactions } from "./compacted-lanes.js";

/** Compactions of one lane that followed each other too closely. */
export interface Thrash {
  session: string;
  fromMs: number;
  untilMs: number;
  /** Turns between each compaction and the next. */
  turnsBetween: number[];
  compactions: LaneCompaction[];
}

const LEAST_COMPACTIONS = 3;
const TURNS_BETWEEN = 4;

/**
 * Thrash: three or more compactions of one lane with fewer than four turns between one and the next.
 *
 * - Such a context cannot shrink: what is kept, or what each turn brings, is too large for the window.
 * - Counts runs; a run goes on as long as its compactions stay that close. Compactions without a time are left out.
 */
export async function thrash(db: Kysely<Tables>, selection: Selection): Promise<Thrash[]> {
  const lanes = byLane(await laneCompactions(db, selection));
  const runs: Thrash[] = [];
  for (const compactions of lanes.values()) {
    let run: LaneCompaction[] = [];
    let between: number[] = [];
    const close = () => {
      if (run.length >= LEAST_COMPACTIONS) {
        const [first, last] = [run[0]!, run.at(-1)!];
        const moments = { fromMs: first.atMs!, untilMs: last.atMs! };
        runs.push({ session: first.sessionId, ...moments, turnsBetween: between, compactions: run });
      }
    };
    for (const compaction of compactions) {
      const last = run.at(-1);
      const turns = last === undefined ? 0 : await turnsBetween(db, last, compaction);
      if (last !== undefined && turns < TURNS_BETWEEN) between.push(turns);
      else {
        close();
        run = [];
        between = [];
      }
      run.push(compaction);
    }
    close();
  }
  return runs.sort((a, b) => a.fromMs - b.fromMs);
}

function byLane(compactions: LaneCompaction[]): Map<string, LaneCompaction[]> {
  const lanes = new Map<string, LaneCompaction[]>();
  for (const compaction of compactions) {
    if (compaction.atMs === null) continue;
    const key = `${compaction.session} ${compaction.lane}`;
    lanes.set(key, [...(lanes.get(key) ?? []), compaction]);
  }
  return lanes;
}

async function turnsBetween(db: Kysely<Tables>, first: LaneCompaction, second: LaneCompaction): Promise<number> {
  const { turns } = await db
    .selectFrom("turns")
    .select(sql<number>`count(distinct event_id)`.as("turns"))
    .where("session", "=", first.session)
    .where(sql<boolean>`lane is ${first.lane}`)
    .where("at_ms", ">", first.atMs!)
    .where("at_ms", "<=", second.atMs!)
    .executeTakeFirstOrThrow();
  return turns;
}
