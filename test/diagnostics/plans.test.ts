import { test } from "uvu";
import * as assert from "uvu/assert";
import { checkSession } from "../../src/diagnostics/checks/session.js";
import { statsAndAvoidable } from "../../src/gate/avoidable.js";
import type { Store } from "../../src/store/open.js";
import { PLAIN, PLAIN_STATS } from "../support/ask.js";
import { NOON } from "../support/events.js";
import { storeOf } from "../support/store.js";
import { richSession } from "../support/stories.js";

/** Steps of all query plans that read a table from end to end. */
async function scans(store: Store, ask: () => Promise<unknown>): Promise<string[]> {
  const asked = new Set<string>();
  const prepare = store.raw.prepare.bind(store.raw);
  store.raw.prepare = ((sql: string) => {
    asked.add(sql);
    return prepare(sql);
  }) as typeof store.raw.prepare;
  await ask();
  store.raw.prepare = prepare as typeof store.raw.prepare;
  const steps = [...asked]
    .filter((sql) => /^(select|with)/i.test(sql))
    .flatMap((sql) => {
      const parameters = [...sql.matchAll(/\?/g)].map(() => 1);
      return prepare(`EXPLAIN QUERY PLAN ${sql}`).all(...parameters) as { detail: string }[];
    });
  return [...new Set(steps.map(({ detail }) => detail).filter((detail) => detail.startsWith("SCAN ")))].sort();
}

/** Results of subqueries, which are as large as the session, not as the store. */
const OF_THE_SESSION =
  /^SCAN (\(subquery-\d+\)|pair|transition|shared|said|compaction|request|turn|one|part|cell|mute|CONSTANT ROW|json_each VIRTUAL TABLE.*)$/;

test("questions about one session read no table of facts from end to end", async () => {
  const plain = { agent: "one", tenant: "acme", lane: "main", model: "m1", atMs: NOON };
  const store = storeOf(...richSession("s1", plain), ...richSession("s2", plain));
  try {
    const scope = { session: "s1", tenant: "acme" };
    const found = [
      ...(await scans(store, () => statsAndAvoidable(store.db, scope, PLAIN_STATS))),
      ...(await scans(store, () => checkSession(store.db, { session: "s1" }, { ...PLAIN, tenant: "globex" }))),
    ];
    assert.equal(
      found.filter((step) => !OF_THE_SESSION.test(step)),
      [],
    );
  } finally {
    store.cleanup();
  }
});

test.run();
