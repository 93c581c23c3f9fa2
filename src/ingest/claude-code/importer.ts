import type { Importer } from "../importer.js";
import { cleanup, LEVELS } from "./coverage.js";
import { recognises } from "./detect.js";
import { mayBe, places } from "./discover.js";
import { map } from "./map.js";
import { passages } from "./passages.js";
import { AGENT } from "./place.js";

/** Transcripts of Claude Code. */
export const claudeCode: Importer = {
  agent: AGENT,
  parserVersion: 3,
  recognises,
  coverage: LEVELS,
  places,
  cleanup,
  mayBe,
  map,
  passages,
};
