import { redact } from "../events/redact.js";

/**
 * Free text as it is kept: without credentials, NUL and lone surrogates (SQLite cuts text at the one in its own
 * functions and cannot give back the other).
 */
export function cleanText(text: string): string {
  return cleanName(redact(text));
}

/** A name as it is kept: unchanged but for what SQLite cannot hold. */
export function cleanName(name: string): string {
  return UNFIT.test(name) ? name.replace(UNFIT_ALL, "\ufffd") : name;
}

/** Quick: also finds whole pairs, which then stay. */
const UNFIT = /[\0\ud800-\udfff]/;
const UNFIT_ALL = /[\0\p{Surrogate}]/gu;
