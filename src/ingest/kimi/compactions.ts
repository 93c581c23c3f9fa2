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
import type { OpenCompaction } from "./state.js";

/**
 * The recorded counts leave out the shell, so the requests before and after tell what the context was and came to; the
 * recorded one stands in only when there was no request before.
 */
export function sayCompaction(place: Place, record: CompactionRecord): void {
  const { file, say } = place;
  const { text, tokensBefore, messagesBefore } = record;
  compactionEnds(place, null);
  const header = headerOf(place);
  const digest = text === null ? null : hexOf(digestOf(text, "latin1"));
  const { compacting, contextTokens } = file;
  const removed = contextTokens ?? tokensBefore;
  const took = compacting?.atMs == null || header.atMs === null ? null : header.atMs - compacting.atMs;
  const fault = () =>
    checkpointFault(decoded(text!), { removedTokens: removed, repeatsEarlier: file.checkpoint === digest });
  file.compaction = {
    header,
    ...compactedContext(place, record),
    tokensBefore: removed,
    countedBy: contextTokens === null ? "recorded" : "previous_request",
    messagesBefore,
    trigger: compacting?.trigger ?? "unknown",
    durationMs: took !== null && took >= 0 ? took : null,
    checkpoint: digest === null ? null : { digest, bytes: text!.length, fault: fault() },
  };
  file.compacting = null;
  file.checkpoint = digest ?? file.checkpoint;
  file.contextTokens = null;
  file.compacted = true;
  file.changes.push("compaction");
  if (text !== null && place.options.content) say(contentFact(header, text));
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
  const { header, tokensBefore, countedBy, messagesBefore, trigger, durationMs, checkpoint, kept } = open;
  const { session, lane, atMs, offset } = header;
  const key = checkpoint === null ? `${session}/${lane}` : checkpoint.digest;
  return compactionFact(eventIdOf("compaction", AGENT, key, atMs ?? offset ?? 0), header, {
    trigger,
    tokensBefore,
    tokensAfter,
    countMethod: tokensBefore === null || tokensAfter === null ? null : `${countedBy}>next_request`,
    messagesBefore,
    summaryDigest: checkpoint === null ? null : Buffer.from(checkpoint.digest, "hex"),
    summaryBytes: checkpoint?.bytes ?? null,
    checkpointFault: checkpoint?.fault ?? null,
    durationMs,
    items: kept.map((messageId) => ({ messageId, fate: "kept", tokens: null })),
  });
}
