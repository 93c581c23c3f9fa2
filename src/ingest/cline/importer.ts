import type { Importer } from "../importer.js";
import { wholeDocuments } from "../whole.js";
import { LEVELS } from "./coverage.js";
import { recognises } from "./detect.js";
import { mayBe, places } from "./discover.js";
import { conversationOf } from "./parse.js";

/** Sessions of Cline's command line and SDK. */
export const cline: Importer = {
  agent: "cline",
  parserVersion: 1,
  whole: true,
  recognises,
  coverage: LEVELS,
  places,
  mayBe,
  map: wholeDocuments("cline", (file) => ({
    take: (record) => (recognises(record.value) ? conversationOf(record, file) : null),
    rest: () => null,
  })),
};
