import { immediate } from "../db/transaction.js";
import type { EventKind, LaneFact, SessionEvent, TurnFact } from "../events/event.js";
import { hexOf } from "../events/identity.js";
import { REDACTION_VERSION } from "../events/redact.js";
import type { Appended, SourceBatch } from "../events/sink.js";
import { Failure } from "../failure.js";
import { createClaims } from "./claims.js";
import { type CountedTable, countedTables, createCopies } from "./copies.js";
import { type Fact, type FactKind, factTables, moment, Unkeepable } from "./facts.js";
import { createFrame } from "./frame.js";
import { createKeeper, type KeepFact } from "./keep.js";
import { migrations } from "./migrations/index.js";
import { mark, type Store } from "./open.js";
import { createRemarks } from "./remarks.js";
import { createSignals } from "./signals.js";
import { createSources } from "./sources.js";
import { sweep, takeBack } from "./take-back.js";
import { readTombstones } from "./tombstones.js";
import { createTurns, type Said } from "./turns.js";

export interface WriterOptions {
  nowMs: () => number;
  /** Which machine the batches were recorded on; null when it is nobody's business. */
  machine: string | null;
}

/**
 * The one way into the store. Answers with a function that appends parts of any number of sources in one immediate
 * transaction, and what it did.
 *
 * The store does not depend on the order in which the same events come, nor on how they are cut into batches: see
 * `fold.ts` (one thing said twice by a source), `copies.ts` (one thing in several sources), `claims.ts` (sessions and
 * lanes) and `turns.ts`. The exception is a tenant: the first known one stays.
 */
