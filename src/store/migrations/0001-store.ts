/**
 * The first schema: the frame (sources, sessions, lanes, turns) and one table per kind of fact.
 *
 * Every fact row carries the same header. `event_id` names the thing, `source` says who saw it: a copy in another
 * source keeps its own row, and exactly one row of an `event_id` has `counted = 1`. Repeated words (models, tools,
 * agents, tenants, versions) are stored once in `words`; digests are 16 bytes. Together that keeps a request with all
 * its indexes near 200 bytes.
 *
 * Each fact table has two indexes, and each is paid for at import:
 * - `UNIQUE (event_id, source)`: one row per thing and source, and finding the copies of a thing.
 * - `(session, ...)`: every question about one session, independent of the size of the store.
 * `requests`, `turns` and `compactions` add one on time, for windows over the whole store.
 */
const header = `
  id            INTEGER PRIMARY KEY NOT NULL,
  event_id      BLOB NOT NULL CHECK (length(event_id) = 16),
  source        INTEGER NOT NULL REFERENCES sources,
  batch         INTEGER NOT NULL REFERENCES batches,
  session       INTEGER NOT NULL REFERENCES sessions,
  lane          INTEGER REFERENCES lanes,
  turn          INTEGER REFERENCES turns,
  tenant        INTEGER REFERENCES words,
  at_ms         INTEGER,
  time_quality  TEXT NOT NULL CHECK (time_quality IN ('exact', 'inherited', 'file_mtime', 'recorded')),
  source_line   INTEGER,
  source_offset INTEGER,
  counted       INTEGER NOT NULL DEFAULT 1 CHECK (counted IN (0, 1))`;

const fact = (table: string, columns: string, extra = "") => `
CREATE TABLE ${table} (${header},
${columns},
  UNIQUE (event_id, source)
) STRICT;
CREATE INDEX ${table}_by_session ON ${table} (session${extra});
`;

const flag = (name: string) => `${name} INTEGER CHECK (${name} IN (0, 1))`;
const oneOf = (name: string, values: string) =>
  `${name} TEXT CHECK (${name} IN (${values
    .split(" ")
    .map((value) => `'${value}'`)
    .join(", ")}))`;
const nat = (name: string) => `${name} INTEGER CHECK (${name} >= 0)`;
const share = (name: string) => `${name} REAL CHECK (${name} BETWEEN 0 AND 1)`;

