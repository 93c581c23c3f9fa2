import type { Importer } from "../importer.js";
import { wholeDocuments } from "../whole.js";
import { LEVELS } from "./coverage.js";
import { recognises } from "./detect.js";
import { mayBe, places } from "./discover.js";
import { gather } from "./gather.js";
import { conversationOf } from "./parse.js";
import { passages } from "./passages.js";

/** Sessions of opencode: its database, its storage folder, and exports. */
export const opencode: Importer = {
  agent: "opencode",
  parserVersion: 2,
  whole: true,
  recognises,
  coverage: LEVELS,
  places,
  mayBe,
  gather,
  map: wholeDocuments(
    "opencode",
    ({ path }) => ({
      take: (record) => (recognises(record.value) ? conversationOf(record, path) : null),
      rest: () => null,
    }),
    passages,
  ),
  passages,
};
