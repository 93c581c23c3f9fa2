import type { Verdict } from "../diagnostics/checks/check.js";

/** 0 pass, 1 violated, 3 unmeasured. What could not be done at all is 2, and a `Failure`. */
export function exitOf(verdict: Verdict): 0 | 1 | 3 {
  if (verdict === "violated") return 1;
  return verdict === "pass" ? 0 : 3;
}
