import type { Raw } from "../db/open.js";
import type { LaneFact, SessionFact } from "../events/event.js";
import { name, text } from "./facts.js";
import { type Frame, usualKind } from "./frame.js";

/** Fields that the latest word decides; of all others the earliest stays. */
const LATEST = new Set(["last", "title", "status", "agent_version"]);

const SESSION_FIELDS = ["agent_version", "project", "branch", "title", "parent_session", "kind", "status"];
const LANE_FIELDS = ["kind", "agent_type", "parent_lane", "parent_tool_call"];

/**
 * Sessions and lanes are folded from claims: for each field the best claim of each source is kept, and the best of
 * those is shown. Times decide, then the text; never the order of arrival.
 *
 * What is heard is written by `settle`, once per transaction.
 */
export interface Claims {
  /** Something happened in the session, according to the source. */
  time(session: number, source: number, atMs: number | null): void;
  /** Returns whether this says anything new. */
  session(session: number, source: number, fact: SessionFact): boolean;
  lane(session: number, lane: number, source: number, fact: LaneFact): boolean;
  /** The source spoke of the lane. */
  sawLane(session: number, lane: number, source: number): void;
  /** Forgets what the source claimed. Returns the sessions it spoke of. */
  takeBack(source: number): number[];
  /** Writes what was heard and folds again. Returns the sessions that begin at another time now. */
  settle(): number[];
  /** After a rollback. */
  forget(): void;
}

/** One value that one source gave for one field, and when. */
interface Claim {
  source: number;
  field: string;
  atMs: number | null;
  text: string | null;
}

/** A session (lane 0) or a lane of it, with all that is claimed about it. */
interface Subject {
  session: number;
  lane: number;
  claims: Claim[];
  news: Set<Claim>;
  takenBack: boolean;
}

