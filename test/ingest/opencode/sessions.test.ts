import { join } from "node:path";
import { test } from "uvu";
import * as assert from "uvu/assert";
import { sameWhereverCut } from "../../support/cut.js";
import { readsWhateverStands } from "../../support/hostile.js";
import { type Imported, imported } from "../../support/import.js";
import {
  assistant,
  database,
  type Exported,
  inStorage,
  session,
  step,
  tokens,
  tool,
  user,
} from "../../support/opencode.js";

const held = (...exports: Exported[]): Imported =>
  imported(Object.fromEntries(exports.map((session, i) => [`s${i}.export.json`, JSON.stringify(session, null, 2)])));

/** What a question with one row and one column gives. */
function value(store: Imported, sql: string): unknown {
  const found = store.value(sql);
  store.cleanup();
  return found;
}

const word = (column: string, table: string) => `SELECT w.text FROM ${table} t JOIN words w ON w.id = t.${column}`;

test("a message is one request with disjoint counts, its cost and the time it took", () => {
  const store = held(session("ses_a", user("hi"), assistant()));
  const [row] = store.rows("SELECT * FROM requests");
  const { uncached_tokens, read_tokens, write_unsplit_tokens, output_tokens, reasoning_tokens } = row!;
  assert.equal(
    [uncached_tokens, read_tokens, write_unsplit_tokens, output_tokens, reasoning_tokens],
    [10, 900, 90, 50, 5],
  );
  assert.equal([row!.provider_cost_micros, row!.latency_ms], [12_500, 500]);
  store.cleanup();
});

test("uncached input that is less than what was read stays as it is told", () => {
  const counts = tokens({ input: 5, cache: { read: 200, write: 10 } });
  const sql = "SELECT uncached_tokens || ' ' || read_tokens FROM requests";
  assert.is(value(held(session("ses_a", user("hi"), assistant([], { tokens: counts }))), sql), "5 200");
});

test("of several steps in one message the sum counts, when the message tells less", () => {
  const store = held(session("ses_a", user("hi"), assistant([step(), step({ output: 70 })])));
  assert.is(value(store, "SELECT output_tokens FROM requests"), 120);
});

test("a message without tokens is no request; a failed one is a try", () => {
  const nothing = tokens({ input: 0, output: 0, reasoning: 0, cache: { read: 0, write: 0 } });
  const failed = { name: "APIError", data: { statusCode: 529 } };
  const store = held(
    session(
      "ses_a",
      user("hi"),
      assistant([], { tokens: nothing, finish: "tool-calls" }),
      assistant([], { tokens: nothing, error: failed }),
    ),
  );
  assert.is(store.value("SELECT count(*) FROM requests"), 0);
  assert.equal(store.rows("SELECT http_status FROM attempts"), [{ http_status: 529 }]);
  assert.is(value(store, "SELECT outcome FROM turns"), "failed");
});

test("ids that were blotted out name nothing", () => {
  const blotted = { id: "REDACTED" };
  const store = held(
    session(
      "ses_a",
      user("one"),
      assistant([tool("REDACTED"), tool("REDACTED")], blotted),
      user("two"),
      assistant([], blotted),
    ),
  );
  assert.is(store.value("SELECT count(*) FROM requests"), 2);
  assert.is(store.value("SELECT count(*) FROM tool_calls"), 2);
  assert.is(value(store, "SELECT count(*) FROM turns"), 2);
});

test("a fork repeats messages under new ids; they count once", () => {
  const history = [user("one"), assistant([], { id: "msg_original_000000000001" })];
  const copies = history.map(({ info, parts }, i) => ({ info: { ...info, id: `msg_copy_00000000000000${i}` }, parts }));
  const store = held(session("ses_a", ...history), session("ses_b", ...copies, user("two"), assistant()));
  assert.is(store.value("SELECT count(*) FROM requests"), 3);
  assert.is(store.value("SELECT count(*) FROM requests WHERE counted = 1"), 2);
  assert.is(value(store, "SELECT count(*) FROM turns WHERE counted = 1"), 2);
});

test("a compaction is asked for by the client and written by a request of its own", () => {
  const store = held(
    session(
      "ses_a",
      user("one"),
      assistant(),
      user("", { type: "compaction", auto: true }),
      assistant([{ type: "text", text: "Goal: a parser." }], { summary: true }),
      user("Continue.", { synthetic: true }),
      assistant([], { tokens: tokens({ cache: { read: 0, write: 190 } }) }),
    ),
  );
  assert.equal(store.rows("SELECT tokens_before, tokens_after FROM compactions"), [
    { tokens_before: 1000, tokens_after: 200 },
  ]);
  const beside = "SELECT count(*) FROM requests r JOIN lanes l ON l.id = r.lane WHERE l.kind = 'compaction'";
  assert.is(store.value(beside), 1);
  assert.is(store.value(`${word("checkpoint_fault", "compactions")}`), "too_short");
  assert.is(value(store, "SELECT count(*) FROM turns"), 1);
});

