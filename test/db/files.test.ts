import { execFileSync } from "node:child_process";
import {
  chmodSync,
  chownSync,
  existsSync,
  lchownSync,
  linkSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { createServer } from "node:net";
import { dirname, join } from "node:path";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { digestOf } from "../../src/events/identity.js";
import { Failure } from "../../src/failure.js";
import { openStore } from "../../src/store/open.js";
import { request } from "../support/events.js";
import { asNobody, canBeNobody } from "../support/process.js";
import { append, temporaryFolder } from "../support/store.js";

const test = suite<{ folder: string }>("files", { folder: "" });
test.before.each((context) => {
  context.folder = temporaryFolder();
});
test.after.each(({ folder }) => rmSync(folder, { recursive: true, force: true }));

const mode = (path: string) => (statSync(path).mode & 0o777).toString(8);
const open = (path: string, how: "read" | "write" = "write") => openStore(path, { mode: how, nowMs: 1 });
const codeOf = (work: () => unknown): string => {
  try {
    work();
    return "no failure";
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    assert.ok(error.message.includes("/"), `${error.message} names no path`);
    assert.ok(error.tries.length > 0, `${error.code} tries nothing`);
    return error.code;
  }
};

for (const umask of [0o000, 0o022, 0o077]) {
  test(`a new store is private under umask ${umask.toString(8).padStart(3, "0")}`, ({ folder }) => {
    const before = process.umask(umask);
    try {
      const path = join(folder, "home", "trace", "cache.db");
      const store = open(path);
      append(store, [request()]);
      assert.equal([mode(join(folder, "home")), mode(join(folder, "home", "trace"))], ["700", "700"]);
      for (const suffix of ["", "-wal", "-shm", ".mark"]) assert.is(mode(path + suffix), "600", suffix);
      store.close();
      assert.equal(readdirSync(join(folder, "home", "trace")).sort(), ["cache.db", "cache.db.mark"]);
    } finally {
      process.umask(before);
    }
  });
}

test("looser rights of files and of a folder that holds only the store are taken away", ({ folder }) => {
  const path = join(folder, "trace", "cache.db");
  const first = open(path);
  append(first, [request()]);
  for (const suffix of ["", "-wal", "-shm", ".mark"]) chmodSync(path + suffix, 0o666);
  chmodSync(join(folder, "trace"), 0o777);
  const second = open(path);
  for (const suffix of ["", "-wal", "-shm", ".mark"]) assert.is(mode(path + suffix), "600", suffix);
  assert.is(mode(join(folder, "trace")), "700");
  first.close();
  second.close();
});

test("a folder that holds other things keeps its rights", ({ folder }) => {
  writeFileSync(join(folder, "work.txt"), "");
  chmodSync(folder, 0o755);
  open(join(folder, "cache.db")).close();
  assert.is(mode(folder), "755");
});

test("reading changes neither rights nor bytes; only SQLite's own files may appear", ({ folder }) => {
  const path = join(folder, "cache.db");
  open(path).close();
  chmodSync(path, 0o644);
  const before = contents(folder);
  open(path, "read").close();
  assert.is(mode(path), "644");
  assert.equal(
    contents(folder).filter((file) => !/-(wal|shm) /.test(file)),
    before,
  );
});

test("a link of one's own is followed", ({ folder }) => {
  open(join(folder, "real.db")).close();
  symlinkSync("real.db", join(folder, "link.db"));
  const store = open(join(folder, "link.db"));
  assert.ok(store.path.endsWith("/real.db"));
  append(store, [request()]);
  assert.ok(existsSync(join(folder, "real.db-wal")));
  store.close();
});

/** What stands at the path, and the failure it leads to, reading and writing. */
const odd: [string, (path: string) => unknown, string, string][] = [
  ["nothing", () => {}, "store.missing", "no failure"],
  ["a missing folder", (path) => rmSync(dirname(path), { recursive: true }), "store.missing", "no failure"],
  ["a folder", (path) => mkdirSync(path), "store.not_a_file", "store.not_a_file"],
  ["a pipe", (path) => execFileSync("mkfifo", [path]), "store.not_a_file", "store.not_a_file"],
  ["a link to a device", (path) => symlinkSync("/dev/null", path), "store.not_a_file", "store.not_a_file"],
  ["a link that leads nowhere", (path) => symlinkSync("nowhere", path), "store.dangling", "store.dangling"],
  ["a link to itself", (path) => symlinkSync(path, path), "store.dangling", "store.dangling"],
  [
    "a file as folder",
    (path) => {
      rmSync(dirname(path), { recursive: true });
      writeFileSync(dirname(path), "");
    },
    "store.unreachable",
    "store.unreachable",
  ],
  ["an empty file", (path) => writeFileSync(path, ""), "store.empty", "store.empty"],
  [
    "a text",
    (path) => writeFileSync(path, "SQLite format 3, or so we say\n".repeat(10)),
    "store.foreign",
    "store.foreign",
  ],
  ["zeros", (path) => writeFileSync(path, Buffer.alloc(8192)), "store.foreign", "store.foreign"],
  [
    "a header that is cut",
    (path) => writeFileSync(path, "SQLite format 3\0 and no more"),
    "store.damaged",
    "store.damaged",
  ],
  ["a database of another program", (path) => foreignDatabase(path), "store.foreign", "store.foreign"],
];
for (const [what, put, reading, writing] of odd) {
  test(`${what} at the path: reading ${reading}, writing ${writing}`, ({ folder }) => {
    mkdirSync(join(folder, "sub"));
    const path = join(folder, "sub", "cache.db");
    put(path);
    const before = contents(folder);
    assert.is(
      codeOf(() => open(path, "read").close()),
      reading,
    );
    assert.equal(contents(folder), before, "reading left something");
    assert.is(
      codeOf(() => open(path).close()),
      writing,
    );
    if (writing !== "no failure") assert.equal(contents(folder), before, "writing left something");
  });
}

test("a socket is not a store", async ({ folder }) => {
  const server = createServer();
  await new Promise<void>((listening) => server.listen(join(folder, "s"), listening));
  assert.is(
    codeOf(() => open(join(folder, "s"))),
    "store.not_a_file",
  );
  await new Promise((closed) => server.close(closed));
});

test("names that no file can have", ({ folder }) => {
  assert.is(
    codeOf(() => open(join(folder, "a\0b"))),
    "store.unreachable",
  );
  assert.is(
    codeOf(() => open(join(folder, "x".repeat(300)))),
    "store.unreachable",
  );
});

test("SQLite's own files are never followed elsewhere", ({ folder }) => {
  const path = join(folder, "cache.db");
  open(path).close();
  writeFileSync(join(folder, "victim"), "");
  symlinkSync(join(folder, "victim"), `${path}-wal`);
  assert.is(
    codeOf(() => open(path)),
    "store.symlink",
  );
  assert.is(statSync(join(folder, "victim")).size, 0);
});

test("a name that is taken while the store is made wins, a link to nowhere is not followed", ({ folder }) => {
  const path = join(folder, "cache.db");
  open(path).close();
  linkSync(path, join(folder, "same.db"));
  const [one, other] = [open(path), open(join(folder, "same.db"), "read")];
  one.close();
  other.close();
  symlinkSync(join(folder, "made-by-nobody"), join(folder, "dangling.db"));
  assert.is(
    codeOf(() => open(join(folder, "dangling.db"))),
    "store.dangling",
  );
  assert.not.ok(existsSync(join(folder, "made-by-nobody")));
});

if (canBeNobody) {
  const NOBODY = 65534;

  test("another user's file and another user's link are not written", ({ folder }) => {
    const path = join(folder, "cache.db");
    open(path).close();
    symlinkSync("cache.db", join(folder, "link.db"));
    lchownSync(join(folder, "link.db"), NOBODY, NOBODY);
    assert.is(
      codeOf(() => open(join(folder, "link.db"))),
      "store.foreign_link",
    );
    assert.is(
      codeOf(() => open(join(folder, "link.db"), "read")),
      "store.foreign_link",
    );
    chownSync(path, NOBODY, NOBODY);
    assert.is(
      codeOf(() => open(path)),
      "store.not_yours",
    );
  });

  test("a file without rights, and a folder without rights, are failures", ({ folder }) => {
    const path = join(folder, "cache.db");
    open(path).close();
    chmodSync(folder, 0o755);
    assert.is((asNobody("open-child.ts", [path, "read"]) as { code: string }).code, "store.forbidden");
    chmodSync(folder, 0o700);
    assert.is((asNobody("open-child.ts", [path, "write"]) as { code: string }).code, "store.forbidden");
  });

  test("a store in a folder one cannot write to is read from a copy, rows of its log included", ({ folder }) => {
    const trace = join(folder, "trace");
    const path = join(trace, "cache.db");
    const writer = open(path);
    append(writer, [request({ id: "1" })]);
    execFileSync("cp", [path, `${path}-wal`, folder]);
    writer.close();
    rmSync(trace, { recursive: true });
    mkdirSync(trace);
    execFileSync("cp", [join(folder, "cache.db"), join(folder, "cache.db-wal"), trace]);
    for (const suffix of ["", "-wal"]) chownSync(path + suffix, NOBODY, NOBODY);
    chownSync(trace, NOBODY, NOBODY);
    chmodSync(folder, 0o755);
    chmodSync(trace, 0o555);
    const before = contents(trace);
    assert.equal(asNobody("open-child.ts", [path, "read"]), { requests: 1, copies: 1, copiesLeft: 0 });
    assert.equal(contents(trace), before);
    assert.is((asNobody("open-child.ts", [path, "write"]) as { code: string }).code, "store.forbidden");
  });

  test("an ordinary user makes a private store", ({ folder }) => {
    chmodSync(folder, 0o777);
    const path = join(folder, "theirs", "cache.db");
    assert.equal(asNobody("open-child.ts", [path, "write"]), { requests: 1, copies: 0, copiesLeft: 0 });
    assert.equal([mode(path), mode(join(folder, "theirs")), statSync(path).uid], ["600", "700", NOBODY]);
  });
} else {
  console.log("4 checks not run: they need root and setpriv");
}

test.run();

function foreignDatabase(path: string): void {
  execFileSync(process.execPath, [
    "-e",
    `const D=require("better-sqlite3");const d=new D(${JSON.stringify(path)});d.exec("create table t(a)");d.close()`,
  ]);
}

/** Names and bytes below a folder. */
function contents(folder: string): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .map((entry) => ({ path: join(entry.parentPath, entry.name), isFile: entry.isFile() }))
    .map(({ path, isFile }) => `${path} ${isFile ? digestOf(readFileSync(path)).toString("hex") : ""}`)
    .sort();
}
