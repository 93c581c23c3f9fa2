import { type Kysely, type RawBuilder, type SqlBool, sql } from "kysely";
import type { Digest, EventHeader, SessionEvent } from "../events/event.js";
import { eventIdOf } from "../events/identity.js";
import type { Tables } from "./schema.js";

/** The tables that hold one kind of event each, with the columns whose inner name differs from the event's field. */
const FACTS = {
  request: {
    table: "requests",
    words: [
      "provider",
      "model",
      "requested_model",
      "finish_reason",
      "digest_algorithm",
      "rewrite_kind",
      "miss_reason",
      "estimate_method",
    ],
    flags: ["cache_reported"],
  },
  attempt: { table: "attempts", words: ["error_class"], flags: [] },
  tool_call: { table: "tool_calls", words: ["tool", "determinism"], flags: ["use_seen", "result_seen", "is_error"] },
  cache: { table: "cache_events", words: ["entry_tenant", "policy_version", "reason"], flags: ["served"] },
  divergence: { table: "divergences", words: ["cluster", "judge", "judge_version", "sampling"], flags: [] },
  compaction: {
    table: "compactions",
    words: ["recipe", "recipe_version", "count_method", "checkpoint_fault"],
    flags: [],
  },
  judgment: { table: "judgments", words: ["judge", "judge_version"], flags: [] },
  contract: { table: "contract_checks", words: ["contract", "contract_version", "code"], flags: [] },
  waiver: { table: "waivers", words: [], flags: [] },
  scope_access: { table: "scope_accesses", words: ["resource_kind", "resource_tenant"], flags: [] },
  memory: { table: "memory_events", words: [], flags: [] },
  budget: { table: "budget_events", words: ["budget"], flags: ["exhausted"] },
} as const;

type Row = Record<string, unknown>;

/** What has no time stands last, so that it follows what it is about. */
const LATEST = Number.MAX_SAFE_INTEGER;

/**
 * Everything the store holds of one session, as the events that were said, in order of time: what it inherited from
 * another session too, each thing once, from the best signal that tells it. What another session counts is put into
 * `inherited`. `session` is the inner key (see `sessions.ts`). Segments of layouts are not read back; their digests are.
 */
export async function eventsOf(
  db: Kysely<Tables>,
  session: number,
  inherited: Set<SessionEvent> = new Set(),
): Promise<SessionEvent[]> {
  const words = await wordsOf(db);
  const lanes = new Map(
    (await db.selectFrom("lanes").selectAll().where("session", "=", session).execute()).map((row) => [row.id, row]),
  );
  const turns = await db.selectFrom("turns").selectAll().where("session", "=", session).execute();
  const prompts = new Map(turns.map((row) => [row.id, row.prompt_id]));
  const frame = await db.selectFrom("sessions").selectAll().where("id", "=", session).executeTakeFirstOrThrow();
  const agent = words.get(frame.agent)!;

  const header = (row: Row): EventHeader => ({
    eventId: row.event_id as Digest,
    agent,
    session: frame.session_id,
    lane: lanes.get(row.lane as number)?.lane_id ?? "main",
    turn: prompts.get(row.turn as number) ?? null,
    tenant: words.get(row.tenant as number) ?? null,
    atMs: row.at_ms as number | null,
    timeQuality: row.time_quality as EventHeader["timeQuality"],
    line: row.source_line as number | null,
    offset: row.source_offset as number | null,
  });

  const events: SessionEvent[] = [];
  for (const [kind, { table, words: wordColumns, flags }] of Object.entries(FACTS)) {
    const rows = (await db
      .selectFrom(table)
      .selectAll()
      .where("session", "=", session)
      .where(countsSomewhere(table))
      .orderBy("at_ms")
      .orderBy("event_id")
      .execute()) as Row[];
    for (const row of onceEach(rows)) {
      const fields = fieldsOf(row, wordColumns, flags, words);
      const event = { ...header(row), kind, ...fields, ...(await partsOf(db, kind, row, words)) } as SessionEvent;
      events.push(event);
      if (row.counted === 0) inherited.add(event);
    }
  }
  const bare = { at_ms: null, time_quality: "exact", source_line: null, source_offset: null, tenant: frame.tenant };
  const derived = (name: string, row: Row) => ({
    ...header({ ...bare, ...row }),
    eventId: eventIdOf(agent, frame.session_id, name),
  });
  const said: SessionEvent[] = [
    {
      ...derived("session", {}),
      kind: "session",
      agentVersion: frame.agent_version,
      project: frame.project,
      branch: frame.branch,
      title: frame.title,
      parentSession: frame.parent_session,
      sessionKind: frame.kind,
      status: frame.status,
    },
    ...[...lanes.values()].map(
      (row, at): SessionEvent => ({
        ...derived(`lane ${at}`, { lane: row.id }),
        kind: "lane",
        laneKind: row.kind as "parent",
        agentType: words.get(row.agent_type ?? 0) ?? null,
        parentLane: row.parent_lane,
        parentToolCall: row.parent_tool_call,
      }),
    ),
    ...turns.map(
      (row): SessionEvent => ({
        ...header({ ...row, turn: row.id }),
        kind: "turn",
        endedAtMs: row.ended_at_ms,
        outcome: row.outcome as "answered" | null,
        branch: words.get(row.branch ?? 0) ?? null,
        project: words.get(row.project ?? 0) ?? null,
        clientVersion: words.get(row.client_version ?? 0) ?? null,
      }),
    ),
  ];
  const coverage = await db
    .selectFrom("coverage")
    .select(["fact", "level", "why"])
    .distinct()
    .where("session", "=", session)
    .orderBy("fact")
    .orderBy("level")
    .execute();
  coverage.forEach((row, at) => {
    said.push({ ...derived(`coverage ${at}`, {}), kind: "coverage", ...row } as SessionEvent);
  });
  return [...said, ...events.sort((a, b) => (a.atMs ?? LATEST) - (b.atMs ?? LATEST))];
}

