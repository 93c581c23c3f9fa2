/**
 * Writes the bundled sample: two made-up Claude Code sessions that show what the reports are about. One has a subagent,
 * a changed system prompt, an idle gap, a compaction and an unanswered call; the other is clean.
 */
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";

const root = "fixtures/demo/projects/-home-ann-shop";
const version = "2.1.217";
const START = Date.UTC(2026, 6, 6, 9);

type Line = Record<string, unknown>;

/** Builds one transcript: every record is chained to the one before it. */
function transcript(sessionId: string, startMs: number, extra: Line = {}) {
  const lines: Line[] = [];
  let serial = 0;
  let atMs = startMs;
  let parent: string | null = null;
  const tag = sessionId.slice(0, 8);
  const record = (type: string, fields: Line): string => {
    serial += 1;
    const uuid = `${tag}-0000-4000-8000-${String(serial).padStart(12, "0")}`;
    lines.push({
      parentUuid: parent,
      isSidechain: false,
      userType: "external",
      cwd: "/home/ann/shop",
      sessionId,
      version,
      gitBranch: "main",
      type,
      uuid,
      timestamp: new Date(atMs).toISOString(),
      ...extra,
      ...fields,
    });
    parent = uuid;
    return uuid;
  };
  const later = (seconds: number) => {
    atMs += seconds * 1000;
  };
  let answers = 0;
  return {
    lines,
    later,
    record,
    prompt: (text: string) =>
      record("user", { promptId: `${tag}-p${serial}`, message: { role: "user", content: text } }),
    answer: (
      usage: { read: number; write: number; output: number; uncached?: number },
      content: Line[],
      more: Line = {},
    ) => {
      answers += 1;
      const message = {
        id: `msg_sample_${tag}_${answers}`,
        type: "message",
        role: "assistant",
        model: "claude-sonnet-5",
        stop_reason: content.some(({ type }) => type === "tool_use") ? "tool_use" : "end_turn",
        usage: {
          input_tokens: usage.uncached ?? 3,
          cache_creation_input_tokens: usage.write,
          cache_read_input_tokens: usage.read,
          cache_creation: { ephemeral_5m_input_tokens: usage.write, ephemeral_1h_input_tokens: 0 },
          output_tokens: usage.output,
          service_tier: "standard",
        },
        diagnostics: null,
        ...more,
      };
      for (const block of content) {
        record("assistant", { requestId: `req_sample_${tag}_${answers}`, message: { ...message, content: [block] } });
        later(1);
      }
    },
    result: (id: string, text: string, isError = false) =>
      record("user", {
        message: {
          role: "user",
          content: [{ type: "tool_result", tool_use_id: id, content: text, ...(isError ? { is_error: true } : {}) }],
        },
        toolUseResult: text,
      }),
  };
}

const text = (words: string) => ({ type: "text", text: words });
const use = (id: string, name: string, input: Line) => ({ type: "tool_use", id: `toolu_sample_${id}`, name, input });

const busy = transcript("5a3f0c11-7d1e-4f6a-9b0a-2f1c8e6d4b01", START);
busy.prompt("Why does the cart total differ from the invoice?");
busy.later(4);
busy.answer({ read: 0, write: 18_200, output: 210 }, [
  text("Let me look."),
  use("a1", "Read", { file_path: "/home/ann/shop/cart.ts" }),
]);
busy.result("toolu_sample_a1", "export const total = (lines) => lines.reduce((sum, line) => sum + line.price, 0);");
busy.later(6);
busy.answer({ read: 18_200, write: 1_900, output: 340 }, [
  use("a2", "Task", { description: "find rounding", prompt: "search", subagent_type: "explorer" }),
]);
busy.later(60);
busy.result("toolu_sample_a2", "invoice.ts rounds each line, cart.ts rounds the sum");
busy.answer({ read: 20_100, write: 2_300, output: 420 }, [
  use("a3", "Edit", { file_path: "/home/ann/shop/cart.ts", old_string: "sum", new_string: "round(sum)" }),
]);
busy.result("toolu_sample_a3", "The file has been updated.");
busy.later(5);
busy.answer({ read: 22_400, write: 900, output: 180 }, [text("Both now round each line.")]);
busy.later(20 * 60);
busy.prompt("Now the tests.");
busy.later(3);
busy.answer({ read: 0, write: 24_100, output: 260 }, [
  use("b1", "Bash", { command: "npm test", description: "run tests" }),
]);
busy.later(30);
busy.result("toolu_sample_b1", "Exit code 1\n1 failing: rounds half to even", true);
busy.record("attachment", {
  attachment: {
    type: "mcp_instructions_delta",
    addedNames: ["issue-tracker"],
    addedBlocks: ["(instructions)"],
    removedNames: [],
  },
});
busy.later(4);
busy.answer(
  { read: 9_800, write: 15_700, output: 300 },
  [use("b2", "Edit", { file_path: "/home/ann/shop/round.ts", old_string: "floor", new_string: "halfEven" })],
  {
    diagnostics: { cache_miss_reason: { type: "system_changed", cache_missed_input_tokens: 14_400 } },
  },
);
busy.result("toolu_sample_b2", "The file has been updated.");
busy.later(4);
busy.answer({ read: 25_500, write: 700, output: 90 }, [text("Fixed: halves now round to even.")]);
busy.later(90);
busy.record("system", {
  subtype: "compact_boundary",
  content: "Conversation compacted",
  parentUuid: null,
  logicalParentUuid: "5a3f0c11-0000-4000-8000-000000000001",
  compactMetadata: { trigger: "manual", preTokens: 26_800 },
});
busy.record("user", {
  isCompactSummary: true,
  isVisibleInTranscriptOnly: true,
  message: {
    role: "user",
    content: [
      "Summary of the work so far.",
      "Goal: the cart total and the invoice total agree to the cent, for every currency the shop sells in.",
      "Finding: invoice.ts rounded each line while cart.ts rounded the sum, so orders with many lines differed by a cent or two. The customer's example was order 4711 with 14 lines: 199.98 in the cart, 200.01 on the invoice.",
      "Done: /home/ann/shop/cart.ts now rounds each line like /home/ann/shop/invoice.ts; /home/ann/shop/round.ts rounds halves to even instead of down. The failing test 'rounds half to even' was seen failing with exit code 1 and passes now.",
      "Decided: we round per line because the tax office checks lines, not sums; rounding the sum was considered and rejected.",
      "Open: the changelog entry for version 3.2.1. Nobody has looked at the CSV export yet.",
      "Constraints from the user: do not touch the migrations; keep the public function total() as it is; run npm test before every commit.",
    ].join("\n\n"),
  },
});
busy.later(10);
busy.prompt("Write the changelog entry.");
busy.later(3);
busy.answer({ read: 9_800, write: 3_100, output: 150 }, [
  use("c1", "Write", { file_path: "/home/ann/shop/CHANGELOG.md", content: "…" }),
]);
busy.result("toolu_sample_c1", "File created.");
busy.later(4);
busy.answer({ read: 12_900, write: 400, output: 60 }, [text("Done.")]);

