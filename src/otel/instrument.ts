import { OTLPTraceExporter as JsonExporter } from "@opentelemetry/exporter-trace-otlp-http";
import { OTLPTraceExporter as ProtobufExporter } from "@opentelemetry/exporter-trace-otlp-proto";
import { BatchSpanProcessor, type SpanExporter } from "@opentelemetry/sdk-trace";
import type { SessionEvent } from "../events/event.js";
import type { Recorder } from "../events/sink.js";
import { readable } from "./encode.js";
import type { Endpoint } from "./endpoint.js";
import { spansOf } from "./spans.js";

export interface InstrumentOptions {
  endpoint: Pick<Endpoint, "url" | "encoding" | "headers" | "gzip">;
  /** Version of whoever records. */
  version: string;
  /** Newest names of the conventions instead of the last released ones. */
  latest?: boolean;
  /** How long flushing may take. */
  flushMs?: number;
}

/** Turns that never end are sent when so many of their events wait. */
const WAITING = 2_000;

/**
 * A recorder that sends live spans: each turn when it ends, what is left when it is flushed. Goes through the batch
 * processor of the OpenTelemetry SDK, so recording never waits; what the receiver does not take in time is lost, and
 * counted. For a delivery that loses nothing record into a store and export from there.
 */
export function instrument(options: InstrumentOptions): Recorder {
  const { endpoint, version, latest = false, flushMs = 5_000 } = options;
  const lost: Recorder["lost"] = { count: 0, lastReason: null };
  const processor = new BatchSpanProcessor({ exporter: counting(exporterTo(endpoint), lost) });
  const turns = new Map<string, SessionEvent[]>();

  const end = (key: string) => {
    const events = turns.get(key) ?? [];
    turns.delete(key);
    for (const span of readable(spansOf(events, { latest, texts: null, inherited: new Set() }), version)) {
      processor.onEnd(span);
    }
  };

  return {
    lost,
    record(event) {
      try {
        const key = [event.agent, event.session, event.lane, event.turn].join("\0");
        const events = [...(turns.get(key) ?? []), event];
        turns.set(key, events);
        const over = event.kind === "turn" && event.endedAtMs !== null;
        if (over || events.length >= WAITING) end(key);
      } catch (error) {
        lost.count += 1;
        lost.lastReason = (error as Error).message;
      }
    },
    async flush() {
      for (const key of [...turns.keys()]) end(key);
      let timer: NodeJS.Timeout | undefined;
      const enough = new Promise<void>((resolve) => {
        timer = setTimeout(resolve, flushMs);
      });
      await Promise.race([processor.forceFlush().catch(() => {}), enough]);
      clearTimeout(timer);
    },
  };
}

function exporterTo({ url, encoding, headers, gzip }: InstrumentOptions["endpoint"]): SpanExporter {
  const config = { url, headers, ...(gzip ? { compression: "gzip" as never } : {}) };
  return encoding === "json" ? new JsonExporter(config) : new ProtobufExporter(config);
}

/** The exporter only logs what it could not send; here it counts. */
function counting(exporter: SpanExporter, lost: Recorder["lost"]): SpanExporter {
  return {
    export(spans, done) {
      exporter.export(spans, (result) => {
        if (result.code !== 0) {
          lost.count += spans.length;
          lost.lastReason = result.error?.message ?? "not sent";
        }
        done(result);
      });
    },
    shutdown: () => exporter.shutdown(),
    forceFlush: async () => exporter.forceFlush?.(),
  };
}
