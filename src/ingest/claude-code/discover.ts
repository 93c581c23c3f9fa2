import { readdirSync } from "node:fs";
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
    ...(variables.APPDATA ? [join(variables.APPDATA, "Claude")] : []),
    ...storeApps(variables.LOCALAPPDATA),
  ];
  return [
    ...configs.map((path) => join(path, "projects")),
    ...desktop.map((path) => join(path, "local-agent-mode-sessions")),
  ];
}

/** The desktop app as Windows' store installs it: a folder of its own, whose name carries a suffix. */
function storeApps(localData: string | undefined): string[] {
  if (!localData) return [];
  const packages = join(localData, "Packages");
  return names(packages)
    .filter((name) => /claude/i.test(name))
    .map((name) => join(packages, name, "LocalCache", "Roaming", "Claude"));
}

function names(folder: string): string[] {
  try {
    return readdirSync(folder).sort();
  } catch {
    return [];
  }
}

/** Names worth opening: every JSON lines file, but the journals of workflows. */
export function mayBe(fileName: string): boolean {
  return fileName.endsWith(".jsonl") && fileName !== "journal.jsonl";
}
