import type { CompactionFact } from "../../events/event.js";
import { compactionFact } from "../../events/facts.js";
import { digestOf, eventIdOf, hexOf } from "../../events/identity.js";
import { checkpointFault } from "../../retention/degenerate.js";
import { contentFact } from "../content.js";
import type { Say } from "../importer.js";
import { decoded } from "../json.js";
import { compactedContext } from "./live.js";
import { AGENT, headerOf, type Place } from "./place.js";
import type { CompactionRecord } from "./records.js";
import type { FileState, OpenCompaction } from "./state.js";

/**
 * A compaction is one record; what the context was is known from the request before it, what it came to from the
 * request after it. The compaction's own request is not in the counter. Checkpoints made by the provider are encrypted.
 */
export function sayCompaction(place: Place, { text, messagesAfter, kept }: CompactionRecord): void {
  const { file, offset, end } = place;
  compactionEnds(place, null);
  file.since.compactions += 1;
  file.seen.compactions += 1;
  file.seen.encrypted += text === "" ? 1 : 0;
  const digest = text === "" ? null : hexOf(digestOf(text, "latin1"));
  file.compaction = {
    key: `${file.chain || file.root}/${file.since.compactions}`,
    header: headerOf(place),
    tokensBefore: file.contextTokens,
    messagesAfter,
    ...compactedContext(place, kept),
    replacement: [offset, end],
    checkpoint: digest === null ? null : { digest, bytes: text.length, fault: faultOf(file, decoded(text), digest) },
  };
  file.checkpoint = digest ?? file.checkpoint;
  file.contextTokens = null;
  file.compacted = true;
  file.changes.push("compaction");
  if (digest !== null && place.options.content) place.say(contentFact(headerOf(place), text));
}

function faultOf(file: FileState, text: string, digest: string): string {
  return checkpointFault(text, { removedTokens: file.contextTokens, repeatsEarlier: file.checkpoint === digest });
}

/** The first request after a compaction: its prompt tells what the context came to. */
export function compactionEnds({ file, say }: Place, tokensAfter: number | null): void {
  if (file.compaction !== null) sayOpen(file, file.compaction, say, tokensAfter);
  file.compaction = null;
}

/** Says the compaction as far as it was told. */
export function sayOpen(file: FileState, open: OpenCompaction, say: Say, tokensAfter: number | null = null): void {
  const { context, replacement } = open;
  say(compactionOf(file, open, tokensAfter), { context, replacement: [replacement] });
}

function compactionOf(file: FileState, open: OpenCompaction, tokensAfter: number | null): CompactionFact {
  const { tokensBefore, messagesAfter, checkpoint, kept } = open;
  return compactionFact(eventIdOf("compaction", AGENT, open.key), open.header, {
    recipeVersion: file.version,
    tokensBefore,
    tokensAfter,
    countMethod: tokensBefore === null || tokensAfter === null ? null : "previous_request>next_request",
    messagesAfter,
    summaryDigest: checkpoint === null ? null : Buffer.from(checkpoint.digest, "hex"),
    summaryBytes: checkpoint?.bytes ?? null,
    checkpointFault: checkpoint?.fault ?? null,
    items: kept.map((messageId) => ({ messageId, fate: "kept", tokens: null })),
  });
}
