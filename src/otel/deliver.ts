import type { Outbox, Waiting } from "./outbox.js";
import type { OutSpan } from "./spans.js";

/** What became of everything that was sent: `sent` is the sum of the other three. */
export interface Delivery {
  sent: number;
  accepted: number;
  /** Refused for good, by the receiver's count. */
  rejected: number;
  /** Still in the outbox. */
  pending: number;
  /** Why something was rejected or is pending, the first of each kind. */
  reasons: string[];
  /** Spans that no receiver takes, by id. */
  unsendable: string[];
}

/** What a receiver said to one body. */
export type Reply =
  | { kind: "accepted"; rejected: number; message: string | null }
  /** Too big as a whole, or one of the spans is bad: half of it may be taken. */
  | { kind: "split"; why: string }
  | { kind: "again"; afterMs: number | null; why: string }
  /** Nothing will be taken until somebody changes something. */
  | { kind: "stop"; why: string };

export interface DeliverOptions {
  post: (spans: OutSpan[]) => Promise<Reply>;
  nowMs: () => number;
  sleep: (ms: number) => Promise<void>;
  /** How long to go on without any success. */
  timeoutMs: number;
  /** 0..1, for the jitter of waiting. */
  random: () => number;
  /** Asked before each body: true ends the delivery, with the rest pending. */
  stopped: () => boolean;
}

/** Sends what waits for the target until all is answered, nothing was taken for `timeoutMs`, or sending makes no sense. */
export async function deliver(outbox: Outbox, target: string, options: DeliverOptions): Promise<Delivery> {
  const result: Delivery = { sent: 0, accepted: 0, rejected: 0, pending: 0, reasons: [], unsendable: [] };
  const queue = outbox.waiting(target);
  let lastSuccessMs = options.nowMs();
  let tries = 0;
  while (queue.length > 0 && !options.stopped()) {
    const next = queue[0]!;
    const reply = await options.post(next.spans);
    if (reply.kind === "accepted") {
      outbox.done(next.id);
      queue.shift();
      result.accepted += next.spans.length - Math.min(reply.rejected, next.spans.length);
      result.rejected += Math.min(reply.rejected, next.spans.length);
      if (reply.message !== null) because(result, reply.message);
    } else if (reply.kind === "split") {
      because(result, reply.why);
      split(outbox, queue, result);
    } else {
      outbox.failed(next.id, reply.why);
      because(result, reply.why);
      if (reply.kind === "stop") break;
      const waitMs = reply.afterMs ?? backOffMs(tries, options.random());
      if (options.nowMs() + waitMs - lastSuccessMs > options.timeoutMs) break;
      tries += 1;
      await options.sleep(waitMs);
      continue;
    }
    lastSuccessMs = options.nowMs();
    tries = 0;
  }
  result.pending = queue.reduce((sum, { spans }) => sum + spans.length, 0);
  result.sent = result.accepted + result.rejected + result.pending;
  return result;
}

/** Sends one body that is not kept: until it is answered for good, or nothing was taken for `timeoutMs`. */
export async function deliverOnce(
  post: () => Promise<Reply>,
  items: number,
  { nowMs, sleep, timeoutMs, random, stopped }: Omit<DeliverOptions, "post">,
): Promise<Omit<Delivery, "unsendable">> {
  const begunMs = nowMs();
  const unsent = (why: string) => ({ sent: items, accepted: 0, rejected: 0, pending: items, reasons: [why] });
  for (let tries = 0; ; tries += 1) {
    const reply = await post();
    if (reply.kind === "accepted") {
      const rejected = Math.min(reply.rejected, items);
      const reasons = reply.message === null ? [] : [reply.message];
      return { sent: items, accepted: items - rejected, rejected, pending: 0, reasons };
    }
    if (reply.kind !== "again") return unsent(reply.why);
    const waitMs = reply.afterMs ?? backOffMs(tries, random());
    if (stopped() || nowMs() + waitMs - begunMs > timeoutMs) return unsent(reply.why);
    await sleep(waitMs);
  }
}

/** Halves take the place of the whole; a single span that is refused is given up. */
function split(outbox: Outbox, queue: Waiting[], result: Delivery): void {
  const { id, spans } = queue.shift()!;
  if (spans.length === 1) {
    outbox.done(id);
    result.rejected += 1;
    if (result.unsendable.length < NAMED) result.unsendable.push(spans[0]!.spanId);
    return;
  }
  const middle = Math.ceil(spans.length / 2);
  const ids = outbox.replace(id, [spans.slice(0, middle), spans.slice(middle)]);
  queue.unshift(
    ...ids.map((half, at) => ({ id: half, spans: at === 0 ? spans.slice(0, middle) : spans.slice(middle) })),
  );
}

const NAMED = 20;
const REASONS = 5;

function because(result: Delivery, reason: string): void {
  if (result.reasons.length < REASONS && !result.reasons.includes(reason)) result.reasons.push(reason);
}

/** From one second on, half as much more each time, up to thirty; a fifth around, so that senders do not march in step. */
export function backOffMs(tries: number, random: number): number {
  return Math.round(Math.min(1_000 * 1.5 ** tries, 30_000) * (0.8 + 0.4 * random));
}
