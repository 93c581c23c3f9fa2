/** What a receiver did since it was started. */
export interface ReceiveReport {
  schemaVersion: 1;
  store: string;
  bodies: { traces: number; logs: number; metrics: number };
  requests: number;
  rejected: number;
}

export function receiveText({ bodies, requests, rejected, store }: ReceiveReport): string {
  const { traces, logs, metrics } = bodies;
  return [
    `taken: ${traces} bodies of traces, ${logs} of logs, ${metrics} of metrics; new: ${requests} requests; left out: ${rejected} items`,
    `store: ${store}`,
  ].join("\n");
}

/** How agents are told to send here. */
export function sendersText(url: string): string {
  return [
    `receiving OTLP over HTTP at ${url} (protobuf and JSON); stop with Ctrl-C`,
    "",
    "Claude Code:  CLAUDE_CODE_ENABLE_TELEMETRY=1 OTEL_LOGS_EXPORTER=otlp OTEL_METRICS_EXPORTER=otlp \\",
    `              OTEL_EXPORTER_OTLP_PROTOCOL=http/protobuf OTEL_EXPORTER_OTLP_ENDPOINT=${url} claude`,
    `Codex:        in ~/.codex/config.toml, [otel]: exporter = { otlp-http = { endpoint = "${url}/v1/logs", protocol = "binary" } }`,
    `Gemini CLI:   in settings.json: "telemetry": { "enabled": true, "target": "local", "otlpProtocol": "http", "otlpEndpoint": "${url}" }`,
    `others:       OTEL_EXPORTER_OTLP_PROTOCOL=http/protobuf OTEL_EXPORTER_OTLP_ENDPOINT=${url}`,
  ].join("\n");
}