export function createWriter(store: Store, { nowMs, machine }: WriterOptions): (parts: SourceBatch[]) => Appended {
  const { raw, db } = store;
  const frame = createFrame(raw);
  const sources = createSources(raw);
  const claims = createClaims(raw, frame);
  const turns = createTurns(raw, frame, sources.nameOf);
  const copies = createCopies(raw);
  const signals = createSignals(raw, copies);
  const remarks = createRemarks(raw, frame);
  const keepers = new Map<FactKind, KeepFact>();

  const dataVersion = raw.prepare("PRAGMA data_version").pluck();
  const totalChanges = raw.prepare("SELECT total_changes()").pluck();
  const userVersion = raw.prepare("PRAGMA user_version").pluck();
  const countBatch = raw.prepare("UPDATE store SET committed = committed + 1");
  const makeBatch = raw.prepare(
    "INSERT INTO batches (source, recorded_at_ms, parser_version, redaction_version, machine) VALUES (?, ?, ?, ?, ?)",
  );
  const nameTenant = raw.prepare("UPDATE sessions SET tenant = ? WHERE id = ?");

  /** State of the file after the last batch: another one means that somebody else has written. */
  let lastState = "";
  /** Of the running transaction. */
  let result: Appended;
  let firstRows: Map<CountedTable, number>;
  let changed: { table: CountedTable; eventId: Buffer }[];
  let touched: Set<number>;

  return (parts) => {
    try {
      return immediate(raw, () => append(parts));
    } catch (error) {
      frame.forget();
      claims.forget();
      throw error;
    }
  };

  function append(parts: SourceBatch[]): Appended {
    begin();
    const forgotten = readTombstones(raw);
    const swept: number[] = [];
    for (const part of parts) {
      const now = nowMs();
      const source = sources.enter(part, now);
      let tenants: Map<string, number> | null = null;
      if (part.replace) {
        const taken = takeBack(raw, source, claims, sources.nameOf);
        changed.push(...taken.copies);
        swept.push(...taken.sessions);
        for (const session of taken.sessions) touched.add(session);
        tenants = taken.tenants.size > 0 ? taken.tenants : null;
        frame.forget();
      }
      if (part.events.length > 0 || part.skipped.length > 0) {
        const parser = part.cursor?.parserVersion ?? null;
        const batch = Number(makeBatch.run(source, now, parser, REDACTION_VERSION, machine).lastInsertRowid);
        for (const event of part.events) {
          if (forgotten?.(event)) result.forgotten += 1;
          else tryToKeep(event, part, source, batch, tenants);
        }
        for (const line of part.skipped) remarks.skipped(line, part.source, source, batch);
      }
      sources.leave(source, part, now);
    }
    finish(swept);
    return result;
  }

  function begin(): void {
    const schema = userVersion.get();
    if (schema !== migrations.length) {
      throw new Failure("store.migrated", `${store.path} has been migrated to schema ${schema} meanwhile`, {
        tries: ["run the same command again with the newer sonny"],
      });
    }
    mark(store);
    if (fileState() !== lastState) frame.forget();
    frame.begin();
    turns.begin();
    result = { added: {}, known: 0, copies: 0, tenantConflicts: 0, forgotten: 0, refused: [] };
    firstRows = new Map();
    changed = [];
    touched = new Set();
  }

  function finish(swept: number[]): void {
    const moved = claims.settle();
    if (swept.length > 0) {
      sweep(raw, swept);
      frame.forget();
    }
    for (const id of turns.made) firstRow("turns", id);
    for (const eventId of turns.touched) changed.push({ table: "turns", eventId });
    for (const { table, eventId } of changed) copies.recount(table, eventId);
    for (const [table, first] of firstRows) {
      for (const eventId of copies.since(table, first)) {
        const rows = copies.recount(table, eventId);
        if (table === "requests") result.copies += Math.min(rows.filter((id) => id >= first).length, rows.length - 1);
      }
    }
    for (const session of moved) {
      // The copies in a session made just now are among the new rows.
      if (frame.made.sessions.has(session)) continue;
      for (const table of countedTables) {
        for (const eventId of copies.inSession(table, session)) copies.recount(table, eventId);
      }
    }
    signals.settle(touched);
    add("session", frame.made.sessions.size);
    add("lane", frame.made.lanes.size);
    add("turn", turns.made.size);
    countBatch.run();
    lastState = fileState();
  }

  /** Changes with every commit of another connection and with every write of this one. */
  function fileState(): string {
    return `${dataVersion.get()} ${totalChanges.get()}`;
  }

  function firstRow(table: CountedTable, id: number): void {
    const first = firstRows.get(table);
    if (first === undefined || id < first) firstRows.set(table, id);
  }

  function add(kind: EventKind, rows: number): void {
    if (rows > 0) result.added[kind] = (result.added[kind] ?? 0) + rows;
  }

  function tally(kind: EventKind, outcome: "added" | "known" | "changed"): void {
    if (outcome === "added") add(kind, 1);
    else if (outcome === "known") result.known += 1;
  }

  function tryToKeep(
    event: SessionEvent,
    { source: from }: SourceBatch,
    source: number,
    batch: number,
    tenants: Map<string, number> | null,
  ): void {
    try {
      keep(event, source, batch, tenants);
    } catch (error) {
      const code = String((error as { code?: unknown }).code);
      const refused =
        error instanceof Unkeepable ||
        code.startsWith("SQLITE_CONSTRAINT") ||
        (error instanceof TypeError && error.message.startsWith("SQLite3 can only bind"));
      if (!refused) throw error;
      const what = `the ${event.kind} ${hexOf(event.eventId)} of session ${event.session}`;
      const why = `contradicts itself: ${(error as Error).message}`;
      if (from.kind === "import" || from.kind === "otlp") {
        result.refused.push({ source: from, line: event.line, reason: `${what} ${why}` });
        return;
      }
      const place = event.line === null ? from.locator : `${from.locator}:${event.line}`;
      throw new Failure("event.refused", `${what} (${place}) ${why}`, { cause: error });
    }
  }

  function keep(event: SessionEvent, source: number, batch: number, tenants: Map<string, number> | null): void {
    const session = frame.session(event.agent, event.session);
    const named = frame.word(event.tenant);
    const kept = tenants?.get(hexOf(event.eventId)) ?? null;
    const tenant = kept ?? named;
    if (tenant !== null && session.tenant === null) {
      nameTenant.run(tenant, session.id);
      session.tenant = tenant;
    }
    const said: Omit<Said, "lane"> = { session, source, batch, tenant };
    if (kept !== null && named !== null && named !== kept) conflict(event, said);
    touched.add(session.id);
    claims.time(session.id, source, moment(event.atMs, "atMs"));
    if (event.kind === "session") {
      if (named !== null && named !== session.tenant) conflict(event, said);
      if (!claims.session(session.id, source, event) && !frame.made.sessions.has(session.id)) result.known += 1;
    } else if (event.kind === "coverage") {
      tally("coverage", remarks.coverage(event, session.id, source));
    } else if (event.kind === "note") {
      tally("note", remarks.note(event, session.id, source, batch));
    } else if (event.kind === "content") {
      tally("content", remarks.content(event, tenant));
    } else {
      const lane = frame.lane(session, event.lane);
      if (lane.seenBy !== source) claims.sawLane(session.id, lane.id, source);
      lane.seenBy = source;
      keepInLane(event, { session, lane, source, batch, tenant });
    }
  }

  /** A known tenant stays; that another one was said is counted and noted. */
  function conflict(event: SessionEvent, { session, source, batch }: Omit<Said, "lane">): void {
    result.tenantConflicts += 1;
    remarks.conflict(event, session.id, source, batch);
  }

  function keepInLane(event: Fact | LaneFact | TurnFact, said: Said): void {
    if (event.kind === "lane") {
      const news = claims.lane(said.session.id, said.lane.id, said.source, event);
      if (!news && !frame.made.lanes.has(said.lane.id)) result.known += 1;
    } else if (event.kind === "turn") {
      if (event.turn === null) throw new Unkeepable("its turn is null, which is the key of a turn");
      const outcome = turns.keep(event, said);
      if (outcome === "conflict") conflict(event, said);
      else if (outcome === "known") result.known += 1;
    } else {
      const kept = keeperOf(event.kind)(event, said, turns.of(event, said));
      if (kept === "known") result.known += 1;
      else if (kept === "changed") changed.push({ table: factTables[event.kind], eventId: event.eventId });
      else {
        firstRow(factTables[event.kind], kept.row);
        add(event.kind, 1);
      }
    }
  }

  function keeperOf(kind: FactKind): KeepFact {
    let keeper = keepers.get(kind);
    if (keeper === undefined) {
      keeper = createKeeper(raw, db, frame, kind, conflict);
      keepers.set(kind, keeper);
    }
    return keeper;
  }
}
