import type { Raw } from "../db/open.js";
import type { Copies } from "./copies.js";

/**
 * A session that was heard over several signals: its transcript, received log records, spans, sums of metrics. Each
 * thing counts once, from the best signal that tells it, in this order. Decided again whenever the session is written
 * to, from its rows alone.
 *
 * - Of rows that are one thing by their event id the copies decide, as everywhere.
 * - A row with an id that a better signal tells too (of the response, of the provider's request, of the tool call) does
 *   not count beside it. Where two signals have ids in common, one with an id that the better signal lacks counts.
 * - Without ids in common, the better signal is believed for the time it covers, from its first record to its last and
 *   ten seconds around. Sums of metrics have no times of their own: anything better covers them.
 * - A request from log records takes its shell and its turn from the span of the same request: log records tell none.
 */
export interface Signals {
  /** Settles the sessions among these that were heard over several signals. Call it after copies were counted. */
  settle(sessions: Iterable<number>): void;
}

const TABLES = ["requests", "tool_calls", "turns", "attempts", "compactions"] as const;
type Table = (typeof TABLES)[number];

/** Names of a thing that several signals know, in each table. */
const IDS: Record<Table, string[]> = {
  requests: ["message_id", "request_id"],
  tool_calls: ["call_id"],
  turns: [],
  attempts: [],
  compactions: [],
};

const RANK = `CASE WHEN o.kind <> 'otlp' THEN 0 WHEN o.format = 'otlp.logs' THEN 1 WHEN o.format = 'otlp.traces' THEN 2 ELSE 3 END`;
const METRICS = 3;
const AROUND_MS = 10_000;

interface Row {
  id: number;
  eventId: Buffer;
  rank: number;
  atMs: number | null;
  counted: number;
  /** True unless another row of the same thing goes before it. */
  first: boolean;
  ids: (string | null)[];
}

export function createSignals(raw: Raw, copies: Copies): Signals {
  const anyReceived = raw.prepare("SELECT EXISTS (SELECT 1 FROM sources WHERE kind = 'otlp')").pluck();
  const ranks = raw
    .prepare(
      `SELECT DISTINCT ${RANK} FROM claims c JOIN sources o ON o.id = c.source
       WHERE c.session = ? AND c.lane = 0 AND o.format <> 'otlp'`,
    )
    .pluck();
  const rows = new Map(TABLES.map((table) => [table, raw.prepare(rowsOf(table))]));
  const count = new Map(TABLES.map((table) => [table, raw.prepare(`UPDATE ${table} SET counted = ? WHERE id = ?`)]));
  const shells = raw.prepare(`
    SELECT r.id, ${RANK} AS rank, r.at_ms AS atMs, r.turn, r.shell_digest AS shell,
      r.request_id AS requestId, r.message_id AS messageId
    FROM requests r JOIN sources o ON o.id = r.source WHERE r.session = ? ORDER BY r.at_ms, r.event_id`);
  const complete = raw.prepare(`
    UPDATE requests SET turn = ifnull(turn, @turn), shell_digest = s.shell_digest,
      shell_set_digest = s.shell_set_digest, digest_algorithm = s.digest_algorithm
    FROM (SELECT shell_digest, shell_set_digest, digest_algorithm FROM requests WHERE id = @span) s
    WHERE requests.id = @log`);

  return {
    settle(sessions) {
      if (anyReceived.get() === 0) return;
      for (const session of sessions) {
        const heard = ranks.all(session) as number[];
        if (heard.length < 2) continue;
        for (const table of TABLES) settleTable(session, table);
        if (heard.includes(1) && heard.includes(2)) completeLogs(session);
      }
    },
  };

  function settleTable(session: number, table: Table): void {
    const all = (rows.get(table)!.all(session) as Found[]).map(
      (row): Row => ({
        ...row,
        first: row.several === 0 || copies.firstOf(table, row.eventId) === row.id,
        ids: IDS[table].map((id) => row[id] as string | null),
      }),
    );
    const better: Row[] = [];
    for (const rank of [0, 1, 2, METRICS]) {
      const mine = all.filter((row) => row.rank === rank);
      const covered = coverageOf(better, mine);
      for (const row of mine) {
        const due = row.first && !covered(row) ? 1 : 0;
        if (row.counted !== due) count.get(table)!.run(due, row.id);
      }
      better.push(...mine);
    }
  }

  /** One log record takes from one span: of the same id, else the nearest in time. */
  function completeLogs(session: number): void {
    const all = shells.all(session) as Shelled[];
    const spans = all.filter(({ rank }) => rank === 2);
    for (const log of all.filter(({ rank }) => rank === 1)) {
      const span = sameId(spans, log) ?? nearest(spans, log);
      if (span === undefined) continue;
      spans.splice(spans.indexOf(span), 1);
      complete.run({ log: log.id, span: span.id, turn: span.turn });
    }
  }
}

interface Shelled {
  id: number;
  rank: number;
  atMs: number | null;
  turn: number | null;
  requestId: string | null;
  messageId: string | null;
}

function sameId(spans: Shelled[], log: Shelled): Shelled | undefined {
  return spans.find(
    ({ requestId, messageId }) =>
      (requestId !== null && requestId === log.requestId) || (messageId !== null && messageId === log.messageId),
  );
}

function nearest(spans: Shelled[], { atMs }: Shelled): Shelled | undefined {
  const away = (span: Shelled) => (span.atMs === null || atMs === null ? AROUND_MS : Math.abs(span.atMs - atMs));
  return spans.filter((span) => away(span) < AROUND_MS).sort((a, b) => away(a) - away(b))[0];
}

/** Tells of a row of this signal whether a better one, which those rows are of, covers it. */
function coverageOf(better: Row[], mine: Row[]): (row: Row) => boolean {
  const told = new Set(better.flatMap(idsOf));
  const shared = new Set(mine.flatMap(idsOf).filter((id) => told.has(id)));
  const kinds = new Set([...shared].map(kindOf));
  const times = better.flatMap(({ atMs }) => (atMs === null ? [] : [atMs]));
  const from = times.reduce((a, b) => Math.min(a, b), Number.POSITIVE_INFINITY) - AROUND_MS;
  const to = times.reduce((a, b) => Math.max(a, b), Number.NEGATIVE_INFINITY) + AROUND_MS;
  const things = new Set(better.map(({ eventId }) => eventId.toString("latin1")));
  return (row) => {
    if (better.length === 0 || things.has(row.eventId.toString("latin1"))) return false;
    if (row.rank === METRICS) return true;
    const ids = idsOf(row);
    if (ids.some((id) => shared.has(id))) return true;
    if (ids.some((id) => kinds.has(kindOf(id)))) return false;
    return row.atMs === null || (row.atMs >= from && row.atMs <= to);
  };
}

function idsOf({ ids }: Row): string[] {
  return ids.flatMap((id, kind) => (id === null ? [] : [`${kind} ${id}`]));
}

const kindOf = (id: string) => id[0];

interface Found extends Omit<Row, "first" | "ids"> {
  several: number;
  [id: string]: unknown;
}

function rowsOf(table: Table): string {
  const ids = IDS[table].map((id) => `, r.${id}`).join("");
  return `
    SELECT r.id, r.event_id AS eventId, ${RANK} AS rank, r.at_ms AS atMs, r.counted${ids},
      EXISTS (SELECT 1 FROM ${table} o WHERE o.event_id = r.event_id AND o.id <> r.id) AS several
    FROM ${table} r JOIN sources o ON o.id = r.source
    WHERE r.session = ?`;
}
