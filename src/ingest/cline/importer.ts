import type { Importer } from "../importer.js";
import { wholeDocuments } from "../whole.js";
import { LEVELS } from "./coverage.js";
import { recognises } from "./detect.js";
import { mayBe, places } from "./discover.js";
import { gather, isTask } from "./gather.js";
import { conversationOf } from "./parse.js";
import { passages } from "./passages.js";
import { taskOf } from "./task.js";

/** Sessions of Cline's command line and SDK, and tasks of its extension. */
export const cline: Importer = {
  agent: "cline",
  parserVersion: 2,
  whole: true,
  recognises,
  coverage: LEVELS,
  places,
  mayBe,
  gather,
  map: wholeDocuments(
    "cline",
    (file) => ({
      take(record) {
        if (isTask(record.value)) return taskOf(record);
        return recognises(record.value) ? conversationOf(record, file) : null;
      },
      rest: () => null,
    }),
    passages,
  ),
  passages,
};
