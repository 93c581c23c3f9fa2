/** One conversation, written as each agent would have written it. */
import { transcript } from "./claude.js";
import * as codex from "./codex.js";
import * as kimi from "./kimi.js";
import * as opencode from "./opencode.js";
import * as pi from "./pi.js";

type Given = Record<string, unknown>;

export type Act =
  | { user: string }
  | { says: string }
  | { edits: string }
  | { runs: string; prints: string; failed: boolean }
  | { compacts: string };

/** Whatever is done is followed by a request, so that what was compacted is over. */
export const transcripts: Record<string, (acts: Act[]) => Record<string, string>> = {
  codex: (acts) => ({ "rollout.jsonl": transcript(codex.meta("s1"), codex.context(), ...acts.flatMap(inCodex())) }),
  pi: (acts) => ({ "session.jsonl": transcript(pi.header("s1"), ...inTree(acts.flatMap(inPi()))) }),
  "kimi-cli": (acts) => ({ "wire.jsonl": transcript(kimi.metadata(), ...acts.flatMap(inKimi())) }),
  opencode: (acts) => ({
    "s1.export.json": JSON.stringify(opencode.session("s1", ...acts.flatMap(inOpencode())), null, 2),
  }),
  "gemini-cli": (acts) => ({ "session-1.jsonl": transcript(...inGemini(acts)) }),
  "qwen-code": (acts) => ({ "q1.jsonl": transcript(...acts.flatMap(inQwen())) }),
  "copilot-cli": (acts) => ({ "c1/events.jsonl": transcript(COPILOT_STARTS, ...acts.flatMap(inCopilot())) }),
  cline: (acts) => taskFiles(acts),
};

const START = Date.UTC(2026, 4, 1, 9);

function counter() {
  let n = 0;
  return () => {
    n += 1;
    return n;
  };
}

const callId = (n: number) => `call_0000000000000000000${String(n).padStart(3, "0")}`;

function inCodex() {
  const next = counter();
  const message = (role: string, text: string) =>
    codex.item("message", { role, content: [{ type: role === "user" ? "input_text" : "output_text", text }] });
  const requested = () => {
    const n = next();
    return codex.counter([n * 1000, 0, n * 10, 0], [1000, 0, 10, 0]);
  };
  return (act: Act): unknown[] => {
    const id = callId(next());
    if ("user" in act) return [codex.said(act.user), message("user", act.user)];
    if ("says" in act) return [message("assistant", act.says), requested()];
    if ("edits" in act) {
      const input = `*** Begin Patch\n*** Update File: ${act.edits}\n@@\n-a\n+b\n*** End Patch`;
      const call = codex.item("custom_tool_call", { name: "apply_patch", input, call_id: id });
      return [call, codex.result(id, "Exit code: 0\nWall time: 0 seconds\nOutput:\nSuccess."), requested()];
    }
    if ("compacts" in act) return [codex.compacted(act.compacts)];
    const head = `Chunk ID: 1\nWall time: 1.5 seconds\nProcess exited with code ${act.failed ? 1 : 0}\nOutput:\n`;
    return [codex.call(id, "exec_command", { cmd: act.runs }), codex.result(id, head + act.prints), requested()];
  };
}

function inPi() {
  const next = counter();
  return (act: Act): Given[] => {
    const id = callId(next());
    if ("user" in act) return [pi.prompt(act.user)];
    if ("says" in act) return [pi.answer({ content: [{ type: "text", text: act.says }] })];
    if ("edits" in act) {
      return [pi.call(id, "edit", { path: act.edits, oldText: "a", newText: "b" }), pi.result(id, "done")];
    }
    if ("compacts" in act) return [pi.compaction(act.compacts, 500, { firstKeptEntryId: "none" }), pi.answer()];
    return [pi.call(id, "bash", { command: act.runs }), pi.result(id, act.prints, { isError: act.failed })];
  };
}

/** Each entry hangs on the one before. */
function inTree(entries: Given[]): Given[] {
  return entries.map((entry, n) => ({ ...entry, id: `e${n}`, parentId: n === 0 ? null : `e${n - 1}` }));
}

function inKimi() {
  const next = counter();
  const said = (text: string) =>
    kimi.other("context.append_message", {
      message: { role: "user", content: [{ type: "text", text }], origin: { kind: "user" } },
    });
  const event = (given: Given) => kimi.other("context.append_loop_event", { event: given });
  return (act: Act): unknown[] => {
    const n = next();
    const id = `tool_${n}`;
    const begun = [kimi.sent(), event({ type: "step.begin" })];
    const ended = [kimi.stepEnd(`m${n}`), kimi.usage()];
    if ("user" in act) return [kimi.prompt(act.user), said(act.user)];
    if ("says" in act) {
      return [...begun, event({ type: "content.part", part: { type: "text", text: act.says } }), ...ended];
    }
    if ("edits" in act) {
      const args = { path: act.edits, old_string: "a", new_string: "b" };
      return [...begun, kimi.call(id, "Edit", args, `s${n}`), ...ended, kimi.result(id, "done")];
    }
    if ("compacts" in act) return [...kimi.compaction(act.compacts, { keptUserMessageCount: 0 }), ...begun, ...ended];
    const call = kimi.call(id, "Bash", { command: act.runs }, `s${n}`);
    return [...begun, call, ...ended, kimi.result(id, act.prints, { isError: act.failed })];
  };
}

