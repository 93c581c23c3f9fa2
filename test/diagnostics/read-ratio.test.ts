import { test } from "uvu";
import * as assert from "uvu/assert";
import { readRatio } from "../../src/diagnostics/read-ratio.js";
import { ask } from "../support/ask.js";
import { request } from "../support/events.js";
import { sixRequests } from "../support/stories.js";

test("six requests that read 69,000 of 148,012 tokens", async () => {
  const ratio = await ask(sixRequests(), { session: "s1" }, readRatio);
  assert.equal([ratio.count, ratio.of, ratio.coverage], [69_000, 148_012, { observed: 6, expected: 6 }]);
  assert.equal([ratio.value?.toFixed(3), ratio.byRequests, ratio.typical?.toFixed(3)], ["0.466", 0.5, "0.459"]);
  assert.is(ratio.state, "ok");
});

test("a provider that reports 0 is a measured 0; one that does not report is not", async () => {
  const silent = request({ cacheReported: false, readTokens: null, write5mTokens: null, write1hTokens: null });
  const zero = await ask([request({ readTokens: 0 })], {}, readRatio);
  const none = await ask([silent], {}, readRatio);
  const both = await ask([request({ readTokens: 100, uncachedTokens: 0, write5mTokens: 100 }), silent], {}, readRatio);
  assert.equal([zero.value, zero.state], [0, "ok"]);
  assert.equal([none.value, none.state], [null, "not_reported"]);
  assert.equal([both.value, both.state, both.coverage], [0.5, "partial", { observed: 1, expected: 2 }]);
});

test("contradictory and partial usage is left out and counted", async () => {
  const events = [
    request({ readTokens: 50, uncachedTokens: 50, write5mTokens: 0 }),
    request({ readTokens: 9_999_999, usageState: "contradictory" }),
    request({ readTokens: 9_999_999, uncachedTokens: null, usageState: "partial" }),
  ];
  const ratio = await ask(events, {}, readRatio);
  assert.equal([ratio.value, ratio.leftOut], [0.5, { partial: 1, contradictory: 1 }]);
});

test("written tokens of all lifetimes belong to the prompt", async () => {
  const event = request({
    readTokens: 100,
    uncachedTokens: 10,
    write5mTokens: 20,
    write1hTokens: 30,
    writeUnsplitTokens: 40,
  });
  assert.is((await ask([event], {}, readRatio)).of, 200);
});

test("an empty store gives no value", async () => {
  const ratio = await ask([], {}, readRatio);
  assert.equal([ratio.value, ratio.of, ratio.state], [null, 0, "no_data"]);
});

test.run();
