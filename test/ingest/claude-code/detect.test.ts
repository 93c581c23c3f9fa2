import { join } from "node:path";
import { test } from "uvu";
import * as assert from "uvu/assert";
import { recognises } from "../../../src/ingest/claude-code/detect.js";
import { mayBe, places } from "../../../src/ingest/claude-code/discover.js";
import { prompt, reply, system } from "../../support/claude.js";

const known = (record: unknown) => recognises(record as Record<string, unknown>);

test("records of a conversation and its book-keeping are recognised", () => {
  const records = [
    prompt("hi"),
    reply(),
    system("compact_boundary"),
    { type: "summary", summary: "x", leafUuid: "y" },
    { type: "file-history-snapshot", snapshot: {} },
    { type: "queue-operation", operation: "enqueue" },
    { type: "custom-title", customTitle: "x", sessionId: "s" },
    { type: "user", timestamp: "2026-01-01T00:00:00Z", message: { content: "bare" } },
  ];
  for (const record of records) assert.ok(known(record), JSON.stringify(record));
});

test("records of other agents with a like frame are not", () => {
  const frame = { uuid: "u", parentUuid: null, sessionId: "s", timestamp: "2026-01-01T00:00:00Z", version: "1" };
  const records = [
    { ...frame, type: "user", message: { role: "user", parts: [{ text: "hi" }] } },
    { ...frame, type: "system", subtype: "ui_telemetry", systemPayload: {} },
    { ...frame, type: "user", sessionId: "session-5de701fc-7454-4858-a249-95cac4fd3b51", message: { content: "hi" } },
    { ...frame, type: "assistant", message: { id: "response-17689", content: [] } },
    { type: "user", content: "hi" },
    { type: "message", message: { role: "user", content: "hi" } },
    { type: "session_meta", payload: {} },
    {},
  ];
  for (const record of records) assert.not.ok(known(record), JSON.stringify(record));
});

test("the usual folders are looked in, or the configured ones instead", () => {
  const usual = places({ home: "/home/ann", variables: {} });
  assert.ok(usual.includes(join("/home/ann", ".claude", "projects")));
  assert.ok(usual.includes(join("/home/ann", ".config", "claude", "projects")));
  assert.ok(usual.includes(join("/home/ann", ".config", "Claude", "local-agent-mode-sessions")));
  const stated = places({ home: "/home/ann", variables: { CLAUDE_CONFIG_DIR: "/a, /b" } });
  assert.equal(stated.slice(0, 2), [join("/a", "projects"), join("/b", "projects")]);
  assert.not.ok(stated.includes(join("/home/ann", ".claude", "projects")));
});

test("an empty variable counts as not set", () => {
  const held = places({ home: "/home/ann", variables: { CLAUDE_CONFIG_DIR: "", APPDATA: "", XDG_CONFIG_HOME: "" } });
  assert.equal(held, places({ home: "/home/ann", variables: {} }));
});

test("only JSON lines are worth opening, and not the journals of workflows", () => {
  assert.equal(["a.jsonl", "agent-1.jsonl", "journal.jsonl", "a.meta.json", "a.txt"].map(mayBe), [
    true,
    true,
    false,
    false,
    false,
  ]);
});

test.run();
