import { test } from "uvu";
import * as assert from "uvu/assert";
import { serverOf } from "../../src/ledger/tools.js";
import { NOON, request, toolCall } from "../support/events.js";
import { used } from "../support/usage.js";

const CALLS = [
  toolCall({ tool: "Read", resultBytes: 100, durationMs: 10 }),
  toolCall({ tool: "Read", resultBytes: 300, durationMs: 30, isError: true }),
  toolCall({ tool: "Read", resultSeen: false, resultBytes: null, isError: null }),
  toolCall({ tool: "mcp__git_hub__create_issue", resultBytes: 50 }),
  toolCall({ tool: "mcp__git_hub__list", resultBytes: 25 }),
];

test("a tool has calls, failures of those that say, bytes, and the spread of its durations", async () => {
  const { tools } = await used(CALLS, { tab: "tools" });
  assert.equal(tools![0], {
    name: "Read",
    server: null,
    calls: 3,
    failed: 1,
    judged: 2,
    resultBytes: 400,
    results: 2,
    durationMs: { p50: 10, p95: 30, max: 30, calls: 2 },
  });
});

test("tools of an MCP server add up under its name, and both views to the same whole", async () => {
  const byTool = (await used(CALLS, { by: "tool" })).tools!;
  const byServer = (await used(CALLS, { by: "server" })).tools!;
  assert.equal(
    byServer.map(({ name, calls, resultBytes }) => [name, calls, resultBytes]),
    [
      [null, 3, 400],
      ["git_hub", 2, 75],
    ],
  );
  const bytes = (uses: typeof byTool) => uses.reduce((sum, { resultBytes }) => sum + resultBytes, 0);
  assert.is(bytes(byTool), bytes(byServer));
});

test("only names of the MCP form belong to a server", () => {
  assert.equal(["mcp__a__b", "mcp__a_b__c__d", "mcp__a", "mcp____x", "github_create", null].map(serverOf), [
    "a",
    "a_b",
    null,
    null,
    null,
    null,
  ]);
});

test("a filter restricts the tools too", async () => {
  const events = [...CALLS, toolCall({ tool: "Old", atMs: NOON - 1000 }), request()];
  const { tools } = await used(events, { tab: "tools" }, { untilMs: NOON });
  assert.equal(
    tools!.map(({ name }) => name),
    ["Old"],
  );
});

test.run();