export function createClaims(raw: Raw, frame: Frame): Claims {
  const subjects = new Map<string, Subject>();
  let span: { session: number; source: number; started: number | null; last: number | null } | null = null;

  const read = raw.prepare("SELECT source, field, at_ms AS atMs, text FROM claims WHERE session = ? AND lane = ?");
  const write = raw.prepare(`
    INSERT INTO claims (session, lane, field, source, at_ms, text) VALUES (?, ?, ?, ?, ?, ?)
    ON CONFLICT DO UPDATE SET at_ms = excluded.at_ms, text = excluded.text`);
  const spokenOf = raw.prepare("SELECT DISTINCT session, lane FROM claims WHERE source = ?");
  const erase = raw.prepare("DELETE FROM claims WHERE source = ?");
  const begun = raw.prepare("SELECT started_at_ms FROM sessions WHERE id = ?").pluck();
  const showSession = raw.prepare(`UPDATE sessions SET ${set(["started_at_ms", "last_at_ms", ...SESSION_FIELDS])}`);
  const laneName = raw.prepare("SELECT lane_id FROM lanes WHERE id = ?").pluck();
  const showLane = raw.prepare(`UPDATE lanes SET ${set(LANE_FIELDS)}`);

  function subject(session: number, lane: number): Subject {
    const key = `${session} ${lane}`;
    let found = subjects.get(key);
    if (found === undefined) {
      const claims = read.all(session, lane) as Claim[];
      found = { session, lane, claims, news: new Set(), takenBack: false };
      subjects.set(key, found);
    }
    return found;
  }

  function hear({ claims, news }: Subject, claim: Claim): boolean {
    const before = claims.findIndex(({ source, field }) => source === claim.source && field === claim.field);
    if (before === -1) claims.push(claim);
    else if (isBetter(claim, claims[before]!)) news.delete(claims.splice(before, 1, claim)[0]!);
    else return false;
    news.add(claim);
    return true;
  }

  function hearAll(about: Subject, source: number, atMs: number | null, fields: string[], values: (string | null)[]) {
    let isNews = false;
    for (const [i, value] of values.entries()) {
      if (value !== null) isNews = hear(about, { source, field: fields[i]!, atMs, text: value }) || isNews;
    }
    return isNews;
  }

  function endSpan(): void {
    if (span === null) return;
    const { session, source, started, last } = span;
    const about = subject(session, 0);
    hear(about, { source, field: "started", atMs: started, text: null });
    hear(about, { source, field: "last", atMs: last, text: null });
    span = null;
  }

  function show({ session, lane, claims }: Subject): boolean {
    if (lane !== 0) {
      const [kind, agentType, ...parents] = LANE_FIELDS.map((field) => best(claims, field)?.text ?? null);
      const usual = usualKind((laneName.get(lane) as string | undefined) ?? "");
      showLane.run(kind ?? usual, frame.word(agentType ?? null), ...parents, lane);
      return false;
    }
    const started = best(claims, "started")?.atMs ?? null;
    const moved = begun.get(session) !== started;
    const fields = SESSION_FIELDS.map((field) => best(claims, field)?.text ?? null);
    showSession.run(started, best(claims, "last")?.atMs ?? null, ...fields, session);
    return moved;
  }

  return {
    time(session, source, atMs) {
      if (span === null || span.session !== session || span.source !== source) {
        endSpan();
        span = { session, source, started: null, last: null };
      }
      if (atMs === null) return;
      if (span.started === null || atMs < span.started) span.started = atMs;
      if (span.last === null || atMs > span.last) span.last = atMs;
    },

    session(session, source, fact) {
      return hearAll(subject(session, 0), source, fact.atMs, SESSION_FIELDS, [
        text(fact.agentVersion),
        text(fact.project),
        text(fact.branch),
        text(fact.title),
        name(fact.parentSession),
        text(fact.sessionKind),
        text(fact.status),
      ]);
    },

    lane(session, lane, source, fact) {
      return hearAll(subject(session, lane), source, fact.atMs, LANE_FIELDS, [
        fact.laneKind,
        text(fact.agentType),
        name(fact.parentLane),
        name(fact.parentToolCall),
      ]);
    },

    sawLane(session, lane, source) {
      hear(subject(session, lane), { source, field: "seen", atMs: null, text: null });
    },

    takeBack(source) {
      endSpan();
      const touched = spokenOf.all(source) as { session: number; lane: number }[];
      for (const { session, lane } of touched) subject(session, lane).takenBack = true;
      for (const about of subjects.values()) {
        about.claims = about.claims.filter((claim) => claim.source !== source);
        for (const claim of about.news) if (claim.source === source) about.news.delete(claim);
      }
      erase.run(source);
      return [...new Set(touched.map(({ session }) => session))];
    },

    settle() {
      endSpan();
      const moved: number[] = [];
      for (const about of subjects.values()) {
        const { session, lane, news, takenBack } = about;
        for (const { source, field, atMs, text } of news) write.run(session, lane, field, source, atMs, text);
        if ((news.size > 0 || takenBack) && show(about)) moved.push(session);
      }
      this.forget();
      return moved;
    },

    forget() {
      subjects.clear();
      span = null;
    },
  };
}

function set(columns: string[]): string {
  return `${columns.map((column) => `${column} = ?`).join(", ")} WHERE id = ?`;
}

function best(claims: Claim[], field: string): Claim | null {
  let found: Claim | null = null;
  for (const claim of claims) if (claim.field === field && (found === null || isBetter(claim, found))) found = claim;
  return found;
}

/** A claim with a time beats one without. */
function isBetter(claim: Claim, other: Claim): boolean {
  const latest = LATEST.has(claim.field);
  if (claim.atMs !== other.atMs) {
    if (claim.atMs === null || other.atMs === null) return other.atMs === null;
    return latest ? claim.atMs > other.atMs : claim.atMs < other.atMs;
  }
  const [mine, theirs] = [claim.text ?? "", other.text ?? ""];
  return latest ? mine > theirs : mine < theirs;
}
