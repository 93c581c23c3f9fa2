import { test } from "uvu";
import * as assert from "uvu/assert";
import { transcript } from "../../support/claude.js";
import { type Imported, imported } from "../../support/import.js";
import { judgments, states } from "../../support/judgments.js";
import { answered, call, compaction, metadata, other, prompt, result } from "../../support/kimi.js";

const said = (text: string, origin = "user") =>
  other("context.append_message", {
    message: { role: "user", content: [{ type: "text", text }], origin: { kind: origin } },
  });
const asks = (text: string) => [prompt(text), said(text)];
const event = (given: Record<string, unknown>) => other("context.append_loop_event", { event: given });

const words = "I look at the drawer first, then at the ledger, and at the rest when both are done. ".repeat(6);
let step = 0;
const steps = (...events: unknown[]) => {
  step += 1;
  return [event({ type: "step.begin" }), ...events, ...answered(`m${step}`)];
};
const says = (text: string) => steps(event({ type: "content.part", part: { type: "text", text } }));
const edits = (path: string) => [...steps(call("Edit_0", "Edit", { path })), result("Edit_0", "done")];

const held = (...records: unknown[]): Imported => imported({ "wire.jsonl": transcript(metadata(), ...records) });
const demands = ["Never touch the voucher migrations.", "Always round to half a cent.", "Only mend the drawer."];

test("prompts from both ends stay as the client counts them, what lies between is at risk", () => {
  const [first, second, third] = demands.map(asks);
  const kept = { keptUserMessageCount: 2, keptHeadUserMessageCount: 1 };
  const store = held(...first!, ...says(words), ...second!, ...third!, ...compaction("The drawer is done.", kept));
  assert.equal(states(store), [{ kind: "user_constraint", state: "lost", n: 1 }]);
  assert.is(store.value("SELECT count(*) FROM compaction_items WHERE fate = 'kept'"), 2);
  store.cleanup();
});

test("prompts that stayed once are at risk the next time", () => {
  const store = held(
    ...asks(demands[0]!),
    ...says(words),
    ...edits("/shop/till/drawerPort.ts"),
    ...compaction("See drawerPort.ts.", { keptUserMessageCount: 1 }),
    ...says(words),
    ...edits("/shop/till/ledgerPort.ts"),
    ...compaction("See ledgerPort.ts.", { keptUserMessageCount: 0 }),
  );
  const second = `SELECT w.text AS kind, f.state FROM facts f JOIN words w ON w.id = f.kind
    WHERE f.judgment = (SELECT max(id) FROM judgments) ORDER BY 1`;
  assert.equal(store.rows(second), [
    { kind: "modified_file", state: "kept" },
    { kind: "user_constraint", state: "lost" },
  ]);
  store.cleanup();
});

test("before prompts were counted, all but the first messages stayed", () => {
  const store = held(
    ...asks(demands[0]!),
    ...says(words),
    ...edits("/shop/till/drawerPort.ts"),
    ...asks(demands[1]!),
    ...edits("/shop/till/ledgerPort.ts"),
    ...compaction("Nothing.", { compactedCount: 4 }),
  );
  assert.equal(states(store), [
    { kind: "modified_file", state: "lost", n: 1 },
    { kind: "user_constraint", state: "lost", n: 1 },
  ]);
  store.cleanup();
});

test("what was undone or cleared has left the context", () => {
  const undone = held(
    ...says(words),
    ...edits("/shop/till/drawerPort.ts"),
    ...asks(demands[0]!),
    ...edits("/shop/till/ledgerPort.ts"),
    other("context.undo", { count: 1 }),
    ...compaction("See drawerPort.ts.", { keptUserMessageCount: 0 }),
  );
  assert.equal(states(undone), [{ kind: "modified_file", state: "kept", n: 1 }]);
  undone.cleanup();
  const cleared = held(
    ...asks(demands[0]!),
    other("context.clear"),
    ...says(words),
    ...edits("/shop/till/drawerPort.ts"),
    ...compaction("See drawerPort.ts.", { keptUserMessageCount: 0 }),
  );
  assert.equal(states(cleared), [{ kind: "modified_file", state: "kept", n: 1 }]);
  cleared.cleanup();
});

test("reminders of the client are no demands; what an agent asks of its subagent is", () => {
  const asked = { kind: "system_trigger", name: "subagent" };
  const store = imported({
    "s1/agents/agent-0/wire.jsonl": transcript(
      metadata(),
      prompt(demands[0]!, asked),
      other("context.append_message", {
        message: { role: "user", content: [{ type: "text", text: demands[0]! }], origin: asked },
      }),
      said("Always update the list of things to do.", "injection"),
      ...says(words),
      ...compaction("Never touch the voucher migrations.", { keptUserMessageCount: 0 }),
    ),
  });
  assert.equal(states(store), [{ kind: "user_constraint", state: "kept", n: 1 }]);
  assert.is(judgments(store)[0]!.score, 1);
  store.cleanup();
});

test.run();