test("results that were cleared together are one small compaction", () => {
  const cleared = { time: { start: 1, end: 4, compacted: Date.UTC(2026, 4, 1, 12) } };
  const store = held(session("ses_a", user("hi"), assistant([tool("c1", cleared), tool("c2", cleared)]), assistant()));
  assert.is(store.value("SELECT count(*) FROM compaction_items WHERE fate = 'stubbed'"), 2);
  assert.is(value(store, "SELECT count(*) FROM compactions WHERE form = 'micro'"), 1);
});

test("calls that could not be run are named by what was wrong with them", () => {
  const unknown = { input: { tool: "frob", error: "Model tried to call unavailable tool 'frob'." } };
  const broken = { input: { tool: "read", error: "Invalid input for tool read" } };
  const calls = [tool("c1", unknown, { tool: "invalid" }), tool("c2", broken, { tool: "invalid" })];
  const store = held(session("ses_a", user("hi"), assistant(calls)));
  assert.is(store.value("SELECT count(*) FROM tool_calls WHERE is_error = 1"), 2);
  const codes = store.rows(`${word("code", "contract_checks")} ORDER BY 1`).map(({ text }) => text);
  assert.equal(codes, ["args_schema", "tool_unknown"]);
  store.cleanup();
});

test("a subagent is a session of its own that names its parent", () => {
  const child = session("ses_child", user("look"), assistant());
  child.info.parentID = "ses_parent";
  assert.is(value(held(child), "SELECT parent_session FROM sessions"), "ses_parent");
});

const everything = () =>
  session("ses_all", user("ein Ümlaut"), assistant([tool("call_0000000000000001"), step()]), user("two"), assistant());

test("database, storage folder and export of one session give the same facts, each once", () => {
  const told = everything();
  const store = imported({});
  const stored = inStorage(join(store.folder, "storage"), told);
  const base = database(store.path("opencode.db"));
  base.put(told);
  const exported = store.write("all.export.json", JSON.stringify(told, null, 2));
  const paths = [store.path("opencode.db"), stored, exported];
  assert.is(store.again({}, paths).files.refused, 0);
  assert.is(store.value("SELECT count(*) FROM requests WHERE counted = 1"), 2);
  assert.is(store.value("SELECT count(*) FROM turns WHERE counted = 1"), 2);
  assert.is(store.value("SELECT count(*) FROM tool_calls WHERE counted = 1"), 1);
  assert.is(store.again({}, paths).files.read, 0);
  base.raw.close();
  store.cleanup();
});

test("what a database got since, also in its log alone, is read the next time", () => {
  const store = imported({});
  const base = database(store.path("opencode.db"));
  base.put(session("ses_a", user("hi"), assistant()));
  store.again({}, [store.path("opencode.db")]);
  base.put(session("ses_b", user("ho"), assistant()));
  assert.is(store.again({}, [store.path("opencode.db")]).files.read, 1);
  assert.is(store.value("SELECT count(*) FROM sessions"), 2);
  base.raw.close();
  store.cleanup();
});

test("a message that was added to a storage folder is read the next time", () => {
  const store = imported({});
  const told = session("ses_a", user("hi"), assistant());
  const path = inStorage(join(store.folder, "storage"), told);
  store.again({}, [path]);
  inStorage(join(store.folder, "storage"), { ...told, messages: [...told.messages, assistant()] });
  assert.is(store.again({}, [path]).files.read, 1);
  assert.is(value(store, "SELECT count(*) FROM requests"), 2);
});

test("a database of another program, or a damaged one, is refused", () => {
  const store = imported({});
  const other = database(store.path("other.db"));
  other.raw.exec("DROP TABLE part");
  other.raw.close();
  const damaged = store.write("opencode.db", Buffer.concat([Buffer.from("SQLite format 3\0"), Buffer.alloc(2000, 7)]));
  const report = store.again({}, [store.path("other.db"), damaged]);
  assert.is(report.files.refused, 2);
  store.cleanup();
});

test("rows that hold no JSON are left out, and the rest is kept", () => {
  const store = imported({});
  const base = database(store.path("opencode.db"));
  base.put(session("ses_a", user("hi"), assistant()));
  base.raw.exec("INSERT INTO message VALUES ('m', 'ses_a', 5, '{'), ('n', 'ses_a', 6, '[1]')");
  base.raw.close();
  store.again({}, [store.path("opencode.db")]);
  assert.is(value(store, "SELECT count(*) FROM requests"), 1);
});

test("wherever an export is cut and written again, the store is that of one import", () => {
  sameWhereverCut(JSON.stringify(everything(), null, 2), "all.export.json");
});

test("whatever stands in whichever field, the file is read and the rest is kept", () => {
  readsWhateverStands(
    "s.export.json",
    [session("ses_good", user("hi"), assistant())],
    [
      session(
        "ses_odd",
        user("one"),
        assistant([tool("call_0000000000000001"), step()]),
        user("", { type: "compaction", auto: true }),
        assistant([{ type: "text", text: "Goal." }], {
          summary: true,
          error: { name: "x", data: { statusCode: 500 } },
        }),
      ),
    ],
  );
});

test.run();
