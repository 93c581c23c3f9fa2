import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { type Home, home } from "../support/cli.js";

const test = suite<{ at: Home }>("configuration");
test.before.each((context) => {
  context.at = home();
});
test.after.each(({ at }) => at.cleanup());

/** The store that a command would open, as its complaint about a missing one names it. */
const named = (at: Home, words: string[], env: Record<string, string>) =>
  /at (\S+)/.exec(at.sonny(["context", "stats", ...words], { env }).stderr)?.[1];
const configure = (at: Home, text: string) => {
  mkdirSync(join(at.folder, ".sonny"));
  writeFileSync(join(at.folder, ".sonny", "config.yaml"), text);
};

test("the store is named by flag, then variable, then file, then our folder", ({ at }) => {
  assert.is(named(at, [], {}), join(at.folder, ".sonny/trace/cache.db"));
  assert.is(named(at, [], { SONNY_HOME: "elsewhere" }), join(at.folder, "elsewhere/trace/cache.db"));
  configure(at, "store: /from/file.db\n");
  assert.is(named(at, [], {}), "/from/file.db");
  assert.is(named(at, [], { SONNY_STORE: "/from/variable.db" }), "/from/variable.db");
  assert.is(named(at, ["--store", "flag.db"], { SONNY_STORE: "/from/variable.db" }), join(at.folder, "flag.db"));
});

test("an empty variable counts as not set", ({ at }) => {
  assert.is(named(at, [], { SONNY_HOME: "", SONNY_STORE: "" }), join(at.folder, ".sonny/trace/cache.db"));
});

for (const [name, text] of [
  ["an unknown setting", "stroe: x\n"],
  ["a setting of another type", "store: 3\n"],
  ["a list", "- store\n"],
  ["broken YAML", "store: [\n"],
] as const) {
  test(`${name} in the file is refused in one line that names the file`, ({ at }) => {
    configure(at, text);
    const ran = at.sonny(["context", "stats"]);
    assert.is(ran.code, 2);
    assert.match(ran.stderr, /^sonny: .*config\.yaml.*\n$/);
  });
}

test.run();