const explorer = transcript("5a3f0c11-7d1e-4f6a-9b0a-2f1c8e6d4b01", START + 20_000, {
  isSidechain: true,
  agentId: "a7c31e02",
});
explorer.prompt("Search for rounding in the shop.");
explorer.later(2);
explorer.answer({ read: 0, write: 6_400, output: 120 }, [
  use("s1", "Grep", { pattern: "round", path: "/home/ann/shop" }),
]);
explorer.result("toolu_sample_s1", "cart.ts:1\ninvoice.ts:9");
explorer.later(3);
explorer.answer({ read: 6_400, write: 500, output: 80 }, [text("invoice.ts rounds each line, cart.ts rounds the sum")]);
for (const line of explorer.lines) line.uuid = String(line.uuid).replace("5a3f0c11-0000", "5a3f0c11-0001");
for (const line of explorer.lines)
  if (line.parentUuid) line.parentUuid = String(line.parentUuid).replace("5a3f0c11-0000", "5a3f0c11-0001");
for (const line of explorer.lines) {
  const message = line.message as Line | undefined;
  if (typeof message?.id === "string") message.id = message.id.replace("msg_sample_", "msg_sample_sub_");
  if (typeof line.requestId === "string") line.requestId = line.requestId.replace("req_sample_", "req_sample_sub_");
}

const clean = transcript("c2d94b7e-1a52-4c0d-8f3e-6b7a90d1e502", START + 26 * 3_600_000);
clean.prompt("Rename total to totalCents everywhere.");
clean.later(3);
clean.answer({ read: 11_000, write: 7_300, output: 200 }, [use("d1", "Grep", { pattern: "total" })]);
clean.result("toolu_sample_d1", "cart.ts\ninvoice.ts");
clean.later(4);
clean.answer({ read: 18_300, write: 800, output: 350 }, [
  use("d2", "Edit", { file_path: "/home/ann/shop/cart.ts", old_string: "total", new_string: "totalCents" }),
]);
clean.result("toolu_sample_d2", "The file has been updated.");
clean.later(4);
clean.answer({ read: 19_100, write: 600, output: 80 }, [text("Renamed in both files.")]);

write(join(root, "5a3f0c11-7d1e-4f6a-9b0a-2f1c8e6d4b01.jsonl"), busy.lines);
write(join(root, "5a3f0c11-7d1e-4f6a-9b0a-2f1c8e6d4b01/subagents/agent-a7c31e02.jsonl"), explorer.lines);
writeFileSync(
  join(root, "5a3f0c11-7d1e-4f6a-9b0a-2f1c8e6d4b01/subagents/agent-a7c31e02.meta.json"),
  `${JSON.stringify({ agentType: "explorer", description: "find rounding" })}\n`,
);
write(join(root, "c2d94b7e-1a52-4c0d-8f3e-6b7a90d1e502.jsonl"), clean.lines);

function write(file: string, lines: Line[]) {
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, `${lines.map((line) => JSON.stringify(line)).join("\n")}\n`);
}