const frame = `
-- One row: the identity of this store and how many batches it has committed (compared with the mark file beside it).
CREATE TABLE store (
  id        INTEGER PRIMARY KEY CHECK (id = 1),
  store_id  TEXT NOT NULL,
  committed INTEGER NOT NULL DEFAULT 0
) STRICT;
INSERT INTO store (id, store_id) VALUES (1, lower(hex(randomblob(16))));

CREATE TABLE words (id INTEGER PRIMARY KEY NOT NULL, text TEXT NOT NULL UNIQUE) STRICT;

CREATE TABLE sources (
  id             INTEGER PRIMARY KEY NOT NULL,
  ${oneOf("kind", "runtime import otlp fixture manual")} NOT NULL,
  format         TEXT NOT NULL,
  locator        TEXT NOT NULL,
  file_id        TEXT,
  ${nat("size")},
  mtime_ms       INTEGER,
  ${nat("offset")},
  ${nat("line")},
  tail_digest    TEXT,
  parser_version INTEGER,
  parser_state   TEXT,
  ${nat("lines_skipped")} DEFAULT 0,
  first_seen_ms  INTEGER NOT NULL,
  last_seen_ms   INTEGER NOT NULL,
  UNIQUE (format, locator)
) STRICT;

CREATE TABLE batches (
  id                INTEGER PRIMARY KEY NOT NULL,
  source            INTEGER NOT NULL REFERENCES sources,
  recorded_at_ms    INTEGER NOT NULL,
  parser_version    INTEGER,
  redaction_version INTEGER NOT NULL,
  machine           TEXT
) STRICT;
CREATE INDEX batches_by_source ON batches (source);

CREATE TABLE sessions (
  id             INTEGER PRIMARY KEY NOT NULL,
  session_id     TEXT NOT NULL,
  agent          INTEGER NOT NULL REFERENCES words,
  agent_version  TEXT,
  tenant         INTEGER REFERENCES words,
  project        TEXT,
  branch         TEXT,
  title          TEXT,
  parent_session TEXT,
  kind           TEXT,
  status         TEXT,
  started_at_ms  INTEGER,
  last_at_ms     INTEGER,
  ended_at_ms    INTEGER,
  UNIQUE (session_id, agent)
) STRICT;

CREATE TABLE lanes (
  id               INTEGER PRIMARY KEY NOT NULL,
  session          INTEGER NOT NULL REFERENCES sessions,
  lane_id          TEXT NOT NULL,
  ${oneOf("kind", "parent subagent compaction self_review judge side")} NOT NULL,
  agent_type       INTEGER REFERENCES words,
  parent_lane      TEXT,
  parent_tool_call TEXT,
  UNIQUE (session, lane_id)
) STRICT;

-- What each source said about a session (lane 0) or a lane, one value per field. Sessions and lanes are folded from
-- it, so that the order of import does not matter and a source can be taken back without losing what others said.
CREATE TABLE claims (
  session INTEGER NOT NULL REFERENCES sessions,
  lane    INTEGER NOT NULL,
  field   TEXT NOT NULL,
  source  INTEGER NOT NULL REFERENCES sources,
  at_ms   INTEGER,
  text    TEXT,
  PRIMARY KEY (session, lane, field, source)
) STRICT, WITHOUT ROWID;
CREATE INDEX claims_by_source ON claims (source);

-- A turn is identified by the id of its prompt; its number is derived when asked.
CREATE TABLE turns (
  id             INTEGER PRIMARY KEY NOT NULL,
  event_id       BLOB NOT NULL CHECK (length(event_id) = 16),
  session        INTEGER NOT NULL REFERENCES sessions,
  lane           INTEGER NOT NULL REFERENCES lanes,
  prompt_id      TEXT NOT NULL,
  source         INTEGER NOT NULL REFERENCES sources,
  batch          INTEGER NOT NULL REFERENCES batches,
  tenant         INTEGER REFERENCES words,
  at_ms          INTEGER,
  time_quality   TEXT NOT NULL CHECK (time_quality IN ('exact', 'inherited', 'file_mtime', 'recorded')),
  source_line    INTEGER,
  source_offset  INTEGER,
  counted        INTEGER NOT NULL DEFAULT 1 CHECK (counted IN (0, 1)),
  ended_at_ms    INTEGER,
  ${oneOf("outcome", "answered interrupted failed")},
  branch         INTEGER REFERENCES words,
  project        INTEGER REFERENCES words,
  client_version INTEGER REFERENCES words,
  UNIQUE (lane, prompt_id)
) STRICT;
CREATE INDEX turns_by_event ON turns (event_id);
CREATE INDEX turns_by_session ON turns (session, lane, at_ms);
CREATE INDEX turns_by_time ON turns (at_ms);

CREATE TABLE coverage (
  id      INTEGER PRIMARY KEY NOT NULL,
  source  INTEGER NOT NULL REFERENCES sources,
  session INTEGER NOT NULL REFERENCES sessions,
  fact    TEXT NOT NULL,
  ${oneOf("level", "full partial absent")} NOT NULL,
  why     TEXT,
  -- How far the source had been read when it said so; a later word replaces an earlier one.
  source_offset INTEGER,
  UNIQUE (session, fact, source)
) STRICT;

-- Bodies on their way to a receiver, and the batch up to which each receiver has accepted everything.
CREATE TABLE outbox (
  id         INTEGER PRIMARY KEY NOT NULL,
  target     TEXT NOT NULL,
  position   INTEGER NOT NULL,
  payload    BLOB NOT NULL,
  items      INTEGER NOT NULL,
  attempts   INTEGER NOT NULL DEFAULT 0,
  last_error TEXT
) STRICT;

CREATE TABLE export_cursors (
  target TEXT PRIMARY KEY NOT NULL,
  batch  INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

-- What was forgotten on purpose; later imports leave it out.
CREATE TABLE tombstones (
  id              INTEGER PRIMARY KEY NOT NULL,
  ${oneOf("kind", "session tenant")} NOT NULL,
  agent           TEXT NOT NULL DEFAULT '',
  name            TEXT NOT NULL,
  forgotten_at_ms INTEGER NOT NULL,
  UNIQUE (kind, agent, name)
) STRICT;

-- Content-addressed layouts: a conversation of n requests costs about n rows, because prefixes are shared.
CREATE TABLE segments (
  id               INTEGER PRIMARY KEY NOT NULL,
  tenant           INTEGER REFERENCES words,
  digest           BLOB NOT NULL CHECK (length(digest) = 16),
  parent           INTEGER REFERENCES segments,
  ordinal          INTEGER NOT NULL,
  kind             INTEGER NOT NULL REFERENCES words,
  content_digest   BLOB NOT NULL CHECK (length(content_digest) = 16),
  canonical_digest BLOB CHECK (length(canonical_digest) = 16),
  ${nat("bytes")} NOT NULL,
  ${nat("tokens")},
  ${flag("cacheable")} NOT NULL,
  ${flag("breakpoint")} NOT NULL,
  ttl              TEXT
) STRICT;
CREATE UNIQUE INDEX segments_by_digest ON segments (digest, ifnull(tenant, 0));

-- Text the user asked to keep, named by its digest.
CREATE TABLE contents (
  id     INTEGER PRIMARY KEY NOT NULL,
  tenant INTEGER REFERENCES words,
  digest BLOB NOT NULL CHECK (length(digest) = 16),
  text   TEXT NOT NULL
) STRICT;
CREATE UNIQUE INDEX contents_by_digest ON contents (digest, ifnull(tenant, 0));
`;