function inOpencode() {
  const next = counter();
  return (act: Act): opencode.Exported["messages"] => {
    const id = callId(next());
    if ("user" in act) return [opencode.user(act.user)];
    if ("says" in act) return [opencode.assistant([{ type: "text", text: act.says }])];
    if ("edits" in act) {
      const input = { filePath: act.edits, oldString: "a", newString: "b" };
      return [opencode.assistant([opencode.tool(id, { input, output: "done" }, { tool: "edit" })])];
    }
    if ("compacts" in act) {
      return [
        opencode.user("", { type: "compaction", auto: true }),
        opencode.assistant([{ type: "text", text: act.compacts }], { summary: true }),
        opencode.assistant(),
      ];
    }
    const state = { input: { command: act.runs }, output: act.prints, metadata: { exit: act.failed ? 1 : 0 } };
    return [opencode.assistant([opencode.tool(id, state, { tool: "bash" })])];
  };
}

/** A command as Gemini CLI and its forks report it. */
const report = ({ runs, prints, failed }: Extract<Act, { runs: string }>) =>
  `Command: ${runs}\nDirectory: (root)\nOutput: ${prints}\nError: (none)\nExit Code: ${failed ? 1 : 0}\nSignal: (none)`;

function inGemini(acts: Act[]): unknown[] {
  const next = counter();
  const made = (type: string, given: Given): Given => {
    const n = next();
    return { id: `m-${n}`, timestamp: new Date(START + n * 1000).toISOString(), type, ...given };
  };
  const tokens = { input: 1000, output: 50, cached: 0, thoughts: 0, tool: 0, total: 1050 };
  const answer = (given: Given) => made("gemini", { content: "", tokens, model: "gemini-2.5-pro", ...given });
  const called = (name: string, args: Given, output: string) => {
    const id = `${name}-${next()}`;
    const result = [{ functionResponse: { id, name, response: { output } } }];
    return answer({ toolCalls: [{ id, name, args, status: "success", result }] });
  };
  const told = (act: Act): unknown[] => {
    if ("user" in act) return [made("user", { content: [{ text: act.user }] })];
    if ("says" in act) return [answer({ content: act.says })];
    if ("edits" in act) return [called("replace", { file_path: act.edits, old_string: "a", new_string: "b" }, "done")];
    if ("compacts" in act) {
      const snapshot = made("user", { content: [{ text: `<state_snapshot>${act.compacts}</state_snapshot>` }] });
      const reply = made("gemini", { content: [{ text: "Got it. Thanks for the additional context!" }] });
      return [{ $set: { messages: [snapshot, reply] } }, answer({ content: "ok" })];
    }
    return [called("run_shell_command", { command: act.runs }, report(act))];
  };
  const about = { sessionId: "g1", projectHash: "ab", startTime: new Date(START).toISOString() };
  return [about, ...acts.flatMap(told)];
}

function inQwen() {
  const next = counter();
  let parentUuid: string | null = null;
  const made = (type: string, given: Given): Given => {
    const n = next();
    const uuid = `019f0000-0000-7000-8000-${String(n).padStart(12, "0")}`;
    const timestamp = new Date(START + n * 1000).toISOString();
    const record = { uuid, parentUuid, sessionId: "q1", timestamp, type, cwd: "/shop", version: "0.18.1", ...given };
    parentUuid = uuid;
    return record;
  };
  const usageMetadata = { promptTokenCount: 1000, candidatesTokenCount: 50, cachedContentTokenCount: 0 };
  const answer = (parts: unknown[]) =>
    made("assistant", { model: "coder-model", message: { role: "model", parts }, usageMetadata });
  const called = (name: string, args: Given, output: string) => {
    const id = callId(next());
    const functionResponse = { id, name, response: { output } };
    return [
      answer([{ functionCall: { id, name, args } }]),
      made("tool_result", { message: { role: "user", parts: [{ functionResponse }] }, toolCallResult: { callId: id } }),
    ];
  };
  return (act: Act): unknown[] => {
    if ("user" in act) return [made("user", { message: { role: "user", parts: [{ text: act.user }] } })];
    if ("says" in act) return [answer([{ text: act.says }])];
    if ("edits" in act) return called("edit", { file_path: act.edits, old_string: "a", new_string: "b" }, "done");
    if ("compacts" in act) {
      const compressedHistory = [
        { role: "user", parts: [{ text: act.compacts }] },
        { role: "model", parts: [{ text: "Got it. Thanks for the additional context!" }] },
      ];
      const systemPayload = { info: { originalTokenCount: 500, newTokenCount: 50 }, compressedHistory };
      return [made("system", { subtype: "chat_compression", systemPayload }), answer([{ text: "ok" }])];
    }
    return called("run_shell_command", { command: act.runs }, report(act));
  };
}

