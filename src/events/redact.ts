/**
 * The one redaction step: takes credentials out of text before anything is written.
 *
 * Recognises: PEM blocks; user-info in URLs; authorization headers; values of keys whose names say secret
 * (`password=…`, `"api_key": "…"`); and tokens by their known prefixes. Counts such as `tokens=123` stay.
 * It guarantees nothing about secrets that look like ordinary words. Every rule is linear in the text.
 */
export const REDACTION_VERSION = 1;

const MARK = "[redacted]";

const rules: [RegExp, string][] = [
  [/-----BEGIN [A-Z ]{0,40}PRIVATE KEY-----[\s\S]{0,20000}?(?:-----END [A-Z ]{0,40}PRIVATE KEY-----|$)/g, MARK],
  [/\b([a-z][a-z0-9+.-]{1,20}:\/\/)[^\s/@:"']{0,200}:[^\s/@"']{1,200}@/gi, `$1${MARK}@`],
  [
    /\b(authorization|proxy-authorization|x-api-key|x-goog-api-key|cookie|set-cookie)(["']?\s{0,4}[:=]\s{0,4}["']?)[^\r\n"']{1,4000}/gi,
    `$1$2${MARK}`,
  ],
  [/\b(bearer|basic)\s{1,4}[A-Za-z0-9._~+/=-]{12,4000}/gi, `$1 ${MARK}`],
  [
    /\b([A-Za-z0-9_.-]{0,40}(?:password|passwd|passphrase|secret|api[_-]?key|access[_-]?key|private[_-]?key|(?:auth|access|refresh|id|session|bearer|api|bot)[_-]?token))(["']?\s{0,4}[:=]\s{0,4}["']?)(?!["'\s,;}]|\[redacted\])[^\s"',;}]{1,4000}/gi,
    `$1$2${MARK}`,
  ],
  [
    /\b(?:sk-[A-Za-z0-9_-]{16,200}|gh[pousr]_[A-Za-z0-9]{20,255}|github_pat_[A-Za-z0-9_]{20,255}|glpat-[A-Za-z0-9_-]{16,100}|xox[abeprs]-[A-Za-z0-9-]{10,255}|AKIA[0-9A-Z]{16}|ASIA[0-9A-Z]{16}|AIza[0-9A-Za-z_-]{30,60}|npm_[A-Za-z0-9]{30,60}|hf_[A-Za-z0-9]{25,60}|ya29\.[A-Za-z0-9_-]{20,400}|eyJ[A-Za-z0-9_-]{10,2000}\.eyJ[A-Za-z0-9_-]{10,4000}\.[A-Za-z0-9_-]{10,1000})/g,
    MARK,
  ],
];

/** The text without recognised credentials. */
export function redact(text: string): string {
  let clean = text;
  for (const [pattern, replacement] of rules) clean = clean.replace(pattern, replacement);
  return clean;
}
