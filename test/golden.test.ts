/**
 * Golden outputs: `fixtures/golden/*.txt` holds a command line, all that it printed, and how it exited. They are shown in
 * the pages, so a change of one is read like code. `UPDATE_GOLDEN=1` rewrites them.
 */
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { type Home, home } from "./support/cli.js";

const FOLDER = "fixtures/golden";
const test = suite<{ empty: Home; sample: Home }>("golden outputs");
test.before((context) => {
  context.empty = home();
  context.sample = home();
  context.sample.sonny(["import", "fixtures/demo"], { cwd: process.cwd() });
});
test.after(({ empty, sample }) => {
  empty.cleanup();
  sample.cleanup();
});

for (const name of readdirSync(FOLDER).sort()) {
  test(name, ({ empty, sample }) => {
    const file = join(FOLDER, name);
    const golden = readFileSync(file, "utf8");
    const line = golden.split("\n")[0]!;
    const words = line.replace(/^\$ sonny /, "").split(" ");
    const at = words[0] === "import" ? empty : sample;
    const { stdout, stderr, code } = at.sonny(words, { cwd: process.cwd(), env: { COLUMNS: "100" } });
    const steady = `${stdout}${stderr}`
      .replaceAll(at.folder, "~")
      .replaceAll(process.cwd(), "/home/ann/sonny")
      .replace(/ \S+ node-v\S+/, "");
    const now = `${line}\n${steady.trimEnd()}\nexit ${code}\n`;
    if (process.env.UPDATE_GOLDEN === "1") writeFileSync(file, now);
    else assert.fixture(now, golden);
  });
}

test.run();
