import { claudeCode } from "./claude-code/importer.js";
import { cline } from "./cline/importer.js";
import { codex } from "./codex/importer.js";
import { copilotCli } from "./copilot-cli/importer.js";
import { geminiCli } from "./gemini-cli/importer.js";
import type { Importer } from "./importer.js";
import { kimi } from "./kimi/importer.js";
import { opencode } from "./opencode/importer.js";
import { pi } from "./pi/importer.js";
import { qwenCode } from "./qwen-code/importer.js";

/** Every agent whose transcripts can be read. */
export const importers: readonly Importer[] = [
  claudeCode,
  cline,
  codex,
  copilotCli,
  geminiCli,
  kimi,
  opencode,
  pi,
  qwenCode,
];
