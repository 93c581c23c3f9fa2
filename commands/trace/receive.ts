import { Flags } from "@oclif/core";
import { StoreCommand } from "../../src/cli/command.js";
import { storeFlag } from "../../src/cli/flags.js";
import { listening } from "../../src/cli/listening.js";
import { otlpServer } from "../../src/otel/server.js";
import { type ReceiveReport, receiveText, sendersText } from "../../src/report/receive.js";
import { storeSink } from "../../src/store/sink.js";

export default class TraceReceive extends StoreCommand {
  static override summary = "take OpenTelemetry from agents and SDKs into the store, until stopped";
  static override description =
    "OTLP over HTTP: traces, logs and metrics, protobuf and JSON. What an answer accepts is on disk. Texts of prompts and tools are never kept; of system instructions and tool definitions the digests are. The tenant of data that names none is --tenant, or the header x-sonny-tenant.";
  static override examples = [
    "<%= config.bin %> <%= command.id %>",
    "<%= config.bin %> <%= command.id %> --port 14318 --tenant acme",
  ];
  static override flags = {
    store: storeFlag,
    port: Flags.integer({ description: "port to listen on; 0 takes a free one", default: 4318, min: 0, max: 65535 }),
    host: Flags.string({ description: "address to listen on", default: "127.0.0.1", helpValue: "ADDRESS" }),
    tenant: Flags.string({ description: "tenant of everything that names none", helpValue: "NAME" }),
  };

  async run() {
    const { flags } = await this.parse(TraceReceive);
    return this.writing(flags.store, async (store) => {
      const report: ReceiveReport = {
        schemaVersion: 1,
        store: store.path,
        bodies: { traces: 0, logs: 0, metrics: 0 },
        requests: 0,
        rejected: 0,
      };
      const server = otlpServer({
        sink: storeSink(store, { nowMs: Date.now, machine: this.env.machine }),
        tenant: flags.tenant ?? this.env.settings.tenant ?? null,
        hosts: [flags.host.toLowerCase()],
        onStored: ({ appended, rejected }, signal) => {
          report.bodies[signal] += 1;
          report.requests += appended.added.request ?? 0;
          report.rejected += rejected;
        },
        onTrouble: (line) => this.logToStderr(`sonny: ${line}`),
      });
      await listening(server, flags.port, flags.host, (url) => this.logToStderr(sendersText(url)));
      this.log(receiveText(report));
      return report;
    });
  }
}
