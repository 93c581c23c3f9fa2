import type { SessionEvent } from "../events/event.js";
import type { Appended, Recorder, Source, SourceBatch } from "../events/sink.js";
import { Failure } from "../failure.js";
import type { StoreSink } from "./sink.js";

/** Events per transaction: few enough that writing them does not hold up the agent's loop. */
const AT_ONCE = 64;
/** Events that may wait; more are counted as lost. */
const WAITING = 10_000;
/** While somebody else is writing it is tried again after so long, at first and at most. */
const FIRST_RETRY_MS = 10;
const LAST_RETRY_MS = 1_000;

/**
 * The store as a recorder for a running agent. `record` only puts the event aside; a later turn of the event loop
 * writes it, without waiting for anybody else who is writing. Only `flush` and the end of the process wait, until
 * everything is written or lost. An event that the store refuses is lost alone.
 *
 * `schedule` runs the given work after so many milliseconds, never now.
 */
export function storeRecorder(
  sink: Pick<StoreSink, "append" | "appendNow">,
  source: Source,
  schedule: (work: () => void, delayMs: number) => void = later,
): Recorder {
  const lost: { count: number; lastReason: string | null } = { count: 0, lastReason: null };
  const waiting: SessionEvent[] = [];
  let retryMs = FIRST_RETRY_MS;

  function lose(events: number, reason: string): void {
    lost.count += events;
    lost.lastReason = reason;
  }

  /** How many of the events are written or lost; the others found the store busy. */
  function write(events: SessionEvent[], append: (parts: SourceBatch[]) => Appended | null): number {
    try {
      const part = { source, events, skipped: [], cursor: null, expectedOffset: null, replace: false };
      const appended = append([part]);
      for (const { reason } of appended?.refused ?? []) lose(1, reason);
      return appended === null ? 0 : events.length;
    } catch (error) {
      const storeFails = error instanceof Failure && error.code !== "event.refused";
      if (storeFails || events.length === 1) {
        lose(events.length, error instanceof Error ? error.message : String(error));
        return events.length;
      }
      const stopped = events.findIndex((event) => write([event], append) === 0);
      return stopped < 0 ? events.length : stopped;
    }
  }

  function writeSome(): void {
    if (waiting.length === 0) return;
    const events = waiting.slice(0, AT_ONCE);
    const written = write(events, sink.appendNow);
    waiting.splice(0, written);
    const busy = written < events.length;
    const delayMs = busy ? retryMs : 0;
    retryMs = busy ? Math.min(2 * retryMs, LAST_RETRY_MS) : FIRST_RETRY_MS;
    if (waiting.length > 0) schedule(writeSome, delayMs);
    else process.off("exit", writeAll);
  }

  function writeAll(): void {
    while (waiting.length > 0) write(waiting.splice(0, AT_ONCE), sink.append);
    process.off("exit", writeAll);
  }

  return {
    lost,
    record(event) {
      if (waiting.length >= WAITING) return lose(1, `more than ${WAITING} events wait to be written`);
      waiting.push(event);
      if (waiting.length > 1) return;
      process.once("exit", writeAll);
      schedule(writeSome, 0);
    },
    async flush() {
      writeAll();
    },
  };
}

/** A retry keeps no process alive: what is left is written at its end. */
function later(work: () => void, delayMs: number): void {
  if (delayMs === 0) setImmediate(work);
  else setTimeout(work, delayMs).unref();
}
