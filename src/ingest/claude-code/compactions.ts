import type { CompactionFact } from "../../events/event.js";
import { digestOf, eventIdOf, hexOf } from "../../events/identity.js";
import { checkpointFault } from "../../retention/degenerate.js";
import type { Span } from "../importer.js";
import { decoded } from "../json.js";
import { AGENT, headed, headerOf, identityOf, type Place } from "./place.js";
import type { BoundaryRecord, UserRecord } from "./records.js";
import type { OpenCompaction } from "./state.js";

/**
 * A compaction is told in three records: the boundary, the checkpoint after it, and the next request, whose prompt
 * shows what the context came to. (The boundary's own `postTokens` leaves out the shell.) Old versions write the
 * checkpoint alone. The compaction's own request is not in the transcript.
 */
export function sayBoundary(place: Place, record: BoundaryRecord): void {
  if (record.form === "micro") {
    sayMicroCompaction(place, record);
    return;
  }
  close(place, null);
  const begun = begin(place);
  const counted = record.preTokens !== null;
  place.lane.compaction = {
    ...begun,
    trigger: record.trigger,
    tokensBefore: record.preTokens ?? begun.tokensBefore,
    countedBy: counted ? "boundary" : begun.countedBy,
    durationMs: record.durationMs,
    kept: record.keptMessages,
  };
}

/** The text that replaced the older context. */
export function sayCheckpoint(place: Place, record: UserRecord): void {
  const { lane, say } = place;
  if (lane.compaction === null || lane.compaction.checkpoint !== null) {
    close(place, null);
    lane.compaction = begin(place);
  }
  const text = checkpointOf(record.text === null ? "" : decoded(record.text));
  const digest = digestOf(text);
  const fault = checkpointFault(text, {
    removedTokens: lane.compaction.tokensBefore,
    repeatsEarlier: lane.checkpoint === hexOf(digest),
  });
  lane.compaction.checkpoint = { digest: hexOf(digest), bytes: Buffer.byteLength(text), fault, from: place.offset };
  lane.checkpoint = hexOf(digest);
  lane.contextFrom = place.offset;
  if (place.content) say({ kind: "content", ...headed(place, eventIdOf("content", hexOf(digest))), digest, text });
}

/** The first request after a compaction: its prompt tells what the context came to. */
export function compactionEnds(place: Place, promptTokens: number | null): void {
  close(place, promptTokens);
}

/** The compaction as far as it was told. */
export function compactionOf(open: OpenCompaction, tokensAfter: number | null = null): CompactionFact {
  const { tokensBefore, checkpoint } = open;
  return {
    kind: "compaction",
    eventId: eventIdOf("compaction", AGENT, open.key),
    ...open.header,
    form: "full",
    recipe: AGENT,
    recipeVersion: open.version,
    trigger: triggerOf(open.trigger),
    outcome: "applied",
    tokensBefore,
    tokensAfter,
    countMethod: tokensBefore === null || tokensAfter === null ? null : `${open.countedBy}>next_request`,
    messagesBefore: null,
    messagesAfter: null,
    summaryDigest: checkpoint === null ? null : Buffer.from(checkpoint.digest, "hex"),
    summaryTokens: null,
    summaryBytes: checkpoint?.bytes ?? null,
    checkpointFault: checkpoint?.fault ?? null,
    durationMs: open.durationMs,
    persisted: null,
    items: open.kept.map((messageId) => ({ messageId, fate: "kept", tokens: null })),
  };
}

function close({ lane, say, offset }: Place, tokensAfter: number | null): void {
  if (lane.compaction === null) return;
  const { checkpoint, context } = lane.compaction;
  const replacement: Span[] = checkpoint === null ? [] : [[checkpoint.from, offset]];
  const replaced = checkpoint === null ? undefined : { context: [context], replacement };
  say(compactionOf(lane.compaction, tokensAfter), replaced);
  lane.compaction = null;
}

function begin(place: Place): OpenCompaction {
  place.lane.changes.push("compaction");
  place.lane.rewritten = "compaction";
  return newCompaction(place);
}

function newCompaction(place: Place): OpenCompaction {
  return {
    key: identityOf(place) ?? hexOf(digestOf(place.bytes)),
    header: headerOf(place),
    version: place.frame.version,
    trigger: null,
    tokensBefore: place.lane.contextTokens,
    countedBy: "previous_request",
    durationMs: null,
    kept: [],
    checkpoint: null,
    context: [place.lane.contextFrom, place.offset],
  };
}

/** Clears single results in place. Both counts are the client's own estimate. */
function sayMicroCompaction(place: Place, record: BoundaryRecord): void {
  place.lane.rewritten ??= "gc";
  const { preTokens, savedTokens } = record;
  const counted = preTokens !== null && savedTokens !== null;
  place.say({
    ...compactionOf({ ...newCompaction(place), trigger: record.trigger }),
    form: "micro",
    tokensBefore: preTokens,
    tokensAfter: counted ? Math.max(0, preTokens - savedTokens) : null,
    countMethod: counted ? "boundary>boundary" : null,
    items: [
      ...record.clearedResults.map((messageId) => ({ messageId, fate: "stubbed" as const, tokens: null })),
      ...record.clearedMessages.map((messageId) => ({ messageId, fate: "dropped" as const, tokens: null })),
    ],
  });
}

function triggerOf(trigger: string | null): CompactionFact["trigger"] {
  return trigger === "auto" || trigger === "manual" ? trigger : "unknown";
}

/** The checkpoint without the client's own words before and after it. */
export function checkpointOf(text: string): string {
  const rest = text.replace(BEFORE, "");
  const tail = Math.max(0, rest.length - AFTER_LENGTH);
  return rest.slice(0, tail) + rest.slice(tail).replace(AFTER, "");
}

const AFTER_LENGTH = 2000;
const BEFORE = /^This session is being continued from a previous conversation[^\n]*\n\n/;
const AFTER =
  /\n\n?(?:If you need specific details from before compaction|Recent messages are preserved|Please continue the conversation|Continue the conversation from where)[\s\S]*$/;
