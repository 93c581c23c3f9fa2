import { CHECKS, type CheckId, type CheckOptions } from "../diagnostics/checks/check.js";
import { Failure } from "../failure.js";

/** Flags of `context validate`, as a command line or a fixture gives them. */
export interface GateFlags {
  tenant?: string | undefined;
  floor?: string | undefined;
  judge?: string | undefined;
  "allow-unjudged"?: boolean | undefined;
  "allow-lost-constraints"?: boolean | undefined;
  "strict-declared"?: boolean | undefined;
  require?: string | undefined;
}

/** Lowest acceptable retention where nobody says otherwise. */
const DEFAULT_FLOOR = 0.7;

/** What the checks need to know, with the defaults filled in; unreadable values are a `Failure`. */
export function checkOptions(flags: GateFlags, nowMs: number): CheckOptions {
  return {
    tenant: flags.tenant,
    floor: floorOf(flags.floor),
    judge: flags.judge,
    allowUnjudged: flags["allow-unjudged"] ?? false,
    allowLostConstraints: flags["allow-lost-constraints"] ?? false,
    strictDeclared: flags["strict-declared"] ?? false,
    require: requiredOf(flags.require),
    nowMs,
  };
}

export function floorOf(text: string | undefined): number {
  if (text === undefined) return DEFAULT_FLOOR;
  const floor = /^\d*\.?\d+$/.test(text) ? Number(text) : Number.NaN;
  if (floor >= 0 && floor <= 1) return floor;
  throw new Failure("floor.unreadable", `"${text}" is not a number from 0 to 1`, { tries: ["--floor 0.70"] });
}

function requiredOf(text: string | undefined): CheckId[] {
  if (text === undefined) return [];
  return text.split(",").map((name) => {
    const id = CHECKS.find((known) => known === name.trim());
    if (id !== undefined) return id;
    throw new Failure("check.unknown", `"${name}" is not a check`, { tries: [`--require ${CHECKS.join(",")}`] });
  });
}
