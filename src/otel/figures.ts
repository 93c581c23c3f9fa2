import { type HrTime, ValueType } from "@opentelemetry/api";
import { JsonMetricsSerializer, ProtobufMetricsSerializer } from "@opentelemetry/otlp-transformer";
import { resourceFromAttributes } from "@opentelemetry/resources";
import { AggregationTemporality, DataPointType, type ResourceMetrics } from "@opentelemetry/sdk-metrics";
import { OWN_SCOPE } from "./emitters/own.js";
import type { EncodeOptions } from "./encode.js";

/** One figure as it stands now. Figures that are not known are not sent. */
export interface OutFigure {
  name: string;
  unit: string;
  description: string;
  value: number;
  attributes: Record<string, string>;
}

/** One body of metrics: a gauge per figure, all of one moment. */
export function encodeFigures(figures: OutFigure[], atMs: number, { encoding, version }: EncodeOptions): Uint8Array {
  const at: HrTime = [Math.floor(atMs / 1000), (atMs % 1000) * 1e6];
  const names = [...new Set(figures.map(({ name }) => name))];
  const metrics: ResourceMetrics = {
    resource: resourceFromAttributes({ "service.name": "sonny" }),
    scopeMetrics: [
      {
        scope: { name: OWN_SCOPE, version },
        metrics: names.map((name) => {
          const own = figures.filter((figure) => figure.name === name);
          const { unit, description } = own[0]!;
          return {
            descriptor: { name, unit, description, valueType: ValueType.DOUBLE, type: "GAUGE" } as never,
            aggregationTemporality: AggregationTemporality.CUMULATIVE,
            dataPointType: DataPointType.GAUGE as const,
            dataPoints: own.map(({ value, attributes }) => ({ startTime: at, endTime: at, attributes, value })),
          };
        }),
      },
    ],
  };
  const serializer = encoding === "json" ? JsonMetricsSerializer : ProtobufMetricsSerializer;
  const bytes = serializer.serializeRequest(metrics);
  if (bytes === undefined) throw new Error("the serializer gave nothing");
  return bytes;
}
