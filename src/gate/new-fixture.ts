import { mkdtempSync, rmSync } from "node:fs";
import { join } from "node:path";
import { Document, isMap, type Scalar, visit } from "yaml";
import type { SessionEvent } from "../events/event.js";
import { doorFormOf } from "../ingest/door/write.js";
import type { Store } from "../store/open.js";
import { valueAt } from "./expectation.js";
import { storeOfFixture } from "./fixture-store.js";

/** What is asserted of a new fixture: true today, and worth keeping true. */
const STATS = [
  "totals.turns",
  "totals.requests",
  "totals.toolCalls",
  "totals.compactions",
  "metrics.cache.read_ratio.count",
  "metrics.cache.read_ratio.of",
];
const CHECKS = ["shell_stability", "tenant_scope", "retention_floor", "return_contract"];

/**
 * A fixture, as YAML, from a recorded session: its events as the door takes them, and assertions that hold now.
 * `stats` and `validate` are the JSON answers of the two commands for that session.
 */
export function newFixture(
  session: string,
  events: SessionEvent[],
  answers: { stats: unknown; validate: unknown },
  nowMs: number,
): string {
  const expected = (answer: unknown, paths: string[]) =>
    Object.fromEntries(paths.map((path) => [path, valueAt(answer, path) ?? null]));
  const document = new Document({
    about: `what was recorded of session ${session}`,
    now: new Date(nowMs).toISOString(),
    events: events.map(doorFormOf),
    assertions: [
      { stats: { session }, expect: expected(answers.stats, STATS) },
      {
        validate: { session },
        expect: expected(answers.validate, ["exit", ...CHECKS.map((id) => `checks.${id}.verdict`)]),
      },
    ],
  });
  visit(document, {
    Map(key, node) {
      if (key !== null && isMap(node)) node.flow = typeof key === "number" && !node.has("expect");
    },
    Pair(_, pair) {
      const name = (pair.key as Scalar | null)?.value;
      if (isMap(pair.value) && (name === "stats" || name === "validate")) pair.value.flow = true;
    },
  });
  return document.toString({ lineWidth: 0 });
}

/** Asks a store of its own that holds just these events, as the fixture will; the store is removed again. */
export async function withFixture<T>(
  events: SessionEvent[],
  { folder, nowMs }: { folder: string; nowMs: number },
  ask: (store: Store) => Promise<T>,
): Promise<T> {
  const home = mkdtempSync(join(folder, "sonny-fixture-"));
  try {
    const said = { file: "new", name: "new", about: null, nowMs, transcripts: [], questions: [] };
    const store = await storeOfFixture({ ...said, events: events.map(doorFormOf) }, join(home, "store.db"));
    try {
      return await ask(store);
    } finally {
      store.close();
    }
  } finally {
    rmSync(home, { recursive: true, force: true });
  }
}
