import type { SessionEvent } from "../events/event.js";
import { type DeliverOptions, type Delivery, deliver } from "./deliver.js";
import type { Outbox } from "./outbox.js";
import type { OutSpan } from "./spans.js";

/** Which part of a session goes out. */
export interface Part {
  tenant?: string | undefined;
  sinceMs?: number | undefined;
  untilMs?: number | undefined;
  /** Turns with something new, as lane and prompt with a NUL between, "" for what is outside turns; null for all. */
  turns: Set<string> | null;
}

/** Events of the part. A turn goes with its start, and with all its facts. */
export function eventsIn(events: SessionEvent[], { tenant, sinceMs, untilMs, turns }: Part): SessionEvent[] {
  const starts = new Map<string, number | null>();
  for (const event of events) if (event.kind === "turn") starts.set(keyOf(event), event.atMs);
  const inWindow = (atMs: number | null) =>
    (sinceMs === undefined && untilMs === undefined) ||
    (atMs !== null && atMs >= (sinceMs ?? Number.NEGATIVE_INFINITY) && atMs < (untilMs ?? Number.POSITIVE_INFINITY));
  return events.filter((event) => {
    if (tenant !== undefined && event.tenant !== tenant) return false;
    const key = keyOf(event);
    if (turns !== null && !turns.has(key)) return false;
    return DESCRIBING.has(event.kind) || inWindow(key === "" ? event.atMs : (starts.get(key) ?? event.atMs));
  });
}

const DESCRIBING = new Set<SessionEvent["kind"]>(["session", "lane", "coverage"]);

function keyOf({ lane, turn }: SessionEvent): string {
  return turn === null ? "" : `${lane}\0${turn}`;
}

/** One body has no more spans than this, and its JSON not many more bytes than that. */
const BODY_SPANS = 512;
const BODY_BYTES = 1_000_000;

export function bodiesOf(spans: OutSpan[]): OutSpan[][] {
  const bodies: OutSpan[][] = [];
  let bytes = 0;
  for (const span of spans) {
    const size = JSON.stringify(span).length;
    const last = bodies.at(-1);
    if (last === undefined || last.length >= BODY_SPANS || bytes + size > BODY_BYTES) {
      bodies.push([span]);
      bytes = size;
    } else {
      last.push(span);
      bytes += size;
    }
  }
  return bodies;
}

/** So many spans are put into the outbox before they are sent on. */
const AT_ONCE = 5_000;

/**
 * Sends what an earlier export left behind, then the given sessions. When all is accepted the cursor of the target
 * moves to `upTo`; null leaves it where it is.
 */
export async function exportAll(
  sessions: AsyncIterable<OutSpan[]>,
  outbox: Outbox,
  target: string,
  upTo: number | null,
  options: DeliverOptions,
): Promise<Delivery> {
  const total = await deliver(outbox, target, options);
  let held: OutSpan[] = [];
  const flush = async () => {
    if (held.length === 0) return;
    outbox.add(target, bodiesOf(held));
    held = [];
    add(total, await deliver(outbox, target, options));
  };
  for await (const spans of sessions) {
    if (total.pending > 0 || options.stopped()) break;
    held.push(...spans);
    if (held.length >= AT_ONCE) await flush();
  }
  if (total.pending === 0 && !options.stopped()) await flush();
  if (total.pending === 0 && !options.stopped() && upTo !== null) outbox.advance(target, upTo);
  return total;
}

function add(total: Delivery, more: Delivery): void {
  total.accepted += more.accepted;
  total.rejected += more.rejected;
  total.pending = more.pending;
  total.sent = total.accepted + total.rejected + total.pending;
  for (const reason of more.reasons) if (!total.reasons.includes(reason)) total.reasons.push(reason);
  total.unsendable.push(...more.unsendable);
}
