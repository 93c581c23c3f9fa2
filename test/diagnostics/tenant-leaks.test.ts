import { test } from "uvu";
import * as assert from "uvu/assert";
import { tenantLeaks } from "../../src/diagnostics/tenant-leaks.js";
import { ask } from "../support/ask.js";
import { cache, digest, turn } from "../support/events.js";
import { transcriptCoverage } from "../support/stories.js";

const hit = (tenant: string | null, entryTenant: string | null, given = {}) => cache({ tenant, entryTenant, ...given });

test("one leak among 200 hits is named", async () => {
  const clean = Array.from({ length: 199 }, () => hit("acme", "acme"));
  const scan = await ask([...clean, hit("acme", "globex", { layer: "semantic", line: 7 })], {}, tenantLeaks);
  assert.equal([scan.value, scan.count, scan.of], [1 / 200, 1, 200]);
  const [leak] = scan.leaks;
  assert.equal([leak!.layer, leak!.readerTenant, leak!.entryTenant, leak!.line], ["semantic", "acme", "globex", 7]);
});

test("no leak among 200 hits still allows 1.5 %", async () => {
  const scan = await ask(
    Array.from({ length: 200 }, () => hit("acme", "acme")),
    {},
    tenantLeaks,
  );
  assert.equal([scan.value, scan.state, scan.ci?.[1].toFixed(3)], [0, "ok", "0.015"]);
});

test("what was found but not served is no leak, and an unknown tenant is unknown", async () => {
  const scan = await ask([hit("a", "b", { served: false }), hit("a", null), hit(null, "b")], {}, tenantLeaks);
  assert.equal([scan.value, scan.count, scan.of, scan.unknown, scan.state], [null, 0, 0, 2, "not_reported"]);
});

test("a key under which two tenants stored entries is counted", async () => {
  const store = (tenant: string, key: string) => cache({ op: "store", served: false, tenant, keyDigest: digest(key) });
  const scan = await ask([store("a", "k"), store("b", "k"), store("a", "own")], {}, tenantLeaks);
  assert.is(scan.sharedKeys, 1);
});

test("an answer to another context is counted, whoever it belongs to; unknown shells say nothing", async () => {
  const shells = (reader: string | null, entry: string | null) =>
    hit("a", "a", { shellDigest: reader && digest(reader), entryShellDigest: entry && digest(entry) } as object);
  const scan = await ask([shells("x", "x"), shells("x", "y"), shells(null, "y"), shells("x", null)], {}, tenantLeaks);
  assert.equal([scan.crossContext, scan.count], [1, 0]);
});

test("a store of transcripts cannot tell, an empty one has no hits", async () => {
  const blind = await ask([...transcriptCoverage("s1"), turn({ turn: "t" })], {}, tenantLeaks);
  const empty = await ask([], {}, tenantLeaks);
  assert.equal([blind.state, empty.state], ["not_reported", "no_data"]);
});

test("the scan obeys the tenant filter", async () => {
  const events = [hit("a", "b"), hit("b", "b"), hit("b", "a")];
  const scan = await ask(events, { tenant: "a" }, tenantLeaks);
  assert.equal([scan.count, scan.of], [1, 1]);
});

test.run();