const copilotEvent = (n: number, type: string, data: Given): Given => ({
  type,
  data,
  id: `019f0000-0000-7000-9000-${String(n).padStart(12, "0")}`,
  timestamp: new Date(START + n * 1000).toISOString(),
  parentId: null,
});
const COPILOT_STARTS = copilotEvent(0, "session.start", { sessionId: "c1", copilotVersion: "1.0.68" });

function inCopilot() {
  const next = counter();
  const event = (type: string, data: Given) => copilotEvent(next(), type, data);
  const message = (content: string) =>
    event("assistant.message", {
      messageId: `m${next()}`,
      model: "gpt-5.4",
      content,
      toolRequests: [],
      outputTokens: 50,
    });
  const called = (toolName: string, args: Given, content: string, success = true) => {
    const toolCallId = callId(next());
    return [
      message(""),
      event("tool.execution_start", { toolCallId, toolName, arguments: args }),
      event("tool.execution_complete", { toolCallId, success, result: { content } }),
    ];
  };
  return (act: Act): unknown[] => {
    if ("user" in act) return [event("user.message", { content: act.user, interactionId: "i" })];
    if ("says" in act) return [message(act.says)];
    if ("edits" in act) return called("edit", { path: act.edits, old_str: "a", new_str: "b" }, "done");
    if ("compacts" in act) {
      const told = { success: true, preCompactionTokens: 500, summaryContent: act.compacts };
      return [event("session.compaction_start", {}), event("session.compaction_complete", told), message("ok")];
    }
    return called("bash", { command: act.runs }, act.prints, !act.failed);
  };
}

/** A task of Cline's extension: rows for the person, and the history that the model got. */
function taskFiles(acts: Act[]): Record<string, string> {
  const rows: Given[] = [];
  const history: Given[] = [];
  let deleted: [number, number] | null = null;
  const row = (given: Given) => {
    const range = deleted === null ? {} : { conversationHistoryDeletedRange: deleted };
    rows.push({ ts: START + rows.length * 1000, conversationHistoryIndex: history.length - 1, ...range, ...given });
  };
  const requested = (content: unknown) => {
    const text = JSON.stringify({ tokensIn: 100, tokensOut: 10, cacheReads: 200, cacheWrites: 0, cost: 0.01 });
    row({ type: "say", say: "api_req_started", text });
    history.push({ role: "user", content: waiting.splice(0) });
    history.push({ role: "assistant", content });
  };
  /** Blocks of the next message of the user's. */
  const waiting: Given[] = [];
  for (const [n, act] of acts.entries()) {
    const id = callId(n);
    if ("user" in act) {
      row({ type: "say", say: rows.length === 0 ? "task" : "user_feedback", text: act.user });
      waiting.push({ type: "text", text: `<task>\n${act.user}\n</task>` });
    } else if ("says" in act) requested([{ type: "text", text: act.says }]);
    else if ("compacts" in act) {
      requested([{ type: "tool_use", id, name: "summarize_task", input: { context: act.compacts } }]);
      row({ type: "say", say: "tool", text: JSON.stringify({ tool: "summarizeTask", content: act.compacts }) });
      deleted = [0, history.length - 1];
      waiting.push({ type: "tool_result", tool_use_id: id, content: act.compacts });
      requested([{ type: "text", text: "ok" }]);
    } else {
      const isRun = "runs" in act;
      const input = isRun ? { command: act.runs, requires_approval: false } : { path: act.edits, diff: "a" };
      requested([{ type: "tool_use", id, name: isRun ? "execute_command" : "replace_in_file", input }]);
      const content = isRun ? act.prints : "done";
      waiting.push({ type: "tool_result", tool_use_id: id, content, is_error: isRun && act.failed });
    }
  }
  return {
    "tasks/1777626000000/ui_messages.json": JSON.stringify(rows),
    "tasks/1777626000000/api_conversation_history.json": JSON.stringify(history),
    "tasks/1777626000000/task_metadata.json": JSON.stringify({
      model_usage: [{ ts: START, model_id: "claude-sonnet-4-5", model_provider_id: "anthropic", mode: "act" }],
    }),
  };
}
