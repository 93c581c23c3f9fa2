import type { Raw } from "../db/open.js";
import type { EventHeader, TurnFact } from "../events/event.js";
import { eventIdOf } from "../events/identity.js";
import { cleanName } from "./clean.js";
import { moment, type Value } from "./facts.js";
import { isBefore, same } from "./fold.js";
import type { Frame, LaneEntry, SessionEntry, TurnEntry } from "./frame.js";

/** Where a word about a turn comes from. */
export interface Said {
  session: SessionEntry;
  lane: LaneEntry;
  source: number;
  batch: number;
  tenant: number | null;
}

/**
 * Turns have one row per (lane, prompt). A turn that facts name before anybody described it is implied: it begins with
 * the earliest of them, its time is inherited. What turn facts say goes before that; several of them are folded: the
 * earliest start with its place, the latest end, the best outcome.
 */
export interface Turns {
  /** The key of the turn that a fact belongs to; null when it belongs to none. */
  of(event: EventHeader, said: Said): number | null;
  keep(event: TurnFact, said: Said): "added" | "known" | "changed" | "conflict";
  /** Rows made since the last `begin`, by key. */
  made: Set<number>;
  /** Things whose copies must be counted again. */
  touched: Buffer[];
  begin(): void;
}

interface Row {
  id: number;
  event_id: Buffer;
  source: number;
  batch: number;
  tenant: number | null;
  at_ms: number | null;
  time_quality: string;
  source_line: number | null;
  source_offset: number | null;
  ended_at_ms: number | null;
  outcome: string | null;
  branch: number | null;
  project: number | null;
  client_version: number | null;
}

const COLUMNS = [
  "event_id",
  "source",
  "batch",
  "tenant",
  "at_ms",
  "time_quality",
  "source_line",
  "source_offset",
  "ended_at_ms",
  "outcome",
  "branch",
  "project",
  "client_version",
] as const;

