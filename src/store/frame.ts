import type { Raw } from "../db/open.js";
import type { Digest, Segment } from "../events/event.js";
import { digestOf } from "../events/identity.js";
import { cleanName, cleanText } from "./clean.js";

/** A session the writer knows. */
export interface SessionEntry {
  id: number;
  agent: string;
  /** As producers spell it, and as it is kept. */
  said: string;
  session: string;
  tenant: number | null;
  lanes: Map<string, LaneEntry>;
}

export interface LaneEntry {
  id: number;
  /** The source that spoke of it last; null when that is not remembered. */
  seenBy: number | null;
  /** By prompt id; see `turns.ts`. */
  turns: Map<string, TurnEntry>;
}

/** The parts of a turn's row that decide whether a later word about it changes anything. */
export interface TurnEntry {
  id: number;
  /** True when only facts have named it so far. */
  implied: boolean;
  atMs: number | null;
  source: number;
  tenant: number | null;
}

/**
 * Finds or makes the small rows that facts point at, and remembers their keys. What it remembers holds only while
 * nobody else writes and nothing is taken back: after that, and after a rollback, call `forget`.
 */
export interface Frame {
  word(text: string | null): number | null;
  /** The text of a word's key. */
  text(word: number): string;
  digest(digest: Digest | null): number | null;
  /** Key of the last segment of a layout; the others are found through it. */
  tip(segments: Segment[] | null, tenant: number | null): number | null;
  session(agent: string, session: string): SessionEntry;
  lane(session: SessionEntry, lane: string): LaneEntry;
  /** Sessions and lanes made since the last `begin`, by key. */
  made: { sessions: Set<number>; lanes: Set<number> };
  /** A new transaction begins. */
  begin(): void;
  forget(): void;
}

/** More than this many remembered keys are dropped between transactions. */
const REMEMBERED = 200_000;

export function createFrame(raw: Raw): Frame {
  const words = new Map<string, number>();
  const texts = new Map<number, string>();
  const digests = new Map<string, number>();
  const segments = new Map<string, number>();
  const sessions = new Map<string, SessionEntry>();
  let recent: SessionEntry | null = null;

  const key = (sql: string) => raw.prepare(sql).pluck() as { get(...values: unknown[]): unknown };
  const findWord = key("SELECT id FROM words WHERE text = ?");
  const makeWord = raw.prepare("INSERT INTO words (text) VALUES (?)");
  const findText = key("SELECT text FROM words WHERE id = ?");
  const findDigest = key("SELECT id FROM digests WHERE digest = ?");
  const makeDigest = raw.prepare("INSERT INTO digests (digest) VALUES (?)");
  const findSession = raw.prepare("SELECT id, tenant FROM sessions WHERE session_id = ? AND agent = ?");
  const makeSession = raw.prepare("INSERT INTO sessions (session_id, agent) VALUES (?, ?)");
  const findLane = key("SELECT id FROM lanes WHERE session = ? AND lane_id = ?");
  const makeLane = raw.prepare("INSERT INTO lanes (session, lane_id, kind) VALUES (?, ?, ?)");
  // One row per (digest, tenant); a property that was said once stays, so that the order of requests does not matter.
  const makeSegment = key(`
    INSERT INTO segments (tenant, digest, parent, ordinal, kind, content_digest, canonical_digest, bytes, tokens, cacheable, breakpoint, ttl)
    VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
    ON CONFLICT (digest, ifnull(tenant, 0)) DO UPDATE SET
      canonical_digest = max(ifnull(canonical_digest, excluded.canonical_digest), ifnull(excluded.canonical_digest, canonical_digest)),
      bytes = max(bytes, excluded.bytes),
      tokens = max(ifnull(tokens, excluded.tokens), ifnull(excluded.tokens, tokens)),
      cacheable = max(cacheable, excluded.cacheable),
      breakpoint = max(breakpoint, excluded.breakpoint),
      ttl = max(ifnull(ttl, excluded.ttl), ifnull(excluded.ttl, ttl))
    RETURNING id`);

  const frame: Frame = {
    word(text) {
      if (text === null) return null;
      const known = words.get(text);
      if (known !== undefined) return known;
      const clean = cleanText(text);
      const id = (findWord.get(clean) as number | undefined) ?? Number(makeWord.run(clean).lastInsertRowid);
      words.set(text, id);
      texts.set(id, clean);
      return id;
    },

    text(word) {
      const known = texts.get(word) ?? (findText.get(word) as string);
      texts.set(word, known);
      return known;
    },

    digest(digest) {
      if (digest === null) return null;
      const name = digest.toString("latin1");
      const known = digests.get(name);
      if (known !== undefined) return known;
      const id = (findDigest.get(digest) as number | undefined) ?? Number(makeDigest.run(digest).lastInsertRowid);
      digests.set(name, id);
      return id;
    },

    tip(layout, tenant) {
      let parent: number | null = null;
      let chain: Digest = Buffer.alloc(16);
      for (const [ordinal, segment] of (layout ?? []).entries()) {
        chain = digestOf(Buffer.concat([chain, Buffer.from(`${segment.segmentKind}\0`), segment.contentDigest]));
        const name: string = [
          chain.toString("latin1"),
          tenant,
          segment.canonicalDigest?.toString("latin1"),
          segment.bytes,
          segment.tokens,
          segment.cacheable,
          segment.breakpoint,
          segment.ttl,
        ].join("\0");
        let id = segments.get(name);
        if (id === undefined) {
          id = makeSegment.get(
            tenant,
            chain,
            parent,
            ordinal,
            frame.word(segment.segmentKind),
            segment.contentDigest,
            segment.canonicalDigest,
            segment.bytes,
            segment.tokens,
            Number(segment.cacheable),
            Number(segment.breakpoint),
            segment.ttl,
          ) as number;
          segments.set(name, id);
        }
        parent = id;
      }
      return parent;
    },

    session(agent, session) {
      // Events of one session come in a row.
      if (recent?.agent === agent && recent.said === session) return recent;
      const name = `${agent}\0${session}`;
      recent = sessions.get(name) ?? null;
      if (recent !== null) return recent;
      const clean = cleanName(session);
      const word = frame.word(agent);
      const row = findSession.get(clean, word) as { id: number; tenant: number | null } | undefined;
      const id = row?.id ?? Number(makeSession.run(clean, word).lastInsertRowid);
      if (row === undefined) frame.made.sessions.add(id);
      recent = { id, agent, said: session, session: clean, tenant: row?.tenant ?? null, lanes: new Map() };
      sessions.set(name, recent);
      return recent;
    },

    lane(session, lane) {
      const known = session.lanes.get(lane);
      if (known !== undefined) return known;
      const clean = cleanName(lane);
      const found = findLane.get(session.id, clean) as number | undefined;
      const id = found ?? Number(makeLane.run(session.id, clean, usualKind(clean)).lastInsertRowid);
      if (found === undefined) frame.made.lanes.add(id);
      const entry: LaneEntry = { id, seenBy: null, turns: new Map() };
      session.lanes.set(lane, entry);
      return entry;
    },

    made: { sessions: new Set(), lanes: new Set() },

    begin() {
      frame.made.sessions.clear();
      frame.made.lanes.clear();
      if (words.size + digests.size + segments.size + sessions.size > REMEMBERED) frame.forget();
    },

    forget() {
      for (const memory of [words, texts, digests, segments, sessions]) memory.clear();
      recent = null;
    },
  };
  return frame;
}

/** The kind of a lane that nobody described. */
export function usualKind(lane: string): "parent" | "subagent" {
  return lane === "main" ? "parent" : "subagent";
}
