import type { CompactionFact, SessionEvent } from "../../events/event.js";
import { digestOf, eventIdOf, hexOf } from "../../events/identity.js";
import { checkpointFault } from "../../retention/degenerate.js";
import { AGENT, headerOf, identityOf, type Place } from "./place.js";
import type { BoundaryRecord, UserRecord } from "./records.js";
import type { LaneState, OpenCompaction } from "./state.js";

/**
 * A compaction is told in three records: the boundary, the checkpoint after it, and the next request, whose prompt
 * shows what the context came to. (The boundary's own `postTokens` leaves out the shell.) Old versions write the
 * checkpoint alone. The compaction's own request is not in the transcript.
 */
export function boundaryEvents(place: Place, record: BoundaryRecord): SessionEvent[] {
  if (record.form === "micro") return [microCompaction(place, record)];
  const events = closedCompaction(place.lane);
  place.lane.compaction = {
    ...begun(place, record),
    trigger: record.trigger,
    durationMs: record.durationMs,
    kept: record.keptMessages,
  };
  if (record.preTokens !== null) {
    Object.assign(place.lane.compaction, { tokensBefore: record.preTokens, countedBy: "boundary" });
  }
  return events;
}

/** The text that replaced the older context. */
export function checkpointEvents(place: Place, record: UserRecord): SessionEvent[] {
  const { lane } = place;
  const events: SessionEvent[] = [];
  if (lane.compaction === null || lane.compaction.checkpoint !== null) {
    events.push(...closedCompaction(lane));
    lane.compaction = begun(place, record);
  }
  const text = checkpointOf(record.text ?? "");
  const digest = digestOf(text);
  const fault = checkpointFault(text, {
    removedTokens: lane.compaction.tokensBefore,
    repeatsEarlier: lane.checkpoint === hexOf(digest),
  });
  lane.compaction.checkpoint = { digest: hexOf(digest), bytes: Buffer.byteLength(text), fault };
  lane.checkpoint = hexOf(digest);
  if (place.content) {
    const eventId = eventIdOf("content", hexOf(digest));
    events.push({ kind: "content", eventId, ...headerOf(place, record), digest, text });
  }
  return events;
}

/** The compaction before this request, now that its prompt is known. */
export function compactionBefore(lane: LaneState, promptTokens: number | null): SessionEvent[] {
  return closedCompaction(lane, promptTokens);
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

function closedCompaction(lane: LaneState, tokensAfter: number | null = null): SessionEvent[] {
  if (lane.compaction === null) return [];
  const compaction = compactionOf(lane.compaction, tokensAfter);
  lane.compaction = null;
  return [compaction];
}

function begun(place: Place, record: BoundaryRecord | UserRecord): OpenCompaction {
  place.lane.changes.push("compaction");
  place.lane.rewritten = "compaction";
  return told(place, record);
}

function told(place: Place, record: BoundaryRecord | UserRecord): OpenCompaction {
  const { lane } = place;
  return {
    key: identityOf(record) ?? hexOf(digestOf(place.bytes)),
    header: headerOf(place, record),
    version: record.version,
    trigger: null,
    tokensBefore: lane.contextTokens,
    countedBy: "previous_request",
    durationMs: null,
    kept: [],
    checkpoint: null,
  };
}

/** Clears single results in place. Both counts are the client's own estimate. */
function microCompaction(place: Place, record: BoundaryRecord): CompactionFact {
  place.lane.rewritten ??= "gc";
  const { preTokens, savedTokens } = record;
  const counted = preTokens !== null && savedTokens !== null;
  return {
    ...compactionOf({ ...told(place, record), trigger: record.trigger }),
    form: "micro",
    tokensBefore: preTokens,
    tokensAfter: counted ? Math.max(0, preTokens - savedTokens) : null,
    countMethod: counted ? "boundary>boundary" : null,
    items: [
      ...record.clearedResults.map((messageId) => ({ messageId, fate: "stubbed" as const, tokens: null })),
      ...record.clearedMessages.map((messageId) => ({ messageId, fate: "dropped" as const, tokens: null })),
    ],
  };
}

function triggerOf(trigger: string | null): CompactionFact["trigger"] {
  return trigger === "auto" || trigger === "manual" ? trigger : "unknown";
}

/** The checkpoint without the client's own words before and after it. */
function checkpointOf(text: string): string {
  const rest = text.replace(BEFORE, "");
  const tail = Math.max(0, rest.length - AFTER_LENGTH);
  return rest.slice(0, tail) + rest.slice(tail).replace(AFTER, "");
}

const AFTER_LENGTH = 2000;
const BEFORE = /^This session is being continued from a previous conversation[^\n]*\n\n/;
const AFTER =
  /\n\n?(?:If you need specific details from before compaction|Recent messages are preserved|Please continue the conversation|Continue the conversation from where)[\s\S]*$/;
