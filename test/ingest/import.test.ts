import {
  appendFileSync,
  chmodSync,
  linkSync,
  mkdirSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import * as fc from "fast-check";
import { test } from "uvu";
import * as assert from "uvu/assert";
import { CursorMoved, type Sink, type SourceBatch } from "../../src/events/sink.js";
import { claudeCode } from "../../src/ingest/claude-code/importer.js";
import { importFiles } from "../../src/ingest/import.js";
import type { Importer, Say } from "../../src/ingest/importer.js";
import { storeSink } from "../../src/store/sink.js";
import {
  attachment,
  boundary,
  call,
  checkpoint,
  prompt,
  reply,
  result,
  system,
  transcript,
} from "../support/claude.js";
import { NOON } from "../support/events.js";
import { type Imported, imported } from "../support/import.js";

/** A conversation with some of everything. */
const lines = [
  { type: "summary", summary: "An old title", leafUuid: "x" },
  prompt("do it", { uuid: "p1" }),
  reply({ id: "m1", stop: null, content: [{ type: "text", text: "I will" }] }),
  call("toolu_0000000000000001", "Read", { file_path: "/a.ts" }, { id: "m1" }),
  result("toolu_0000000000000001", "text of a"),
  call("toolu_0000000000000002", "Task", { prompt: "look", subagent_type: "Explore" }, { id: "m2" }),
  prompt("look", { uuid: "side-1", isSidechain: true }),
  reply({ id: "m3" }, { isSidechain: true, parentUuid: "side-1", uuid: "side-2" }),
  result("toolu_0000000000000002", [{ type: "text", text: "found" }]),
  reply({ id: "m4", stop: null }),
  reply({ id: "m4" }),
  system("turn_duration", { durationMs: 5 }),
  { type: "custom-title", customTitle: "Given title", sessionId: "s1" },
  attachment({ type: "deferred_tools_delta", addedNames: ["X"] }),
  boundary({ trigger: "auto", preTokens: 160_000 }),
  checkpoint("1. The user asked for `a.ts` to be read.\n2. It was read."),
  prompt("go on", { uuid: "p2" }),
  reply({ id: "m5" }),
  call("toolu_0000000000000003", "Bash", { command: "ls" }, { id: "m5", stop: "tool_use" }),
];
const text = transcript(...lines);

/** The store's content, but for what only tells where files lie, and how far and when they were read. */
function told(held: Imported): string[] {
  const { sources: _, ...rest } = held.dump();
  const rows = Object.entries(rest).flatMap(([table, rows]) => rows.map((row) => `${table} ${row}`));
  return rows.map((row) => row.replace(/[^" ]*\/sonny-test-[^"/ ]*\/(?:t\/)?/g, ""));
}

/** Rows of which only one side knows. */
function difference(held: Imported): string[] {
  const [mine, theirs] = [told(held), expected()];
  return [
    ...mine.filter((row) => !theirs.includes(row)).map((row) => `+ ${row}`),
    ...theirs.filter((row) => !mine.includes(row)).map((row) => `- ${row}`),
  ];
}

/** What one import of the whole text tells. */
const expected = (() => {
  let rows: string[] | null = null;
  return () => {
    if (rows === null) {
      const held = imported({ "s1.jsonl": text });
      rows = told(held);
      held.cleanup();
    }
    return rows;
  };
})();

test("a file that has not changed is not opened", () => {
  const held = imported({ "s1.jsonl": text });
  assert.is(held.report.files.read, 1);
  const before = held.dump();
  const again = held.again();
  assert.equal(again.files, { found: 1, read: 0, unchanged: 1, refused: 0 });
  assert.is(again.bytes.read, 0);
  assert.equal(held.dump(), before);
  held.cleanup();
});

test("after an appended line only that line is read", () => {
  const held = imported({ "s1.jsonl": text.repeat(1) });
  const more = transcript(reply({ id: "m9" }));
  held.append("s1.jsonl", more);
  const again = held.again();
  assert.is(again.requests.kept, 1);
  assert.ok(again.bytes.read <= more.length + 65 + 1024, `${again.bytes.read} bytes`);
  held.cleanup();
});

test("a touched file is looked at and gives nothing new", () => {
  const held = imported({ "s1.jsonl": text });
  const before = told(held);
  utimesSync(held.path("s1.jsonl"), 1, 1);
  assert.is(held.again().files.read, 1);
  assert.equal(told(held), before);
  assert.is(held.again().files.unchanged, 1);
  held.cleanup();
});

test("a rewritten or shortened file replaces what it said", () => {
  const held = imported({ "s1.jsonl": text });
  held.write("s1.jsonl", transcript(prompt("new", { uuid: "n1" }), reply({ id: "new" }), ...lines));
  held.again();
  assert.is(held.value("SELECT count(*) FROM requests WHERE message_id = 'new'"), 1);
  held.write("s1.jsonl", text);
  held.again();
  assert.equal(difference(held), []);
  held.cleanup();
});

test("a newer parser reads everything again and replaces what the older one said", () => {
  const held = imported({ "s1.jsonl": text });
  const newer = { ...claudeCode, parserVersion: claudeCode.parserVersion + 1 };
  assert.is(held.again({ importers: [newer] }).lines.read, lines.length);
  assert.equal(difference(held), []);
  assert.is(held.again({ importers: [newer] }).files.unchanged, 1);
  held.cleanup();
});

test("asking for content or a tenant later reads the file again", () => {
  const held = imported({ "s1.jsonl": text });
  assert.is(held.value("SELECT count(*) FROM contents"), 0);
  assert.is(held.again({ content: true }).files.read, 1);
  assert.ok((held.value("SELECT count(*) FROM contents") as number) > 0);
  assert.is(held.again({ content: true, tenant: "acme" }).files.read, 1);
  assert.is(held.value("SELECT count(*) FROM requests WHERE tenant IS NULL"), 0);
  assert.is(held.again({}).files.unchanged, 1);
  held.cleanup();
});

test("wherever an import is cut and run again, the store is that of one import", () => {
  fc.assert(
    fc.property(fc.array(fc.integer({ min: 0, max: text.length }), { maxLength: 4 }), (cuts) => {
      const held = imported({});
      const path = held.write("t/s1.jsonl", "");
      for (const cut of [...cuts.sort((a, b) => a - b), text.length]) {
        writeFileSync(path, text.slice(0, cut));
        held.again({}, [path]);
      }
      assert.equal(difference(held), []);
      held.cleanup();
    }),
    { numRuns: 60 },
  );
});

test("the size of the parts does not change the store", () => {
  for (const commitEvents of [1, 2, 3, 7]) {
    const held = imported({ "s1.jsonl": text }, { commitEvents });
    assert.equal(difference(held), [], `${commitEvents} events`);
    held.cleanup();
  }
  const held = imported({ "s1.jsonl": text }, { commitBytes: 1 });
  assert.equal(difference(held), []);
  held.cleanup();
});

test("an import that dies after any commit is simply run again", () => {
  for (let commits = 0; commits < 20; commits += 1) {
    const held = imported({});
    const path = held.write("s1.jsonl", text);
    const sink = storeSink(held.store, { nowMs: () => NOON, machine: null });
    let left = commits;
    const dying: Sink = {
      cursorOf: sink.cursorOf,
      append(parts) {
        if (left === 0) throw new Error("killed");
        left -= 1;
        return sink.append(parts);
      },
    };
    try {
      importFiles([path], dying, { commitEvents: 2 });
    } catch (error) {
      assert.is((error as Error).message, "killed");
    }
    held.again({ commitEvents: 2 }, [path]);
    assert.equal(difference(held), [], `${commits} commits`);
    held.cleanup();
  }
});

test("deleted sources keep what they said", () => {
  const held = imported({ "a.jsonl": text, "b.jsonl": transcript(prompt("x", { sessionId: "s2" })) });
  const before = held.dump();
  rmSync(held.path("a.jsonl"));
  held.again();
  assert.equal(held.dump(), before);
  held.cleanup();
});

test("many small files share one commit", () => {
  const held = imported({});
  for (let i = 0; i < 30; i += 1) held.write(`${i}.jsonl`, transcript(reply({ id: `m-${i}` }, { sessionId: `s${i}` })));
  const sink = storeSink(held.store, { nowMs: () => NOON, machine: null });
  const sizes: number[] = [];
  const counted: Sink = {
    cursorOf: sink.cursorOf,
    append(parts: SourceBatch[]) {
      sizes.push(parts.length);
      return sink.append(parts);
    },
  };
  importFiles([held.folder], counted);
  assert.equal(sizes, [30]);
  held.cleanup();
});

test("a file that somebody else imported meanwhile is read again from its new place", () => {
  const held = imported({ "a.jsonl": text });
  held.append("a.jsonl", transcript(reply({ id: "m9" })));
  const sink = storeSink(held.store, { nowMs: () => NOON, machine: null });
  let raced = false;
  const racing: Sink = {
    cursorOf: sink.cursorOf,
    append(parts) {
      if (!raced) {
        raced = true;
        held.again();
      }
      return sink.append(parts);
    },
  };
  const report = importFiles([held.path("a.jsonl")], racing);
  assert.equal([report.files.refused, report.requests.kept], [0, 0]);
  assert.is(held.value("SELECT count(*) FROM requests WHERE message_id = 'm9'"), 1);
  const losing: Sink = {
    cursorOf: sink.cursorOf,
    append: ([part]) => {
      throw new CursorMoved(part!.source);
    },
  };
  held.append("a.jsonl", transcript(reply({ id: "m10" })));
  assert.is(importFiles([held.path("a.jsonl")], losing).refused[0]!.reason, "is being imported by another process");
  held.cleanup();
});

test("loops of links end, and a file with several names is read once", () => {
  const held = imported({ "in/a.jsonl": text });
  symlinkSync(held.path("in"), held.path("in/loop"));
  symlinkSync(held.path("in"), held.path("other"));
  symlinkSync(held.path("nowhere"), held.path("in/broken.jsonl"));
  linkSync(held.path("in/a.jsonl"), held.path("in/b.jsonl"));
  const again = held.again();
  assert.equal([again.files.unchanged, again.files.read], [1, 0]);
  assert.equal(
    again.refused.map(({ reason }) => reason),
    ["does not exist"],
  );
  held.cleanup();
});

test("what is no transcript is refused with a reason, and the rest is read", () => {
  const held = imported({
    "good.jsonl": text,
    "empty.jsonl": "",
    "binary.jsonl": Buffer.from([0, 1, 2, 3, 255]),
    "other.jsonl": '{"role":"user","content":"hi"}\n',
    "log.jsonl": `${"[12:00:00] started\n".repeat(20)}${text}`,
    "wide.jsonl": Buffer.from(`\ufeff${text}`, "utf16le"),
    "notes.txt": "not looked at",
  });
  assert.equal(held.report.files, { found: 6, read: 1, unchanged: 1, refused: 4 });
  assert.ok(held.report.refused.every(({ reason }) => reason === "not a transcript of a known agent"));
  held.cleanup();
});

test("paths that are missing or are neither file nor folder are refused", () => {
  const held = imported({ "good.jsonl": text });
  const report = held.again({}, [held.path("missing"), "/dev/null", held.path("good.jsonl")]);
  assert.equal(
    report.refused.map(({ reason }) => reason),
    ["does not exist", "neither a file nor a folder"],
  );
  assert.is(report.files.unchanged, 1);
  held.cleanup();
});

test("a file that may not be read is refused", () => {
  if (process.getuid?.() === 0) return;
  const held = imported({});
  chmodSync(held.write("closed.jsonl", text), 0);
  assert.is(held.again().refused[0]!.reason, "may not be read");
  held.cleanup();
});

test("an event that contradicts itself is left out, counted and named, and everything else is kept", () => {
  const odd: Importer = {
    ...claudeCode,
    map(file, options, state) {
      const mapper = claudeCode.map(file, options, state);
      const spoilt = (say: Say): Say => {
        return (event, replaced) =>
          say(event.kind === "request" && event.messageId === "m3" ? { ...event, outputTokens: -1 } : event, replaced);
      };
      return {
        ...mapper,
        take: (record, say) => mapper.take(record, spoilt(say)),
        rest: (offset, say) => mapper.rest(offset, spoilt(say)),
      };
    },
  };
  const files = { "a.jsonl": text, "b.jsonl": transcript(reply({ id: "other" }, { sessionId: "s2" })) };
  const held = imported(files, { importers: [odd] });
  const whole = imported(files);
  assert.is(held.report.requests.kept, whole.report.requests.kept - 1);
  assert.equal([held.report.files.read, held.report.events.refused], [2, 1]);
  const [refused] = held.report.refusedEvents;
  assert.equal([refused!.path, refused!.line], [held.path("a.jsonl"), 8]);
  assert.match(refused!.reason, /^the request [0-9a-f]{32} of session s1 contradicts itself: /);
  assert.is(held.again({ importers: [odd] }).files.unchanged, 2);
  held.cleanup();
  whole.cleanup();
});

test("progress tells files and bytes", () => {
  const held = imported({});
  mkdirSync(held.path("t"));
  for (const name of ["a", "b"]) appendFileSync(held.path(`t/${name}.jsonl`), text);
  const seen: unknown[] = [];
  held.again({ onProgress: (progress) => seen.push({ ...progress }) }, [held.path("t")]);
  const bytes = Buffer.byteLength(text) * 2;
  assert.equal(seen, [
    { files: 2, filesDone: 1, bytes, bytesDone: bytes / 2 },
    { files: 2, filesDone: 2, bytes, bytesDone: bytes },
  ]);
  held.cleanup();
});

test.run();
