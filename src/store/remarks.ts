import type { Raw } from "../db/open.js";
import type { ContentFact, CoverageFact, NoteFact, SessionEvent } from "../events/event.js";
import { eventIdOf, hexOf } from "../events/identity.js";
import type { SkippedLine, Source } from "../events/sink.js";
import { cleanText } from "./clean.js";
import { moment, text, whole } from "./facts.js";
import type { Frame } from "./frame.js";

type Outcome = "added" | "known" | "changed";

/** What is kept beside the facts: coverage, notes and contents. Nothing here is counted or copied. */
export interface Remarks {
  coverage(event: CoverageFact, session: number, source: number): Outcome;
  note(event: NoteFact, session: number, source: number, batch: number): Outcome;
  content(event: ContentFact, tenant: number | null): Outcome;
  /** A line that could not be read. */
  skipped(line: SkippedLine, from: Source, source: number, batch: number): void;
  /** An event whose recorded tenant contradicts the known one. */
  conflict(event: SessionEvent, session: number, source: number, batch: number): void;
}

export function createRemarks(raw: Raw, frame: Frame): Remarks {
  const findCoverage = raw.prepare(
    "SELECT id, level, why, source_offset AS offset FROM coverage WHERE session = ? AND fact = ? AND source = ?",
  );
  const makeCoverage = raw.prepare(
    "INSERT INTO coverage (source, session, fact, level, why, source_offset) VALUES (?, ?, ?, ?, ?, ?)",
  );
  const changeCoverage = raw.prepare("UPDATE coverage SET level = ?, why = ?, source_offset = ? WHERE id = ?");
  const makeNote = raw.prepare(`
    INSERT INTO notes (event_id, source, batch, session, kind, name, count, at_ms, source_line, source_offset, detail)
    VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING`);
  const makeContent = raw.prepare(
    "INSERT INTO contents (tenant, digest, text) VALUES (?, ?, ?) ON CONFLICT DO NOTHING",
  );

  return {
    coverage({ fact, level, why: reason, offset }, session, source) {
      const said: Coverage = { level, why: text(reason), offset: whole(offset, "offset") };
      const stored = findCoverage.get(session, fact, source) as (Coverage & { id: number }) | undefined;
      if (stored === undefined) {
        makeCoverage.run(source, session, fact, said.level, said.why, said.offset);
        return "added";
      }
      const next = later(stored, said);
      if (next.level === stored.level && next.why === stored.why && next.offset === stored.offset) return "known";
      changeCoverage.run(next.level, next.why, next.offset, stored.id);
      return "changed";
    },

    note(event, session, source, batch) {
      const { changes } = makeNote.run(
        event.eventId,
        source,
        batch,
        session,
        frame.word(event.note),
        frame.word(event.name),
        whole(event.count, "count"),
        moment(event.atMs, "atMs"),
        event.line,
        event.offset,
        text(event.detail),
      );
      return changes === 1 ? "added" : "known";
    },

    content({ digest, text: content }, tenant) {
      return makeContent.run(tenant, digest, cleanText(content)).changes === 1 ? "added" : "known";
    },

    skipped({ line, offset, reason }, { format, locator }, source, batch) {
      const id = eventIdOf("skipped_line", format, locator, offset);
      const kind = frame.word("skipped_line");
      makeNote.run(id, source, batch, null, kind, null, 1, null, line, offset, cleanText(reason));
    },

    conflict({ eventId, kind, tenant, line, offset, atMs }, session, source, batch) {
      const id = eventIdOf("tenant_conflict", hexOf(eventId), tenant ?? "");
      const [note, name] = [frame.word("tenant_conflict"), frame.word(kind)];
      const detail = `said to be of ${tenant === null ? "nobody" : cleanText(tenant)}`;
      makeNote.run(id, source, batch, session, note, name, 1, atMs, line, offset, detail);
    },
  };
}

interface Coverage {
  level: string;
  why: string | null;
  offset: number | null;
}

/**
 * What a source can tell, of two sayings: that from further on in it. Of two from the same place, or from none, one that
 * can tell about one part of a session and not about another is partial.
 */
function later(a: Coverage, b: Coverage): Coverage {
  if (a.offset !== b.offset) return (a.offset ?? -1) > (b.offset ?? -1) ? a : b;
  return { level: a.level === b.level ? a.level : "partial", why: smaller(a.why, b.why), offset: a.offset };
}

function smaller(a: string | null, b: string | null): string | null {
  if (a === null || b === null) return a ?? b;
  return a < b ? a : b;
}
