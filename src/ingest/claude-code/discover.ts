import { join } from "node:path";
import type { Surroundings } from "../importer.js";

/**
 * Where Claude Code and Claude Desktop keep transcripts: `projects/` of each configuration folder, and the desktop
 * app's own sessions, which hold such folders several levels down.
 */
export function places({ home, variables }: Surroundings): string[] {
  const stated = (variables.CLAUDE_CONFIG_DIR ?? "").split(",").map((path) => path.trim());
  const configured = stated.filter((path) => path !== "");
  const configs = configured.length > 0 ? configured : [join(home, ".claude"), join(home, ".config", "claude")];
  const desktop = [
    join(home, "Library", "Application Support", "Claude"),
    join(variables.XDG_CONFIG_HOME || join(home, ".config"), "Claude"),
    ...[variables.APPDATA].filter((path) => path !== undefined && path !== "").map((path) => join(path!, "Claude")),
  ];
  return [
    ...configs.map((path) => join(path, "projects")),
    ...desktop.map((path) => join(path, "local-agent-mode-sessions")),
  ];
}

/** Names worth opening: every JSON lines file, but the journals of workflows. */
export function mayBe(fileName: string): boolean {
  return fileName.endsWith(".jsonl") && fileName !== "journal.jsonl";
}
