import type { Importer } from "../importer.js";
import { LEVELS } from "./coverage.js";
import { recognises } from "./detect.js";
import { mayBe, places } from "./discover.js";
import { map } from "./map.js";
import { passages } from "./passages.js";
import { AGENT } from "./place.js";

/** Rollouts of Codex CLI. */
export const codex: Importer = {
  agent: AGENT,
  parserVersion: 2,
  recognises,
  coverage: LEVELS,
  places,
  mayBe,
  map,
  passages,
};
