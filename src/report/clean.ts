/**
 * Makes text from outside harmless on a terminal: nothing in it can move the cursor, change colours or titles,
 * reorder what is read, or hide itself. Used before layout, so that columns align, and again at the output door.
 *
 * Replaced by their visible escape (`\x1b`, `\u202e`): C0 and C1 controls, DEL, bidirectional controls, line and
 * paragraph separators, zero-width characters, tag characters and lone surrogates. Newlines too: a title is one line.
 */
export function clean(text: string): string {
  return text.replace(FORBIDDEN, escapeOf);
}

/** The same for a text of our own that has lines: keeps newlines and the colour sequences that we set ourselves. */
export function cleanLines(text: string): string {
  return text.replace(LINES_OR_FORBIDDEN, (found) =>
    /^\r?\n$/.test(found) || COLOUR.test(found) ? found : escapeOf(found),
  );
}

/** JSON whose every control or formatting character is escaped; still the same value to any parser. */
export function cleanJson(json: string): string {
  return json.replace(FORBIDDEN_IN_JSON, (found) =>
    [...Array(found.length).keys()].map((at) => `\\u${found.charCodeAt(at).toString(16).padStart(4, "0")}`).join(""),
  );
}

const HIDDEN =
  "\\u007f-\\u009f\\u00ad\\u061c\\u180e\\u200b-\\u200f\\u2028-\\u202e\\u2060-\\u206f\\ufeff\\ufff9-\\ufffb\\u{e0000}-\\u{e007f}\\ud800-\\udfff";
const FORBIDDEN = new RegExp(`[\\u0000-\\u001f${HIDDEN}]`, "gu");
const FORBIDDEN_IN_JSON = new RegExp(`[\\u0000-\\u0009\\u000b-\\u001f${HIDDEN}]`, "gu");
const COLOUR = /^\u001b\[[0-9;]{0,20}m$/;
const LINES_OR_FORBIDDEN = new RegExp(`\\r\\n|\\u001b\\[[0-9;]{0,20}m|[\\u0000-\\u001f${HIDDEN}]`, "gu");

function escapeOf(found: string): string {
  if (found === "\n") return "\\n";
  if (found === "\t") return "\\t";
  if (found === "\r") return "\\r";
  const code = found.codePointAt(0) ?? 0;
  if (code > 0xffff) return `\\u{${code.toString(16)}}`;
  return code > 0xff ? `\\u${code.toString(16).padStart(4, "0")}` : `\\x${code.toString(16).padStart(2, "0")}`;
}
