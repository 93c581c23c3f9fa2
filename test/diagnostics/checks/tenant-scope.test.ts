import { test } from "uvu";
import * as assert from "uvu/assert";
import type { ScopeAccessFact, SessionEvent } from "../../../src/events/event.js";
import { check } from "../../support/ask.js";
import { cache, request, turn } from "../../support/events.js";

const scope = (events: SessionEvent[], tenant?: string) => check("tenant_scope", events, { tenant });
const of = (tenant: string | null, given = {}) => request({ tenant, ...given });
const access = (resourceTenant: string | null, decision: "allowed" | "denied"): ScopeAccessFact => ({
  ...request({ tenant: "acme" }),
  kind: "scope_access",
  resourceKind: "file",
  resourceRef: "a.txt",
  resourceTenant,
  access: "read",
  decision,
});

test("only the exact name passes: case, blanks, absence and another's cache entry are violations", async () => {
  const events = [of("acme"), of("Acme"), of("acme "), of(null), cache({ tenant: "acme", entryTenant: "globex" })];
  const result = await scope(events, "acme");
  assert.equal([result.verdict, result.violations, result.evidence.length], ["violated", 4, 4]);
  assert.equal(new Set(result.evidence.map(({ eventId }) => eventId)).size, 4);
  assert.is(result.evidence.filter(({ message }) => message.includes("case or blanks")).length, 2);
});

test("one wrong and one missing row are two violations; rows of every kind count", async () => {
  const events = [of("acme"), of("globex"), turn({ turn: "t", tenant: null })];
  const result = await scope(events, "acme");
  assert.equal([result.verdict, result.violations], ["violated", 2]);
});

test("without a tenant asked for, only agreement is checked", async () => {
  assert.is((await scope([of("acme"), of("acme"), of(null)])).verdict, "pass");
  const mixed = await scope([of("acme"), of("acme"), of("globex")]);
  assert.equal([mixed.verdict, mixed.violations], ["violated", 1]);
  assert.match(mixed.evidence[0]!.message, "globex");
});

test("no tenant anywhere is not applicable, unless one was asked for", async () => {
  assert.is((await scope([of(null)])).verdict, "not_applicable");
  const asked = await scope([of(null)], "acme");
  assert.equal([asked.verdict, asked.violations], ["violated", 1]);
});

test("another tenant's entry that was not served, and an access that was denied, are no violations", async () => {
  const events = [
    cache({ tenant: "acme", entryTenant: "globex", served: false }),
    access("globex", "denied"),
    access("acme", "allowed"),
    access(null, "allowed"),
  ];
  const result = await scope(events, "acme");
  assert.equal([result.verdict, result.evidence.map(({ outcome }) => outcome)], ["pass", ["noted"]]);
  assert.is((await scope([access("globex", "allowed")], "acme")).violations, 1);
});

test.run();