const facts =
  fact(
    "requests",
    `  request_id           TEXT,
  message_id           TEXT,
  provider             INTEGER REFERENCES words,
  model                INTEGER REFERENCES words,
  requested_model      INTEGER REFERENCES words,
  ${oneOf("status", "reported missing interrupted failed")} NOT NULL,
  finish_reason        INTEGER REFERENCES words,
  ${nat("uncached_tokens")},
  ${nat("read_tokens")},
  ${nat("write_5m_tokens")},
  ${nat("write_1h_tokens")},
  ${nat("write_unsplit_tokens")},
  ${nat("output_tokens")},
  ${nat("reasoning_tokens")},
  ${flag("cache_reported")} NOT NULL,
  ${oneOf("output_quality", "final provisional missing")} NOT NULL,
  ${oneOf("usage_state", "ok partial contradictory")} NOT NULL,
  raw_usage            TEXT CHECK (length(raw_usage) <= 2000),
  ${nat("context_window_tokens")},
  ${nat("provider_cost_micros")},
  ${nat("latency_ms")},
  ${nat("ttft_ms")},
  tip                  INTEGER REFERENCES segments,
  shell_digest         INTEGER REFERENCES digests,
  shell_set_digest     INTEGER REFERENCES digests,
  params_digest        INTEGER REFERENCES digests,
  digest_algorithm     INTEGER REFERENCES words,
  declared_change      INTEGER REFERENCES words,
  rewrite_kind         INTEGER REFERENCES words,
  miss_reason          INTEGER REFERENCES words,
  ${nat("missed_tokens")},
  ${nat("estimated_tokens")},
  estimate_method      INTEGER REFERENCES words,
  copy_rank            INTEGER NOT NULL DEFAULT 0 CHECK (copy_rank IN (0, 1, 2)),
  CHECK (status <> 'missing' OR (uncached_tokens IS NULL AND output_tokens IS NULL)),
  CHECK (usage_state = 'contradictory' OR reasoning_tokens IS NULL OR output_tokens IS NULL OR reasoning_tokens <= output_tokens),
  CHECK (cache_reported = 1 OR read_tokens IS NULL OR read_tokens = 0 OR usage_state <> 'ok'),
  CHECK (output_quality <> 'missing' OR output_tokens IS NULL)`,
    ", lane, at_ms",
  ) +
  "CREATE INDEX requests_by_time ON requests (at_ms);\n" +
  fact(
    "attempts",
    `  request       BLOB CHECK (length(request) = 16),
  ${nat("number")},
  ${oneOf("outcome", "ok failed aborted")} NOT NULL,
  ${nat("http_status")},
  error_class   INTEGER REFERENCES words,
  ${nat("backoff_ms")},
  ${nat("output_chars")}`,
  ) +
  fact(
    "tool_calls",
    `  call_id          TEXT,
  tool             INTEGER REFERENCES words,
  ${flag("use_seen")} NOT NULL,
  ${flag("result_seen")} NOT NULL,
  arguments_digest BLOB CHECK (length(arguments_digest) = 16),
  result_digest    BLOB CHECK (length(result_digest) = 16),
  ${nat("result_bytes")},
  target_digest    BLOB CHECK (length(target_digest) = 16),
  ${flag("is_error")},
  ${nat("duration_ms")},
  determinism      INTEGER REFERENCES words,
  CHECK (use_seen = 1 OR result_seen = 1)`,
  ) +
  fact(
    "cache_events",
    `  ${oneOf("layer", "response tool workflow semantic tool_output resource")} NOT NULL,
  ${oneOf("op", "hit miss bypass store evict expire invalidate reject")} NOT NULL,
  ${flag("served")} NOT NULL,
  key_digest     BLOB CHECK (length(key_digest) = 16),
  entry_tenant   INTEGER REFERENCES words,
  shell_digest       INTEGER REFERENCES digests,
  entry_shell_digest INTEGER REFERENCES digests,
  policy_version INTEGER REFERENCES words,
  ${nat("age_ms")},
  ${nat("ttl_ms")},
  ${nat("bytes")},
  reason         INTEGER REFERENCES words,
  CHECK (served = 0 OR op = 'hit')`,
  ) +
  fact(
    "divergences",
    `  cluster       INTEGER NOT NULL REFERENCES words,
  similarity    REAL,
  ${oneOf("class", "trivial stylistic substantive contradictory unclassified")} NOT NULL,
  judge         INTEGER REFERENCES words,
  judge_version INTEGER REFERENCES words,
  sampling      INTEGER REFERENCES words`,
  ) +
  fact(
    "compactions",
    `  ${oneOf("form", "full micro")} NOT NULL,
  recipe           INTEGER NOT NULL REFERENCES words,
  recipe_version   INTEGER REFERENCES words,
  ${oneOf("trigger", "soft hard manual overflow resume auto unknown")} NOT NULL,
  ${oneOf("outcome", "applied noop_below_budget noop_nothing_to_cut disabled failed rejected_no_gain indeterminate")} NOT NULL,
  ${nat("tokens_before")},
  ${nat("tokens_after")},
  count_method     INTEGER REFERENCES words,
  ${nat("messages_before")},
  ${nat("messages_after")},
  summary_digest   BLOB CHECK (length(summary_digest) = 16),
  ${nat("summary_tokens")},
  ${nat("summary_bytes")},
  checkpoint_fault INTEGER REFERENCES words,
  ${nat("duration_ms")},
  ${oneOf("persisted", "committed failed unknown")}`,
    ", lane, at_ms",
  ) +
  "CREATE INDEX compactions_by_time ON compactions (at_ms);\n" +
  `
CREATE TABLE compaction_items (
  id         INTEGER PRIMARY KEY NOT NULL,
  compaction INTEGER NOT NULL REFERENCES compactions ON DELETE CASCADE,
  message_id TEXT NOT NULL,
  ${oneOf("fate", "kept summarized stubbed archived dropped")} NOT NULL,
  ${nat("tokens")},
  UNIQUE (compaction, message_id)
) STRICT;
` +
  fact(
    "judgments",
    `  compaction    BLOB NOT NULL CHECK (length(compaction) = 16),
  ${share("score")},
  ${oneOf("judge_kind", "fact probe llm human")} NOT NULL,
  judge         INTEGER NOT NULL REFERENCES words,
  judge_version INTEGER REFERENCES words,
  ${nat("facts_total")},
  ${nat("facts_passed")},
  ${share("lower_bound")},
  ${share("upper_bound")},
  supersedes    BLOB CHECK (length(supersedes) = 16),
  CHECK (facts_passed <= facts_total),
  CHECK (lower_bound <= upper_bound)`,
  ) +
  "CREATE INDEX judgments_by_compaction ON judgments (compaction);\n" +
  `
CREATE TABLE facts (
  id               INTEGER PRIMARY KEY NOT NULL,
  judgment         INTEGER NOT NULL REFERENCES judgments ON DELETE CASCADE,
  kind             INTEGER NOT NULL REFERENCES words,
  digest           BLOB NOT NULL CHECK (length(digest) = 16),
  byte_position    INTEGER,
  text             TEXT,
  origin_turn      TEXT,
  origin_tool_call TEXT,
  ${oneOf("state", "kept restorable superseded ambiguous not_at_risk lost")} NOT NULL,
  weight           REAL NOT NULL,
  ${flag("is_constraint")} NOT NULL
) STRICT;
CREATE INDEX facts_by_judgment ON facts (judgment);
` +
  fact(
    "contract_checks",
    `  contract         INTEGER NOT NULL REFERENCES words,
  contract_version INTEGER REFERENCES words,
  ${oneOf("subject_kind", "tool subagent final")} NOT NULL,
  subject_ref      TEXT,
  ${oneOf("outcome", "pass violation repaired waived unchecked")} NOT NULL,
  code             INTEGER REFERENCES words,
  pointer          TEXT,
  detail           TEXT`,
  ) +
  fact(
    "waivers",
    `  violation     BLOB NOT NULL CHECK (length(violation) = 16),
  author        TEXT NOT NULL CHECK (author <> ''),
  reason        TEXT NOT NULL CHECK (reason <> ''),
  expires_at_ms INTEGER`,
  ) +
  "CREATE INDEX waivers_by_violation ON waivers (violation);\n" +
  fact(
    "scope_accesses",
    `  resource_kind   INTEGER NOT NULL REFERENCES words,
  resource_ref    TEXT NOT NULL,
  resource_tenant INTEGER REFERENCES words,
  ${oneOf("access", "read write")} NOT NULL,
  ${oneOf("decision", "allowed denied")} NOT NULL`,
  ) +
  fact(
    "memory_events",
    `  query_digest BLOB CHECK (length(query_digest) = 16),
  ${nat("candidates")},
  ${nat("injected")},
  resources    TEXT`,
  ) +
  fact(
    "budget_events",
    `  budget      INTEGER NOT NULL REFERENCES words,
  limit_value REAL,
  used_value  REAL,
  ${flag("exhausted")} NOT NULL`,
  ) +
  `
CREATE TABLE notes (
  id          INTEGER PRIMARY KEY NOT NULL,
  event_id    BLOB NOT NULL CHECK (length(event_id) = 16),
  source      INTEGER NOT NULL REFERENCES sources,
  batch       INTEGER NOT NULL REFERENCES batches,
  session     INTEGER REFERENCES sessions,
  kind        INTEGER NOT NULL REFERENCES words,
  name        INTEGER REFERENCES words,
  count       INTEGER NOT NULL DEFAULT 1,
  at_ms       INTEGER,
  source_line INTEGER,
  source_offset INTEGER,
  detail      TEXT,
  UNIQUE (event_id, source)
) STRICT;
CREATE INDEX notes_by_source ON notes (source, source_offset);
CREATE INDEX notes_by_session ON notes (session);
`;

const digests = `
-- Digests that recur on almost every request (shells, parameters), stored once.
CREATE TABLE digests (id INTEGER PRIMARY KEY NOT NULL, digest BLOB NOT NULL UNIQUE CHECK (length(digest) = 16)) STRICT;
`;

export const sql = frame + digests + facts;
