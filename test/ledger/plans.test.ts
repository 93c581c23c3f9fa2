import { test } from "uvu";
import * as assert from "uvu/assert";
import { TABS, USAGE_GROUPINGS, usage } from "../../src/ledger/usage.js";
import { NOON } from "../support/events.js";
import { storeOf } from "../support/store.js";
import { richSession } from "../support/stories.js";
import { PLAIN_USAGE } from "../support/usage.js";

test("the usage of one session reads no table from end to end", async () => {
  const plain = { agent: "one", tenant: "acme", lane: "main", model: "m1", atMs: NOON };
  const store = storeOf(...richSession("s1", plain), ...richSession("s2", plain));
  try {
    const asked = new Set<string>();
    const prepare = store.raw.prepare.bind(store.raw);
    store.raw.prepare = ((sql: string) => {
      asked.add(sql);
      return prepare(sql);
    }) as typeof store.raw.prepare;
    for (const view of [...TABS.map((tab) => ({ tab })), ...USAGE_GROUPINGS.map((by) => ({ by }))])
      await usage(store.db, { session: "s1", tenant: "acme" }, { ...PLAIN_USAGE, ...view });
    store.raw.prepare = prepare as typeof store.raw.prepare;
    const steps = [...asked]
      .filter((sql) => /^(select|with)/i.test(sql))
      .flatMap((sql) => {
        const parameters = [...sql.matchAll(/\?/g)].map(() => 1);
        return prepare(`EXPLAIN QUERY PLAN ${sql}`).all(...parameters) as { detail: string }[];
      });
    const scans = new Set(steps.map(({ detail }) => detail).filter((detail) => detail.startsWith("SCAN ")));
    // Sums that are as large as the session.
    assert.equal([...scans].sort(), ["SCAN cell", "SCAN pair", "SCAN used"]);
  } finally {
    store.cleanup();
  }
});

test.run();
