import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "uvu";
import * as assert from "uvu/assert";
import { mayBe, places } from "../../../src/ingest/claude-code/discover.js";

test("without settings both usual folders are looked in, and the desktop app's", () => {
  const found = places({ home: "/home/ann", variables: {} });
  for (const path of [
    "/home/ann/.claude/projects",
    "/home/ann/.config/claude/projects",
    "/home/ann/.config/Claude/local-agent-mode-sessions",
  ]) {
    assert.ok(found.includes(path), path);
  }
});

test("CLAUDE_CONFIG_DIR is a list and replaces the usual folders", () => {
  const found = places({ home: "/home/ann", variables: { CLAUDE_CONFIG_DIR: "/a, /b,," } });
  assert.equal(found.slice(0, 2), ["/a/projects", "/b/projects"]);
  assert.not.ok(found.includes("/home/ann/.claude/projects"));
});

test("the desktop app is found in each of Windows' places", () => {
  const local = mkdtempSync(join(tmpdir(), "sonny-local-"));
  mkdirSync(join(local, "Packages", "Claude_pzs8sxrjxfjjc"), { recursive: true });
  mkdirSync(join(local, "Packages", "Other_app"), { recursive: true });
  const found = places({ home: "/home/ann", variables: { APPDATA: "/roaming", LOCALAPPDATA: local } });
  rmSync(local, { recursive: true });
  assert.ok(found.includes(join("/roaming", "Claude", "local-agent-mode-sessions")));
  assert.ok(
    found.includes(
      join(local, "Packages", "Claude_pzs8sxrjxfjjc", "LocalCache", "Roaming", "Claude", "local-agent-mode-sessions"),
    ),
  );
  assert.not.ok(found.some((path) => path.includes("Other_app")));
});

test("journals of workflows are not transcripts", () => {
  assert.equal(["a.jsonl", "journal.jsonl", "a.json", "notes.md"].filter(mayBe), ["a.jsonl"]);
});

test.run();