export function createTurns(raw: Raw, frame: Frame, sourceName: (source: number) => string): Turns {
  const find = raw.prepare(`SELECT id, ${COLUMNS.join(", ")} FROM turns WHERE lane = ? AND prompt_id = ?`);
  const make = raw.prepare(`
    INSERT INTO turns (session, lane, prompt_id, ${COLUMNS.join(", ")}, counted)
    VALUES (?, ?, ?${", ?".repeat(COLUMNS.length)}, NOT EXISTS (SELECT 1 FROM turns WHERE event_id = ?))`);
  const change = raw.prepare(`UPDATE turns SET ${COLUMNS.map((column) => `${column} = ?`).join(", ")} WHERE id = ?`);

  function insert(prompt: string, row: Omit<Row, "id">, said: Said): TurnEntry {
    const id = Number(make.run(said.session.id, said.lane.id, prompt, ...valuesOf(row), row.event_id).lastInsertRowid);
    turns.made.add(id);
    return remember(said.lane, prompt, { ...row, id });
  }

  function remember(lane: LaneEntry, prompt: string, row: Row): TurnEntry {
    const entry: TurnEntry = {
      id: row.id,
      implied: isImplied(row),
      atMs: row.at_ms,
      source: row.source,
      tenant: row.tenant,
    };
    lane.turns.set(prompt, entry);
    return entry;
  }

  /** Position of a word about a turn: described before implied, exact before inherited, then the earlier. */
  function rank(row: Omit<Row, "id">): (number | string)[] {
    const last = Number.POSITIVE_INFINITY;
    return [
      isImplied(row) ? 1 : 0,
      QUALITIES.indexOf(row.time_quality),
      row.at_ms ?? last,
      row.source_offset ?? last,
      row.source_line ?? last,
      sourceName(row.source),
    ];
  }

  /** A fact names a turn that nobody described: the turn may begin earlier, or be known to a smaller source. */
  function imply(entry: TurnEntry, prompt: string, event: EventHeader, { lane, source, batch, tenant }: Said): void {
    const [mine, theirs] = [event.atMs ?? Number.POSITIVE_INFINITY, entry.atMs ?? Number.POSITIVE_INFINITY];
    const earlier =
      mine < theirs || (mine === theirs && source !== entry.source && sourceName(source) < sourceName(entry.source));
    const named = tenant !== null && tenant !== entry.tenant && smaller(tenant, entry.tenant) === tenant;
    if (!earlier && !named) return;
    const row = find.get(lane.id, prompt) as Row;
    if (named) row.tenant = tenant;
    if (earlier) Object.assign(row, { at_ms: event.atMs, source, batch });
    change.run(...valuesOf(row), row.id);
    remember(lane, prompt, row);
  }

  function smaller(a: number | null, b: number | null): number | null {
    if (a === null || b === null) return a ?? b;
    return frame.text(b) < frame.text(a) ? b : a;
  }

  /** The row after one more turn fact. */
  function joined(row: Row, said: Omit<Row, "id">, impliedId: Buffer): Row {
    const first = isBefore(rank(said), rank(row)) ? said : row;
    const ids = [row.event_id, said.event_id].sort(Buffer.compare);
    return {
      ...first,
      id: row.id,
      event_id: ids.find((id) => !id.equals(impliedId)) ?? impliedId,
      tenant: isImplied(row) ? said.tenant : (row.tenant ?? said.tenant),
      ended_at_ms:
        row.ended_at_ms === null || said.ended_at_ms === null
          ? (row.ended_at_ms ?? said.ended_at_ms)
          : Math.max(row.ended_at_ms, said.ended_at_ms),
      outcome: OUTCOMES.find((outcome) => outcome === row.outcome || outcome === said.outcome) ?? null,
      branch: smaller(row.branch, said.branch),
      project: smaller(row.project, said.project),
      client_version: smaller(row.client_version, said.client_version),
    };
  }

  const turns: Turns = {
    made: new Set(),
    touched: [],
    begin() {
      turns.made.clear();
      turns.touched = [];
    },

    of(event, said) {
      if (event.turn === null) return null;
      let entry = said.lane.turns.get(event.turn);
      if (entry !== undefined && !entry.implied) return entry.id;
      const prompt = cleanName(event.turn);
      entry ??= said.lane.turns.get(prompt);
      if (entry === undefined) {
        const row = find.get(said.lane.id, prompt) as Row | undefined;
        if (row === undefined) return insert(prompt, impliedRow(event, prompt, said), said).id;
        entry = remember(said.lane, prompt, row);
      }
      if (entry.implied) imply(entry, prompt, event, said);
      return entry.id;
    },

    keep(event, said) {
      const prompt = cleanName(event.turn ?? "");
      const next = factRow(event, said, frame);
      const stored = find.get(said.lane.id, prompt) as Row | undefined;
      if (stored === undefined) {
        insert(prompt, next, said);
        return "added";
      }
      const conflict =
        !isImplied(stored) && next.tenant !== null && stored.tenant !== null && next.tenant !== stored.tenant;
      const row = joined(stored, next, impliedIdOf(event, prompt));
      const news = COLUMNS.some((column) => column !== "batch" && !same(row[column], stored[column]));
      if (news) {
        change.run(...valuesOf(row), row.id);
        remember(said.lane, prompt, row);
        turns.touched.push(stored.event_id, row.event_id);
      }
      return conflict ? "conflict" : news ? "changed" : "known";
    },
  };
  return turns;
}

const QUALITIES = ["exact", "recorded", "file_mtime", "inherited"];
const OUTCOMES = ["answered", "failed", "interrupted"];

/** Identity of a turn that nobody described. */
export function impliedIdOf(
  { agent, session, lane }: Pick<EventHeader, "agent" | "session" | "lane">,
  prompt: string,
): Buffer {
  return eventIdOf("turn", agent, session, lane, prompt);
}

function isImplied(row: Omit<Row, "id">): boolean {
  return row.time_quality === "inherited" && row.source_line === null && row.source_offset === null;
}

function impliedRow(event: EventHeader, prompt: string, { source, batch, tenant }: Said): Omit<Row, "id"> {
  return {
    event_id: impliedIdOf(event, prompt),
    source,
    batch,
    tenant,
    at_ms: event.atMs,
    time_quality: "inherited",
    source_line: null,
    source_offset: null,
    ended_at_ms: null,
    outcome: null,
    branch: null,
    project: null,
    client_version: null,
  };
}

function factRow(event: TurnFact, { source, batch, tenant }: Said, frame: Frame): Omit<Row, "id"> {
  return {
    event_id: event.eventId,
    source,
    batch,
    tenant,
    at_ms: event.atMs,
    time_quality: event.timeQuality,
    source_line: event.line,
    source_offset: event.offset,
    ended_at_ms: moment(event.endedAtMs, "endedAtMs"),
    outcome: event.outcome,
    branch: frame.word(event.branch),
    project: frame.word(event.project),
    client_version: frame.word(event.clientVersion),
  };
}

function valuesOf(row: Omit<Row, "id">): Value[] {
  return COLUMNS.map((column) => row[column]);
}
