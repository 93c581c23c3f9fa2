import { test } from "uvu";
import * as assert from "uvu/assert";
import { compaction, lane, request, session, toolCall, turn } from "../support/events.js";
import { append, dump, storeOf } from "../support/store.js";

test("a session with its lanes, turns and facts is kept as it was said", () => {
  const store = storeOf(
    session({ id: "a", title: "the title" }),
    turn({ id: "t", turn: "p1" }),
    request({ id: "r", turn: "p1" }),
    toolCall({ id: "c", turn: "p1" }),
    lane({ id: "l", lane: "agent-1" }),
    request({ id: "r2", lane: "agent-1", turn: "p2" }),
    compaction({ id: "k" }),
  );
  const held = dump(store);
  assert.is(held.sessions!.length, 1);
  assert.is(held.lanes!.length, 2);
  assert.is(held.turns!.length, 2);
  assert.is(held.requests!.length, 2);
  assert.is(held.tool_calls!.length, 1);
  assert.is(held.compactions!.length, 1);
  store.cleanup();
});

test("saying everything again changes nothing", () => {
  const events = [session({ id: "a" }), turn({ id: "t", turn: "p1" }), request({ id: "r", turn: "p1" })];
  const store = storeOf(...events);
  const before = dump(store);
  const again = append(store, events, "/s1.jsonl");
  assert.equal(again, { added: {}, known: 3, copies: 0, tenantConflicts: 0, forgotten: 0 });
  assert.equal(dump(store), before);
  store.cleanup();
});

test.run();
