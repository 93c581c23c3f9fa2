/** Rows as CSV after RFC 4180: CRLF, quotes doubled, quoted where needed. Null is an empty cell. */
export function csv(rows: (string | number | null)[][]): string {
  return rows.map((row) => `${row.map(cell).join(",")}\r\n`).join("");
}

/** A text that a spreadsheet would run as a formula gets an apostrophe before it; a number stays a number. */
function cell(value: string | number | null): string {
  if (value === null) return "";
  if (typeof value === "number") return String(value);
  const harmless = /^[=+\-@\t\r]/.test(value) ? `'${value}` : value;
  return /[",\r\n]/.test(harmless) ? `"${harmless.replaceAll('"', '""')}"` : harmless;
}
