import protobuf from "protobufjs";
import type { SignalName } from "../signals.js";
import { schema } from "./schema.js";

const { root } = protobuf.parse(schema);

/** The request message of each signal. */
export const requestTypes: Record<SignalName, protobuf.Type> = {
  traces: root.lookupType("otlp.ExportTraceServiceRequest"),
  logs: root.lookupType("otlp.ExportLogsServiceRequest"),
  metrics: root.lookupType("otlp.ExportMetricsServiceRequest"),
};

/** The responses of all signals have the same shape. */
export const responseType = root.lookupType("otlp.ExportServiceResponse");

/** `google.rpc.Status`, the body of a refusal. */
export const statusType = root.lookupType("otlp.RpcStatus");
