/** What the judge said of the compactions in a store. */
import type { Imported } from "./import.js";

export const judgments = (held: Imported) =>
  held.rows(`SELECT score, facts_passed AS passed, facts_total AS total, w.text AS judge, v.text AS version
    FROM judgments j JOIN words w ON w.id = j.judge JOIN words v ON v.id = j.judge_version
    ORDER BY j.at_ms, j.id`);

/** How many facts of each kind are in which state, over all judgments. */
export const states = (held: Imported) =>
  held.rows(`SELECT w.text AS kind, state, count(*) AS n FROM facts f JOIN words w ON w.id = f.kind
    GROUP BY 1, 2 ORDER BY 1, 2`);

export const unjudged = (held: Imported) =>
  held.rows(`SELECT w.text AS why FROM notes JOIN words n ON n.id = notes.kind JOIN words w ON w.id = notes.name
    WHERE n.text = 'unjudged'`);
