import type { SessionEvent } from "../events/event.js";
import type { Recorder, Sink, Source } from "../events/sink.js";
import { Failure } from "../failure.js";

/** Events per transaction: few enough that writing them does not hold up the agent's loop. */
const AT_ONCE = 64;
/** Events that may wait; more are counted as lost. */
const WAITING = 10_000;

/**
 * The store as a recorder for a running agent. `record` only puts the event aside; a later turn of the event loop
 * writes it, at the latest when the process exits. An event that the store refuses is lost alone.
 *
 * `schedule` runs the given work soon, but not now.
 */
export function storeRecorder(
  sink: Sink,
  source: Source,
  schedule: (work: () => void) => void = setImmediate,
): Recorder {
  const lost: { count: number; lastReason: string | null } = { count: 0, lastReason: null };
  const waiting: SessionEvent[] = [];

  function lose(events: number, reason: string): void {
    lost.count += events;
    lost.lastReason = reason;
  }

  function write(events: SessionEvent[]): void {
    try {
      sink.append([{ source, events, skipped: [], cursor: null, expectedOffset: null, replace: false }]);
    } catch (error) {
      const storeFails = error instanceof Failure && error.code !== "event.refused";
      if (!storeFails && events.length > 1) for (const event of events) write([event]);
      else lose(events.length, error instanceof Error ? error.message : String(error));
    }
  }

  function writeSome(): void {
    write(waiting.splice(0, AT_ONCE));
    if (waiting.length > 0) schedule(writeSome);
    else process.off("exit", writeAll);
  }

  function writeAll(): void {
    while (waiting.length > 0) write(waiting.splice(0, AT_ONCE));
    process.off("exit", writeAll);
  }

  return {
    lost,
    record(event) {
      if (waiting.length >= WAITING) return lose(1, `more than ${WAITING} events wait to be written`);
      waiting.push(event);
      if (waiting.length > 1) return;
      process.once("exit", writeAll);
      schedule(() => {
        if (waiting.length > 0) writeSome();
      });
    },
    async flush() {
      writeAll();
    },
  };
}
