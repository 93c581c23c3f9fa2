import { test } from "uvu";
import * as assert from "uvu/assert";
import { semanticErrorRate } from "../../src/diagnostics/semantic-error-rate.js";
import { semanticPrecision } from "../../src/diagnostics/semantic-precision.js";
import type { DivergenceFact } from "../../src/events/event.js";
import { ask } from "../support/ask.js";
import { cache, divergence, request, turn } from "../support/events.js";
import { transcriptCoverage } from "../support/stories.js";

const classes = (times: Partial<Record<DivergenceFact["divergenceClass"], number>>, given = {}) =>
  Object.entries(times).flatMap(([divergenceClass, count]) =>
    Array.from({ length: count }, () =>
      divergence({ divergenceClass: divergenceClass as DivergenceFact["divergenceClass"], ...given }),
    ),
  );
const hits = (count: number, given = {}) => Array.from({ length: count }, () => cache({ layer: "semantic", ...given }));
const rounded = (interval: [number, number] | null) => interval?.map((end) => Number(end.toFixed(3)));

test("19 of 20 classed in 200 hits: 0.95, with interval, bounds and a tenth covered", async () => {
  const events = [...classes({ trivial: 12, stylistic: 7, substantive: 1, unclassified: 1 }), ...hits(200)];
  const precision = await ask(events, {}, semanticPrecision);
  assert.equal([precision.value, precision.count, precision.of], [0.95, 19, 20]);
  assert.equal(rounded(precision.ci), [0.764, 0.991]);
  assert.equal(rounded(precision.bounds), [0.095, 0.995]);
  assert.equal([precision.state, precision.coverage], ["partial", { observed: 20, expected: 200 }]);
});

test("three of four is too little to say; the unclassified one is not in the denominator", async () => {
  const precision = await ask(
    classes({ trivial: 2, stylistic: 1, contradictory: 1, unclassified: 1 }),
    {},
    semanticPrecision,
  );
  assert.equal([precision.value, precision.state, precision.count, precision.of], [null, "insufficient", 3, 4]);
  assert.is(precision.classes.unclassified, 1);
});

test("comparisons that were not drawn at random carry no interval", async () => {
  const chosen = await ask(classes({ trivial: 10 }, { sampling: "on_complaint" }), {}, semanticPrecision);
  const unsaid = await ask(classes({ trivial: 10 }, { sampling: null }), {}, semanticPrecision);
  assert.equal([chosen.value, chosen.ci, unsaid.ci], [1, null, null]);
});

test("unclassified comparisons alone give no value", async () => {
  const precision = await ask([...classes({ unclassified: 30 }), ...hits(30)], {}, semanticPrecision);
  const errors = await ask([...classes({ unclassified: 30 }), ...hits(30)], {}, semanticErrorRate);
  assert.equal([precision.value, precision.of, precision.state], [null, 0, "insufficient"]);
  assert.equal([errors.value, errors.state], [null, "insufficient"]);
});

test("a semantic cache that never found anything is no data, not perfection", async () => {
  const idle = [turn({ turn: "t" }), request({ turn: "t" }), cache({ layer: "semantic", op: "bypass", served: false })];
  const precision = await ask(idle, {}, semanticPrecision);
  assert.equal([precision.value, precision.of, precision.state], [null, 0, "no_data"]);
});

test("sources that know no semantic cache are not reported", async () => {
  const events = [...transcriptCoverage("s1"), turn({ turn: "t" })];
  const precision = await ask(events, {}, semanticPrecision);
  const errors = await ask(events, {}, semanticErrorRate);
  assert.equal([precision.state, errors.state], ["not_reported", "not_reported"]);
});

test("the error rate is of all lookups, and a lower bound while hits are not compared", async () => {
  const misses = Array.from({ length: 70 }, () => cache({ layer: "semantic", op: "miss", served: false }));
  const all = [...hits(30), ...misses];
  const complete = await ask([...classes({ trivial: 28, substantive: 2 }), ...all], {}, semanticErrorRate);
  const sampled = await ask([...classes({ trivial: 9, substantive: 1 }), ...all], {}, semanticErrorRate);
  assert.equal([complete.value, complete.state, complete.bounds], [0.02, "ok", [0.02, 0.02]]);
  assert.equal([sampled.value, sampled.state, sampled.bounds], [0.01, "partial", [0.01, 0.21]]);
});

test.run();
