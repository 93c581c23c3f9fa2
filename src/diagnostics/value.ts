import type { Interval } from "./statistics.js";

/**
 * - `ok`: measured over everything in scope.
 * - `partial`: measured over the part of the scope that could tell; `coverage` says how much.
 * - `no_data`: it could have been seen and did not occur, so there is nothing to divide by.
 * - `insufficient`: too few to say; the counts are there, the value is not.
 * - `not_reported`: no source in scope can tell; `reason` says why.
 * - `invalid`: the records contradict each other.
 */
type State = "ok" | "no_data" | "insufficient" | "not_reported" | "partial" | "invalid";

/** How many records of those in scope the figure rests on. */
export interface Coverage {
  observed: number;
  expected: number;
}

/** A figure that never stands alone. */
export interface Value {
  /** Null unless the state is `ok` or `partial`. 0 is a measured zero. */
  value: number | null;
  unit: string;
  state: State;
  /** Numerator and denominator, both in `nUnit`. */
  count: number;
  of: number;
  nUnit: string;
  coverage: Coverage;
  /** 95 % interval; only for sampled judgements. */
  ci: Interval | null;
  /** What the unseen part could make of it, without any assumption. */
  bounds: Interval | null;
  kind: "census" | "sample";
  /** Name and version of the calculation. */
  method: string;
  /** What kind of record it was read from. */
  evidence: string;
  /** Why the state is not `ok`, in words; null when it is. */
  reason: string | null;
}

export interface Measurement {
  method: string;
  evidence: string;
  count: number;
  of: number;
  nUnit: string;
  coverage: Coverage;
  unit?: string;
  /** When the figure is not `count / of`, such as a mean of ratios. */
  value?: number | null;
  kind?: "census" | "sample";
  ci?: Interval | null;
  bounds?: Interval | null;
  /** Why no source in scope can tell at all; null or absent when one can. */
  blind?: string | null;
  /** Why some records in scope could not tell. */
  unseen?: string | null;
  /** What did not occur when there is nothing to divide by. */
  nothing: string;
}

/** Decides the state by one rule for all metrics: unseen before absent, absent before partial, partial before ok. */
export function measured(given: Measurement): Value {
  const { count, of, coverage } = given;
  const value = given.value === undefined ? (of === 0 ? null : count / of) : given.value;
  const state = given.blind ? "not_reported" : stateOf(value, coverage);
  return {
    value: state === "not_reported" ? null : value,
    unit: given.unit ?? "ratio",
    state,
    count,
    of,
    nUnit: given.nUnit,
    coverage,
    ci: given.ci ?? null,
    bounds: given.bounds ?? null,
    kind: given.kind ?? "census",
    method: given.method,
    evidence: given.evidence,
    reason: reasonOf(state, given),
  };
}

function stateOf(value: number | null, { observed, expected }: Coverage): State {
  if (value !== null) return observed < expected ? "partial" : "ok";
  return expected > 0 && observed === 0 ? "not_reported" : "no_data";
}

function reasonOf(state: State, { blind, unseen, nothing }: Measurement): string | null {
  if (state === "ok") return null;
  if (state === "no_data") return nothing;
  return blind ?? unseen ?? "not every record tells";
}

/** The same figure, held back: its counts stay, its value does not. */
export function withheld<V extends Value>(figure: V, state: "insufficient" | "invalid", reason: string): V {
  return { ...figure, value: null, state, reason };
}
