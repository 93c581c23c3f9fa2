import { readFileSync, statSync } from "node:fs";
import { dirname, resolve } from "node:path";
import * as v from "valibot";
import { LineCounter, parseDocument } from "yaml";
import { Failure } from "../failure.js";

/**
 * A fixture: a small recorded history and what must be true of it, in one YAML file.
 *
 *     about: one sentence                  # what this fixture is for
 *     now: 2026-08-01T12:00:00Z            # the moment from which `since: 7d` counts
 *     events: [ … ]                        # in the door's vocabulary, and/or
 *     transcripts: [ session.jsonl ]       # files beside the fixture, read like any transcript
 *     assertions:
 *       - stats: { session: s1, since: 7d }      # flags of `context stats`
 *         expect: { totals.turns: 4, metrics.cache.hit_rate: { count: 2, of: 4 } }
 *       - validate: { session: s1 }              # flags of `context validate`
 *         expect: { exit: 1, checks.shell_stability.verdict: violated }
 *
 * `expectFailure` instead of `expect` marks assertions that are known to fail: each is listed as such and never counts
 * as passed; when one starts to pass, the run fails until the mark is removed.
 */
export interface Fixture {
  file: string;
  name: string;
  about: string | null;
  nowMs: number;
  events: unknown[];
  /** Absolute paths. */
  transcripts: string[];
  questions: Question[];
}

export interface Question {
  ask: "stats" | "validate";
  flags: Record<string, string | number | boolean>;
  /** Path into the JSON answer → wanted value. */
  wanted: [path: string, expected: unknown][];
  expectFailure: boolean;
}

const flags = v.record(v.string(), v.union([v.string(), v.number(), v.boolean()]));
const wanted = v.pipe(
  v.record(v.string(), v.unknown()),
  v.check((map) => Object.keys(map).length > 0, "asserts nothing"),
);
const question = v.pipe(
  v.strictObject({
    stats: v.optional(v.nullable(flags)),
    validate: v.optional(v.nullable(flags)),
    expect: v.optional(wanted),
    expectFailure: v.optional(wanted),
  }),
  v.check(
    ({ stats, validate }) => (stats === undefined) !== (validate === undefined),
    "needs either stats or validate",
  ),
  v.check(
    ({ expect, expectFailure }) => expect !== undefined || expectFailure !== undefined,
    "needs expect or expectFailure",
  ),
);
const shape = v.strictObject({
  about: v.optional(v.string()),
  now: v.optional(v.pipe(v.string(), v.isoTimestamp("must be a time such as 2026-08-01T12:00:00Z"))),
  events: v.optional(v.nullable(v.array(v.unknown())), []),
  transcripts: v.optional(v.array(v.string()), []),
  assertions: v.pipe(v.array(question), v.minLength(1, "a fixture without assertions proves nothing")),
});

/** Reads one fixture; what is wrong in it is a `Failure` that names file, line or field. */
export function readFixture(file: string, nowMs: number): Fixture {
  const parsed = v.safeParse(shape, yamlOf(file), { abortEarly: true });
  if (!parsed.success) {
    const [issue] = parsed.issues;
    throw new Failure("fixture.invalid", `${file}: ${v.getDotPath(issue) ?? "the file"}: ${issue.message}`);
  }
  const { about, now, events, transcripts, assertions } = parsed.output;
  return {
    file,
    name: nameOf(file),
    about: about ?? null,
    nowMs: now === undefined ? nowMs : Date.parse(now),
    events: events ?? [],
    transcripts: transcripts.map((path) => resolve(dirname(file), path)),
    questions: assertions.flatMap(({ stats, validate, expect, expectFailure }) => {
      const base = {
        ask: stats === undefined ? ("validate" as const) : ("stats" as const),
        flags: stats ?? validate ?? {},
      };
      return [
        ...(expect === undefined ? [] : [{ ...base, wanted: Object.entries(expect), expectFailure: false }]),
        ...(expectFailure === undefined
          ? []
          : [{ ...base, wanted: Object.entries(expectFailure), expectFailure: true }]),
      ];
    }),
  };
}

function nameOf(file: string): string {
  return file
    .split(/[\\/]/)
    .at(-1)!
    .replace(/\.ya?ml$/, "");
}

function yamlOf(file: string): unknown {
  let text: string;
  if (statSync(file, { throwIfNoEntry: false })?.isFile() === false) {
    throw new Failure("fixture.unreadable", `${file} is not a file`);
  }
  try {
    text = readFileSync(file, "utf8");
  } catch (cause) {
    throw new Failure("fixture.unreadable", `${file} cannot be read: ${(cause as NodeJS.ErrnoException).code}`, {
      cause,
    });
  }
  const lines = new LineCounter();
  const document = parseDocument(text, { lineCounter: lines, uniqueKeys: true });
  const [error] = document.errors;
  if (error !== undefined) {
    const line = lines.linePos(error.pos[0]).line;
    throw new Failure("fixture.invalid", `${file}:${line}: not YAML: ${error.message.split("\n")[0]}`);
  }
  try {
    return document.toJS({ maxAliasCount: 1000 });
  } catch (cause) {
    throw new Failure("fixture.invalid", `${file}: ${(cause as Error).message.split("\n")[0]}`, { cause });
  }
}
