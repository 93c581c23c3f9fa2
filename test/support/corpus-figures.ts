/** The store's figures under the names of the expected ones, and what differs from them. */
import type { ImportOptions } from "../../src/ingest/import.js";
import { corpusFile, type Expected } from "./corpus.js";
import { type Imported, importedPaths } from "./import.js";

export type Figures = Record<string, string>;

/** Counts and sums over everything in the store that counts. */
export function figuresOf(held: Imported): Figures {
  const [row] = held.rows(`
    WITH r AS (SELECT r.*, l.kind AS lane_kind FROM requests r JOIN lanes l ON l.id = r.lane WHERE r.counted = 1)
    SELECT
      (SELECT count(*) FROM r) AS requests,
      (SELECT sum(uncached_tokens) FROM r) AS input_uncached,
      (SELECT sum(output_tokens) FROM r) AS output,
      (SELECT sum(reasoning_tokens) FROM r) AS reasoning,
      (SELECT sum(read_tokens) FROM r) AS cache_read,
      (SELECT sum(ifnull(write_5m_tokens, 0) + ifnull(write_1h_tokens, 0) + ifnull(write_unsplit_tokens, 0)) FROM r) AS cache_write,
      (SELECT sum(write_5m_tokens) FROM r) AS cache_write_5m,
      (SELECT sum(write_1h_tokens) FROM r) AS cache_write_1h,
      (SELECT count(*) FROM r WHERE lane_kind = 'subagent') AS sidechain_requests,
      (SELECT count(*) FROM r WHERE output_quality = 'provisional') AS output_provisional,
      (SELECT count(*) FROM compactions WHERE counted = 1 AND form = 'full') AS compactions,
      (SELECT count(*) FROM compactions WHERE counted = 1 AND form = 'micro') AS microcompactions,
      (SELECT count(*) FROM turns t JOIN lanes l ON l.id = t.lane WHERE counted = 1 AND l.kind = 'parent') AS turns,
      (SELECT count(DISTINCT turn) FROM r WHERE lane_kind = 'parent') AS turns_served,
      (SELECT count(*) FROM tool_calls WHERE counted = 1 AND use_seen = 1) AS tool_calls,
      (SELECT count(*) FROM tool_calls WHERE counted = 1 AND is_error = 1) AS tool_errors`);
  return Object.fromEntries(Object.entries(row!).map(([name, value]) => [name, String(value ?? 0)]));
}

/** What differs between one file's expected figures and those of a fresh store, into which it is imported twice. */
export function differences(expected: Expected, options: ImportOptions, leftOut: string[] = []): string[] {
  const path = corpusFile(expected.file!);
  const held = importedPaths([path], options);
  const badLines = held.report.skippedLines.filter(({ reason }) => reason !== "not a JSON object").length;
  const figures: Figures = { ...figuresOf(held), bad_lines: `${badLines}` };
  const before = held.dump();
  const again = held.again(options, [path]);
  const wrong = Object.entries(figures)
    .filter(([name, value]) => expected[name] !== value && !leftOut.includes(name))
    .map(([name, value]) => `${expected.file}: ${name} is ${value}, expected ${expected[name]}`);
  if (again.files.read !== 0 || JSON.stringify(held.dump()) !== JSON.stringify(before)) {
    wrong.push(`${expected.file}: a second import changes the store`);
  }
  held.cleanup();
  return wrong;
}

/** The same entries in another order that depends on the seed alone. */
export function shuffled<T>(entries: T[], seed: number): T[] {
  const keyed = entries.map((entry, i) => ({ entry, key: Math.sin(seed * 1000 + i) }));
  return keyed.sort((a, b) => a.key - b.key).map(({ entry }) => entry);
}
