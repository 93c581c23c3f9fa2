import { test } from "uvu";
import * as assert from "uvu/assert";
import {
  exactBounds,
  factsToSettle,
  type Interval,
  meanInterval,
  noneSeenBound,
  wilson,
} from "../../src/diagnostics/statistics.js";

const rounded = (interval: Interval | null, digits = 3) => interval?.map((end) => Number(end.toFixed(digits)));

test("Wilson's interval stays inside 0 and 1 and has the known ends", () => {
  assert.equal(rounded(wilson(5, 5)), [0.566, 1]);
  assert.equal(rounded(wilson(0, 5), 4), [0, 0.4345]);
  assert.equal(rounded(wilson(3, 4)), [0.301, 0.954]);
  assert.equal(rounded(wilson(95, 100)), [0.888, 0.978]);
  assert.equal(rounded(wilson(19, 20)), [0.764, 0.991]);
  assert.is(wilson(0, 0), null);
});

test("the exact bounds have the known ends", () => {
  assert.equal(rounded(exactBounds(9, 9), 2), [0.72, 1]);
  assert.equal(rounded(exactBounds(8, 8), 2), [0.69, 1]);
  assert.equal(rounded(exactBounds(18, 20)), [0.717, 0.982]);
  assert.equal(rounded(exactBounds(14, 20), 2), [0.49, 0.86]);
  assert.equal(rounded(exactBounds(4, 15), 2), [0.1, 0.51]);
  assert.is(exactBounds(0, 0), null);
});

test("the exact bounds cover at least 95 % each, whatever the truth", () => {
  for (const truth of [0.05, 0.3, 0.5, 0.7, 0.95, 0.99]) {
    let [below, above] = [0, 0];
    const total = 40;
    for (let passed = 0; passed <= total; passed += 1) {
      const [low, high] = exactBounds(passed, total)!;
      const chance = binomial(total, passed) * truth ** passed * (1 - truth) ** (total - passed);
      if (low > truth) below += chance;
      if (high < truth) above += chance;
    }
    assert.ok(below <= 0.05 && above <= 0.05, `${truth}: ${below}, ${above}`);
  }
});

test("a floor needs 9, 14, 29 or 59 facts when all are kept", () => {
  assert.equal(
    [0.7, 0.8, 0.9, 0.95].map((floor) => factsToSettle(1, 1, floor)),
    [9, 14, 29, 59],
  );
  assert.is(factsToSettle(8, 8, 0.7), 9);
});

test("at 90 % kept about 20 facts settle a floor of 0.70, at 80 % about 60, at exactly 70 % none", () => {
  assert.ok(Math.abs(factsToSettle(9, 10, 0.7)! - 20) <= 2);
  assert.ok(Math.abs(factsToSettle(8, 10, 0.7)! - 61) <= 5);
  assert.is(factsToSettle(7, 10, 0.7), null);
});

test("200 clean trials still allow 1.5 %", () => {
  assert.is(Number(noneSeenBound(200).toFixed(3)), 0.015);
});

test("the bootstrap needs ten values and repeats itself exactly", () => {
  const values = Array.from({ length: 12 }, (_, at) => at / 12);
  assert.is(meanInterval(values.slice(0, 9)), null);
  assert.equal(meanInterval(values), meanInterval(values));
  const [low, high] = meanInterval(values)!;
  assert.ok(low < 11 / 24 && 11 / 24 < high);
});

function binomial(total: number, chosen: number): number {
  let ways = 1;
  for (let step = 1; step <= chosen; step += 1) ways = (ways * (total - step + 1)) / step;
  return ways;
}

test.run();
