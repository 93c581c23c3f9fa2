import { test } from "uvu";
import * as assert from "uvu/assert";
import { counted, figure } from "../../src/diagnostics/figure.js";

test("a figure below the floor is never printed as the floor", () => {
  assert.is(figure(0.69999, [0.7]), "0.69999");
  assert.is(figure(0.696, [0.7]), "0.696");
  assert.is(figure(0.6999999999, [0.7]), "0.6999999999");
  assert.is(figure(0.7, [0.7]), "0.700");
  assert.is(figure(0.70001, [0.7]), "0.70001");
});

test("only a true 0 or 1 is printed as such", () => {
  assert.is(figure(0), "0.000");
  assert.is(figure(1), "1.000");
  assert.is(figure(0.0001), "0.0001");
  assert.is(figure(0.99996), "0.99996");
  assert.is(figure(1.00001), "1.00001");
});

test("a count agrees with its noun", () => {
  assert.is(counted(1, "turn"), "1 turn");
  assert.is(counted(69_000, "turn"), "69,000 turns");
});

test.run();
