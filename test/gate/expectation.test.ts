import { test } from "uvu";
import * as assert from "uvu/assert";
import { meets, partOf, valueAt } from "../../src/gate/expectation.js";

const answer = {
  exit: 1,
  metrics: { "cache.hit_rate": { value: 0.5, originalFormula: { hits: 1 } } },
  checks: [{ id: "shell_stability", verdict: "pass" }],
  recipes: [{ recipe: "summary", version: "1.5", ratio: { value: null } }],
};

test("a path finds names that contain dots, and list members by name or position", () => {
  assert.is(valueAt(answer, "exit"), 1);
  assert.is(valueAt(answer, "metrics.cache.hit_rate.value"), 0.5);
  assert.is(valueAt(answer, "metrics.cache.hit_rate.originalFormula.hits"), 1);
  assert.is(valueAt(answer, "checks.shell_stability.verdict"), "pass");
  assert.is(valueAt(answer, "recipes.summary.ratio.value"), null);
  assert.is(valueAt(answer, "checks.0.verdict"), "pass");
  assert.is(valueAt(answer, "metrics.nothing"), undefined);
  assert.is(valueAt(answer, "exit.toFixed"), undefined);
});

test("unknown and zero are different answers", () => {
  assert.is(meets(null, 0), false);
  assert.is(meets(0, null), false);
  assert.is(meets(undefined, null), false);
  assert.is(meets(null, null), true);
});

test("a map is met by at least its entries, a list only by each of its items", () => {
  assert.is(meets(answer, { exit: 1, "checks.shell_stability": { verdict: "pass" } }), true);
  assert.is(meets([1, 2], [1]), false);
  assert.is(meets([], []), true);
  assert.is(meets([1], []), false);
});

test("numbers are equal to twelve digits, and a hair below a floor is below it", () => {
  assert.is(meets(0.1 + 0.2, 0.3), true);
  assert.is(meets(0.69999, 0.7), false);
});

test("what is shown beside an expectation is the part it spoke of", () => {
  assert.equal(partOf(answer.metrics["cache.hit_rate"], { value: 1 }), { value: 0.5 });
});

test.run();
