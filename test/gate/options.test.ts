import { test } from "uvu";
import * as assert from "uvu/assert";
import { exitOf } from "../../src/gate/exit.js";
import { checkOptions } from "../../src/gate/options.js";
import { NOON } from "../support/events.js";

test("without flags the floor is 0.70 and nothing is accepted", () => {
  assert.equal(checkOptions({}, NOON), {
    tenant: undefined,
    floor: 0.7,
    judge: undefined,
    allowUnjudged: false,
    allowLostConstraints: false,
    strictDeclared: false,
    require: [],
    nowMs: NOON,
  });
});

test("a floor is a number from 0 to 1", () => {
  assert.equal(
    ["0", "1", "0.8", ".75"].map((floor) => checkOptions({ floor }, NOON).floor),
    [0, 1, 0.8, 0.75],
  );
  for (const floor of ["", "1.1", "-1", "70", "70%", "abc", "0x1", "1e-1"])
    assert.throws(() => checkOptions({ floor }, NOON), /is not a number from 0 to 1/, floor);
});

test("required checks are named in full", () => {
  assert.equal(checkOptions({ require: "shell_stability, tenant_scope" }, NOON).require, [
    "shell_stability",
    "tenant_scope",
  ]);
  assert.throws(() => checkOptions({ require: "shell" }, NOON), /is not a check/);
});

test("verdicts have one exit code each", () => {
  assert.equal((["pass", "violated", "unmeasured", "not_applicable"] as const).map(exitOf), [0, 1, 3, 3]);
});

test.run();
