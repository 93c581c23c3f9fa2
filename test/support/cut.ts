import { writeFileSync } from "node:fs";
import * as fc from "fast-check";
import * as assert from "uvu/assert";
import { imported } from "./import.js";

/** Imports the text in one go, and again and again while it grows at random places: the store must be the same. */
export function sameWhereverCut(text: string | Buffer, name = "session.jsonl", numRuns = 15): void {
  const bytes = Buffer.from(text);
  const storeAfter = (cuts: number[]) => {
    const held = imported({});
    const path = held.write(`t/${name}`, "");
    for (const cut of [...cuts, bytes.length]) {
      writeFileSync(path, bytes.subarray(0, cut));
      held.again({}, [path]);
    }
    const { batches: _, sources: __, ...facts } = held.dump();
    held.cleanup();
    return JSON.stringify(facts).replaceAll(held.folder, "");
  };
  const whole = storeAfter([]);
  fc.assert(
    fc.property(fc.array(fc.integer({ min: 0, max: bytes.length }), { maxLength: 4 }), (cuts) => {
      assert.is(storeAfter(cuts.sort((a, b) => a - b)), whole);
    }),
    { numRuns },
  );
}
