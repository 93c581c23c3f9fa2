import { test } from "uvu";
import * as assert from "uvu/assert";
import { checkpointFault } from "../../src/retention/degenerate.js";

const fault = (text: string, removedTokens: number | null = 4_000, repeatsEarlier = false) =>
  checkpointFault(text, { removedTokens, repeatsEarlier });

const GOOD = `1. Primary request
   The parser in \`src/parse.ts\` must keep raw line separators; all 214 tests pass with it.

2. Files
   - src/parse.ts
   - test/parse.test.ts

3. Next step
   Run the whole suite and commit to the branch feature/lines without touching the changelog.`;

test("a checkpoint that says what was done is none of the faults", () => {
  assert.is(fault(GOOD), "none");
});

test("no text, or only blanks, is empty", () => {
  assert.is(fault(""), "empty");
  assert.is(fault(" \n\t"), "empty");
});

test("the same checkpoint again is repeated", () => {
  assert.is(fault(GOOD, 4_000, true), "repeated");
});

test("a checkpoint longer than what it replaced gains nothing", () => {
  assert.is(fault(GOOD, 50), "longer_than_removed");
});

test("a few words for a long context are too short; for a short context they may do", () => {
  const words = "The user asked for a fix in src/a.ts. It is done and tested.";
  assert.is(fault(words, 160_000), "too_short");
  assert.is(fault(words, 2_000), "none");
});

test("without a known size, sizes are not judged", () => {
  assert.is(fault("The fix in src/a.ts is done and tested.", null), "none");
});

test("an answer to the user is no checkpoint", () => {
  assert.is(fault("Sure! I'll be happy to help you with that. What would you like to do next?", 900), "reply");
  assert.is(fault("Thank you for the context. I understand what you need and I will continue.", 900), "reply");
  assert.is(fault("Sure, here is where we are: I changed `src/a.ts` as you asked.", 900), "none");
});

test("a text that breaks off is cut off", () => {
  assert.is(fault(`${GOOD}\n\n4. Open questions:`), "cut_off");
  assert.is(fault(`${GOOD}\n\nThe remaining work is to update the`), "cut_off");
  assert.is(fault(`${GOOD}\n\n\`\`\`ts\nconst a = 1;`), "cut_off");
  const prose = "This is a sentence of more than eight words in a row.\n";
  assert.is(fault(`${prose.repeat(5)}This is a sentence of more than eight words in`), "cut_off");
});

test("lists, paths, code and headings may end without a full stop", () => {
  for (const end of ["- src/a.ts", "3. Run the tests", "```ts\nconst a = 1;\n```", "| a | b |", "src/store/open.ts"]) {
    assert.is(fault(`${GOOD}\n${end}`), "none", end);
  }
});

test("the answer takes time in proportion to the text", () => {
  const hostile = `${"a_".repeat(200_000)}${" of the".repeat(20_000)}`;
  const started = process.cpuUsage().user;
  fault(hostile, null);
  assert.ok(process.cpuUsage().user - started < 2_000_000);
});

test.run();
