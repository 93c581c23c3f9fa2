/** Tasks of Cline's extension of our own making: a test names only what it is about. */

type Given = Record<string, unknown>;

const START = Date.UTC(2026, 4, 1, 9);

/** Files of a task, under the name of its folder. */
export function task(rows: Given[], history: Given[] = [], about: unknown = null): Record<string, string> {
  const folder = "tasks/1777626000000";
  return {
    [`${folder}/ui_messages.json`]: JSON.stringify(rows.map((row, n) => ({ ts: START + n * 1000, ...row }))),
    [`${folder}/api_conversation_history.json`]: JSON.stringify(history),
    ...(about === null ? {} : { [`${folder}/task_metadata.json`]: JSON.stringify(about) }),
  };
}

export const says = (say: string, text: string, given: Given = {}): Given => ({ type: "say", say, text, ...given });

/** Uncached 100, read 800, written 100, output 50. */
export const requested = (told: Given = {}, given: Given = {}): Given =>
  says(
    "api_req_started",
    JSON.stringify({
      request: "…",
      tokensIn: 100,
      tokensOut: 50,
      cacheReads: 800,
      cacheWrites: 100,
      cost: 0.5,
      ...told,
    }),
    given,
  );

/** The answer that is a checkpoint was the history's message number `behind`. */
export const summarised = (content: string, behind: number, given: Given = {}): Given =>
  says("tool", JSON.stringify({ tool: "summarizeTask", content }), { conversationHistoryIndex: behind, ...given });

export const typed = (text: string): Given => ({ role: "user", content: [{ type: "text", text }] });
export const written = (text: string): Given => ({ role: "assistant", content: [{ type: "text", text }] });
export const edited = (id: string, path: string): Given => ({
  role: "assistant",
  content: [{ type: "tool_use", id, name: "replace_in_file", input: { path, diff: "…" } }],
});
