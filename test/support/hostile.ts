import * as fc from "fast-check";
import * as assert from "uvu/assert";
import { transcript } from "./claude.js";
import { imported } from "./import.js";

const odd = fc.oneof(
  fc.jsonValue(),
  fc.constantFrom<unknown>(
    "",
    "\u0000",
    "\ud800",
    "__proto__",
    "constructor",
    "REDACTED",
    "x".repeat(5000),
    -1,
    1.5,
    2 ** 60,
    1e308,
    [],
    {},
    null,
    true,
  ),
);

/** Puts odd values into any fields of the records: the file is read, and the good records before them are kept. */
export function readsWhateverStands(name: string, good: unknown[], records: unknown[], numRuns = 40): void {
  fc.assert(
    fc.property(fc.array(fc.tuple(fc.nat(), fc.nat(), odd), { minLength: 1, maxLength: 8 }), (changes) => {
      const broken = [...records];
      for (const [which, where, by] of changes) {
        const index = which % broken.length;
        const places = paths(broken[index]);
        if (places.length > 0) broken[index] = replaced(broken[index], places[where % places.length]!, by);
      }
      const held = imported({ [name]: transcript(...good, ...broken) });
      assert.is(held.report.files.refused, 0);
      assert.ok((held.value("SELECT count(*) FROM requests WHERE counted = 1 AND output_tokens = 50") as number) > 0);
      assert.is(held.again().files.read, 0);
      held.cleanup();
    }),
    { numRuns, ...(process.env.FC_SEED ? { seed: Number(process.env.FC_SEED) } : {}) },
  );
}

/** The places of a value, as paths. */
function paths(value: unknown, at: string[] = []): string[][] {
  if (typeof value !== "object" || value === null) return [at];
  return [at, ...Object.entries(value).flatMap(([key, entry]) => paths(entry, [...at, key]))].filter(
    ({ length }) => length > 0,
  );
}

function replaced(value: unknown, [key, ...rest]: string[], by: unknown): unknown {
  const copy: Record<string, unknown> = Array.isArray(value) ? ([...value] as never) : { ...(value as object) };
  copy[key!] = rest.length === 0 ? by : replaced(copy[key!], rest, by);
  return copy;
}
