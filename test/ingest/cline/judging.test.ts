import { test } from "uvu";
import * as assert from "uvu/assert";
import { assistant, message, session, user } from "../../support/cline.js";
import { type Imported, imported } from "../../support/import.js";
import { judgments, unjudged } from "../../support/judgments.js";

const summary = (text: string) =>
  message("user", [{ type: "text", text: `Context summary:\n\n${text}` }], {
    metadata: { kind: "compaction_summary", summary: text, tokensBefore: 90_000, generatedAt: 1 },
  });

const held = (...messages: unknown[]): Imported => imported({ "a.messages.json": session("a", messages) });

test("a checkpoint is seen, but what it replaced is not in the document any more", () => {
  const store = held(summary("The drawer is done."), assistant(), user("Go on."), assistant());
  assert.equal(store.rows("SELECT tokens_before, tokens_after, summary_bytes FROM compactions"), [
    { tokens_before: 90_000, tokens_after: 1000, summary_bytes: "The drawer is done.".length },
  ]);
  assert.equal([judgments(store), unjudged(store)], [[], [{ why: "replaced_text_elsewhere" }]]);
  assert.is(store.value("SELECT count(*) FROM turns"), 1);
  assert.is(store.value("SELECT level FROM coverage WHERE fact = 'compactions'"), "partial");
  store.cleanup();
});

test("a document without a checkpoint may have been shortened without one", () => {
  const store = held(user("hi"), assistant());
  assert.is(store.value("SELECT level FROM coverage WHERE fact = 'compactions'"), "absent");
  store.cleanup();
});

test.run();
