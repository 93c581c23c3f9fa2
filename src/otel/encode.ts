import { type HrTime, SpanKind, SpanStatusCode, TraceFlags } from "@opentelemetry/api";
import { JsonTraceSerializer, ProtobufTraceSerializer } from "@opentelemetry/otlp-transformer";
import { type Resource, resourceFromAttributes } from "@opentelemetry/resources";
import type { ReadableSpan } from "@opentelemetry/sdk-trace";
import { OWN_SCOPE } from "./emitters/own.js";
import type { OutSpan } from "./spans.js";
import type { Encoding } from "./wire/decode.js";

/** Values longer than this are cut; their length is said. Many backends cut at the same place, without saying so. */
const VALUE_LENGTH = 2_048;
/** With content that was asked for. */
const CONTENT_LENGTH = 60 * 1024;

export interface EncodeOptions {
  encoding: Encoding;
  /** Version of sonny. */
  version: string;
}

/** One request body with these spans. The same spans give the same bytes. */
export function encodeSpans(spans: OutSpan[], { encoding, version }: EncodeOptions): Uint8Array {
  const serializer = encoding === "json" ? JsonTraceSerializer : ProtobufTraceSerializer;
  const bytes = serializer.serializeRequest(readable(spans, version));
  if (bytes === undefined) throw new Error("the serializer gave nothing");
  return bytes;
}

/** Spans as the OpenTelemetry packages take them. Equal resources are one object, or they would be sent apart. */
export function readable(spans: OutSpan[], version: string): ReadableSpan[] {
  const scope = { name: OWN_SCOPE, version };
  const resources = new Map<string, Resource>();
  const resourceOf = (service: string) => {
    const resource = resources.get(service) ?? resourceFromAttributes({ "service.name": service });
    resources.set(service, resource);
    return resource;
  };
  return spans.map((span): ReadableSpan => {
    const { traceId, spanId, parentId, name, kind, startMs, endMs, failed } = span;
    const context = (id: string) => ({ traceId, spanId: id, traceFlags: TraceFlags.SAMPLED });
    return {
      name,
      kind: kind === "client" ? SpanKind.CLIENT : SpanKind.INTERNAL,
      spanContext: () => context(spanId),
      ...(parentId === null ? {} : { parentSpanContext: context(parentId) }),
      startTime: hrTime(startMs),
      endTime: hrTime(endMs),
      duration: hrTime(endMs - startMs),
      status: { code: failed ? SpanStatusCode.ERROR : SpanStatusCode.UNSET },
      attributes: bounded(span.attributes),
      links: [],
      events: span.events.map((event) => ({
        name: event.name,
        time: hrTime(event.atMs),
        attributes: bounded(event.attributes),
        droppedAttributesCount: 0,
      })),
      ended: true,
      resource: resourceOf(span.service),
      instrumentationScope: scope,
      droppedAttributesCount: 0,
      droppedEventsCount: 0,
      droppedLinksCount: 0,
    } as ReadableSpan;
  });
}

function hrTime(ms: number): HrTime {
  return [Math.floor(ms / 1000), Math.round((ms - Math.floor(ms / 1000) * 1000) * 1e6)];
}

const CONTENT = new Set(["gen_ai.tool.call.arguments", "gen_ai.tool.call.result"]);

function bounded(attributes: OutSpan["attributes"]): OutSpan["attributes"] {
  return Object.fromEntries(
    Object.entries(attributes).map(([name, value]) => {
      const limit = CONTENT.has(name) ? CONTENT_LENGTH : VALUE_LENGTH;
      if (typeof value !== "string" || value.length <= limit) return [name, value];
      return [name, `${value.slice(0, limit)}… (${value.length} characters)`];
    }),
  );
}
