import type { Importer } from "../importer.js";
import { wholeDocuments } from "../whole.js";
import { cleanup, LEVELS } from "./coverage.js";
import { recognises } from "./detect.js";
import { mayBe, places } from "./discover.js";
import { chatReader } from "./parse.js";
import { passages } from "./passages.js";

/** Chats of Gemini CLI, as one document or in lines. */
export const geminiCli: Importer = {
  agent: "gemini-cli",
  parserVersion: 2,
  whole: true,
  recognises,
  coverage: LEVELS,
  places,
  cleanup,
  mayBe,
  map: wholeDocuments("gemini-cli", chatReader, passages),
  passages,
};
