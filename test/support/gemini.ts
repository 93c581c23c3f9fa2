/** Messages of Gemini CLI of our own making: a test names only what it is about. */

type Given = Record<string, unknown>;

let serial = 0;
const timestamp = () => {
  serial += 1;
  return new Date(Date.UTC(2026, 4, 1, 9) + serial * 1000).toISOString();
};

export const about = (given: Given = {}) => ({ sessionId: "g1", projectHash: "ab", startTime: timestamp(), ...given });
export const user = (id: string, given: Given = {}) => ({
  id,
  timestamp: timestamp(),
  type: "user",
  content: "hi",
  ...given,
});

/** Input 1000 of which 900 cached, output 50 and thoughts 20 beside it. */
export const tokens = (given: Given = {}) => ({
  input: 1000,
  output: 50,
  cached: 900,
  thoughts: 20,
  tool: 0,
  total: 1070,
  ...given,
});
export const gemini = (id: string, given: Given = {}) => ({
  id,
  timestamp: timestamp(),
  type: "gemini",
  content: "ok",
  tokens: tokens(),
  model: "gemini-2.5-flash",
  ...given,
});
