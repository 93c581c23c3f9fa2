import type { Passage } from "../retention/passages.js";
import type { Conversation } from "./conversation.js";
import type { Importer, MapOptions, Mapper, Tally, TranscriptFile } from "./importer.js";
import { sayConversation } from "./tell.js";
import type { Found } from "./values.js";

/** Makes conversations of the records of one document. */
export interface Reader {
  /** Takes a record; returns a conversation that it completes. */
  take(record: Found): Conversation | null;
  /** The conversation that all records together are. */
  rest(): Conversation | null;
}

/** Reads documents that are read again as a whole whenever they have changed. */
export function wholeDocuments(
  agent: string,
  reader: (file: TranscriptFile) => Reader,
  passages: NonNullable<Importer["passages"]>,
): Importer["map"] {
  return (file: TranscriptFile, options: MapOptions): Mapper => {
    const tally: Tally = { repeated: 0, withoutKey: 0 };
    const { take, rest } = reader(file);
    const tell = passages("main");
    const said: Passage[] = [];
    return {
      tally,
      // Nothing is gone on with.
      state: () => "",
      take(record, say) {
        const conversation = take(record);
        if (conversation === null) {
          said.push(...tell(record));
          return;
        }
        const end = record.offset + record.bytes.length;
        sayConversation(agent, conversation, end, () => passages("main")(record), { options, tally, say });
      },
      rest(offset, say) {
        const conversation = rest();
        if (conversation !== null) sayConversation(agent, conversation, offset, () => said, { options, tally, say });
      },
    };
  };
}
