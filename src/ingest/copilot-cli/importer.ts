import type { Importer } from "../importer.js";
import { wholeDocuments } from "../whole.js";
import { LEVELS } from "./coverage.js";
import { recognises } from "./detect.js";
import { mayBe, places } from "./discover.js";
import { sessionReader } from "./parse.js";
import { passages } from "./passages.js";

/** Events of Copilot CLI's sessions. */
export const copilotCli: Importer = {
  agent: "copilot-cli",
  parserVersion: 2,
  whole: true,
  recognises,
  coverage: LEVELS,
  places,
  mayBe,
  map: wholeDocuments("copilot-cli", sessionReader, passages),
  passages,
};