/** Leaves out what a better signal of the same session told: no row of the thing counts. */
function countsSomewhere(table: (typeof FACTS)[keyof typeof FACTS]["table"]): RawBuilder<SqlBool> {
  const name = sql.table(table);
  return sql`(counted = 1 or exists (select 1 from ${name} o where o.event_id = ${name}.event_id and o.counted = 1))`;
}

/** Of several rows of one thing (snapshots of the session), the counted one, else the first. */
function onceEach(rows: Row[]): Row[] {
  const chosen = new Map<string, Row>();
  for (const row of rows) {
    const key = (row.event_id as Buffer).toString("hex");
    if (!chosen.has(key) || row.counted === 1) chosen.set(key, row);
  }
  return [...chosen.values()];
}

function fieldsOf(row: Row, wordColumns: readonly string[], flags: readonly string[], words: Map<number, string>): Row {
  const fields: Row = {};
  for (const [column, value] of Object.entries(row)) {
    if (HEADER.has(column)) continue;
    const name = RENAMED[column] ?? column.replace(/_(\w)/g, (_, letter: string) => letter.toUpperCase());
    if (wordColumns.includes(column)) fields[name] = words.get(value as number) ?? null;
    else if (flags.includes(column)) fields[name] = value === null ? null : value === 1;
    else fields[name] = value;
  }
  return fields;
}

const HEADER = new Set([
  "id",
  "event_id",
  "source",
  "batch",
  "session",
  "lane",
  "turn",
  "tenant",
  "at_ms",
  "time_quality",
  "source_line",
  "source_offset",
  "counted",
  "tip",
]);
const RENAMED: Record<string, string> = {
  class: "divergenceClass",
  expires_at_ms: "expiresAtMs",
  limit_value: "limit",
  used_value: "used",
};

/** What an event holds that lives in tables of its own, or in another form. */
async function partsOf(db: Kysely<Tables>, kind: string, row: Row, words: Map<number, string>): Promise<Row> {
  const digest = async (id: unknown) =>
    id === null
      ? null
      : (
          await db
            .selectFrom("digests")
            .select("digest")
            .where("id", "=", id as number)
            .executeTakeFirst()
        )?.digest;
  if (kind === "cache") {
    return { shellDigest: await digest(row.shell_digest), entryShellDigest: await digest(row.entry_shell_digest) };
  }
  if (kind === "request") {
    return {
      shellDigest: await digest(row.shell_digest),
      shellSetDigest: await digest(row.shell_set_digest),
      paramsDigest: await digest(row.params_digest),
      segments: null,
      declaredChange: undefined,
      declaredChanges: (words.get(row.declared_change as number) ?? "").split(",").filter((word) => word !== ""),
    };
  }
  if (kind === "compaction") {
    const items = await db
      .selectFrom("compaction_items")
      .selectAll()
      .where("compaction", "=", row.id as number)
      .orderBy("id")
      .execute();
    return { items: items.map(({ message_id, fate, tokens }) => ({ messageId: message_id, fate, tokens })) };
  }
  if (kind === "judgment") {
    const facts = await db
      .selectFrom("facts")
      .selectAll()
      .where("judgment", "=", row.id as number)
      .orderBy("id")
      .execute();
    return {
      facts: facts.map(({ id: _, judgment: __, kind: factKind, is_constraint, ...fact }) => ({
        ...fieldsOf(fact, [], [], words),
        factKind: words.get(factKind) ?? "",
        isConstraint: is_constraint === 1,
      })),
    };
  }
  return kind === "memory" ? { resources: JSON.parse((row.resources as string | null) ?? "[]") } : {};
}

async function wordsOf(db: Kysely<Tables>): Promise<Map<number, string>> {
  return new Map((await db.selectFrom("words").selectAll().execute()).map(({ id, text }) => [id, text]));
}
