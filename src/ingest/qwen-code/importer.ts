import type { Importer } from "../importer.js";
import { wholeDocuments } from "../whole.js";
import { LEVELS } from "./coverage.js";
import { recognises } from "./detect.js";
import { mayBe, places } from "./discover.js";
import { sessionReader } from "./parse.js";
import { passages } from "./passages.js";

/** Sessions of Qwen Code. */
export const qwenCode: Importer = {
  agent: "qwen-code",
  parserVersion: 2,
  whole: true,
  recognises,
  coverage: LEVELS,
  places,
  mayBe,
  map: wholeDocuments("qwen-code", sessionReader, passages),
  passages,
};
