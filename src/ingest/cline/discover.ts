import { join } from "node:path";
import type { Surroundings } from "../importer.js";

/** Sessions of the command line and the SDK, each in a folder of its own; then tasks of the extension, editor by editor. */
export function places({ home, variables }: Surroundings): string[] {
  const data = join(variables.CLINE_DIR || join(home, ".cline"), "data");
  const settings = [
    variables.XDG_CONFIG_HOME || join(home, ".config"),
    join(home, "Library", "Application Support"),
    ...(variables.APPDATA ? [variables.APPDATA] : []),
  ];
  const tasks = settings.flatMap((folder) =>
    EDITORS.map((editor) => join(folder, editor, "User", "globalStorage", "saoudrizwan.claude-dev", "tasks")),
  );
  return [join(data, "sessions"), join(data, "tasks"), ...tasks];
}

const EDITORS = ["Code", "Code - Insiders", "VSCodium", "Cursor", "Windsurf"];

export function mayBe(fileName: string): boolean {
  return fileName.endsWith(".messages.json") || fileName === "ui_messages.json";
}
