/** Records of Qwen Code of our own making: a test names only what it is about. */

type Given = Record<string, unknown>;

let serial = 0;
function record(type: string, given: Given = {}): Given & { uuid: string } {
  serial += 1;
  return {
    uuid: `019f0000-0000-7000-8000-${String(serial).padStart(12, "0")}`,
    sessionId: "q1",
    timestamp: new Date(Date.UTC(2026, 4, 1, 9) + serial * 1000).toISOString(),
    type,
    cwd: "/home/ann/project",
    version: "0.18.1",
    ...given,
  };
}

export const user = (text: string) => record("user", { message: { role: "user", parts: [{ text }] } });

/** Prompt 1000 of which 900 cached, candidates 45 and thoughts 5 beside them. */
const usage = (given: Given = {}) => ({
  promptTokenCount: 1000,
  candidatesTokenCount: 45,
  thoughtsTokenCount: 5,
  cachedContentTokenCount: 900,
  ...given,
});
export const answer = (parts: unknown[] = [{ text: "ok" }], given: Given = {}) =>
  record("assistant", { model: "coder-model", message: { role: "model", parts }, usageMetadata: usage(), ...given });
export const system = (subtype: string, systemPayload: Given) => record("system", { subtype, systemPayload });
export const call = (id: string) => ({ functionCall: { id, name: "read_file", args: { path: "a" } } });
export const result = (id: string, response: Given, about: Given = {}) =>
  record("tool_result", {
    message: { role: "user", parts: [{ functionResponse: { id, name: "read_file", response } }] },
    toolCallResult: { callId: id, status: "success", ...about },
  });
