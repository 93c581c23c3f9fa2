import type { CompactionFact } from "../../events/event.js";
import { compactionFact } from "../../events/facts.js";
import { digestOf, eventIdOf, hexOf } from "../../events/identity.js";
import { checkpointFault } from "../../retention/degenerate.js";
import { contentFact } from "../content.js";
import type { Say } from "../importer.js";
import { decoded } from "../json.js";
import { compactedContext } from "./live.js";
import { AGENT, headerOf, keyOf, type Place } from "./place.js";
import type { CompactionRecord } from "./records.js";
import type { Entry, OpenCompaction } from "./state.js";

/** A compaction tells its checkpoint and what the context was; what it came to, the next request shows. */
export function sayCompaction(place: Place, record: CompactionRecord, entry: Entry): void {
  const { file, say } = place;
  const { text, tokensBefore } = record;
  compactionEnds(place, null);
  const digest = text === null ? null : hexOf(digestOf(text, "latin1"));
  const header = headerOf(place);
  file.compaction = {
    key: keyOf(place, null, ["compaction", digest]),
    header,
    tokensBefore,
    ...compactedContext(file, entry, record),
    checkpoint:
      digest === null
        ? null
        : { digest, bytes: text!.length, fault: faultOf(place, decoded(text!), digest, tokensBefore) },
  };
  file.checkpoint = digest ?? file.checkpoint;
  file.compacted = true;
  if (text !== null && place.options.content) say(contentFact(header, text));
}

function faultOf({ file }: Place, text: string, digest: string, removedTokens: number | null): string {
  return checkpointFault(text, { removedTokens, repeatsEarlier: file.checkpoint === digest });
}

/** The first request after a compaction. */
export function compactionEnds({ file, say }: Place, tokensAfter: number | null): void {
  if (file.compaction !== null) sayOpen(file.compaction, say, tokensAfter);
  file.compaction = null;
}

/** Says the compaction as far as it was told. */
export function sayOpen(open: OpenCompaction, say: Say, tokensAfter: number | null = null): void {
  const { context, replacement } = open;
  say(compactionOf(open, tokensAfter), { context, replacement: [replacement] });
}

/** The version of the client is not recorded. */
function compactionOf(open: OpenCompaction, tokensAfter: number | null): CompactionFact {
  const { key, header, tokensBefore, checkpoint, kept } = open;
  return compactionFact(eventIdOf("compaction", AGENT, key), header, {
    tokensBefore,
    tokensAfter,
    countMethod: tokensBefore === null || tokensAfter === null ? null : "recorded>next_request",
    summaryDigest: checkpoint === null ? null : Buffer.from(checkpoint.digest, "hex"),
    summaryBytes: checkpoint?.bytes ?? null,
    checkpointFault: checkpoint?.fault ?? null,
    items: kept.map((messageId) => ({ messageId, fate: "kept", tokens: null })),
  });
}
