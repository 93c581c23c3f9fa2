import { resolve } from "node:path";
import { Flags } from "@oclif/core";
import { StoreCommand } from "../../src/cli/command.js";
import { scopeFlags, scopeOf, storeFlag, windowFlags } from "../../src/cli/flags.js";
import { untilStopped } from "../../src/cli/listening.js";
import type { SessionEvent } from "../../src/events/event.js";
import { endpointOf, withoutUser } from "../../src/otel/endpoint.js";
import { eventsIn, exportAll } from "../../src/otel/export.js";
import { type OutSpan, spansOf } from "../../src/otel/spans.js";
import { type ExportReport, exportText } from "../../src/report/export.js";
import { grownSince, turnsGrownSince } from "../../src/store/grown.js";
import type { Store } from "../../src/store/open.js";
import { storedOutbox } from "../../src/store/outbox.js";
import { eventsOf } from "../../src/store/read.js";
import { sessionKey } from "../../src/store/sessions.js";
import { textsOf } from "../../src/store/texts.js";

export default class TraceExport extends StoreCommand {
  static override summary = "send recorded sessions as OpenTelemetry spans, with their original times";
  static override description =
    "One trace per turn; ids follow from what was recorded, so sending twice changes nothing. Without --session goes on where the last accepted export to the same place stopped. What is not accepted stays in the store and goes out with the next export; exit code 2 then. The standard OTEL_EXPORTER_OTLP_* variables are read. Texts stay here unless --content is given and they were kept.";
  static override examples = [
    "<%= config.bin %> <%= command.id %> --endpoint http://localhost:4318",
    "<%= config.bin %> <%= command.id %> --session s-42 --dry-run",
    "<%= config.bin %> <%= command.id %> --since 7d --file spans.jsonl",
  ];
  static override flags = {
    store: storeFlag,
    session: scopeFlags.session,
    agent: scopeFlags.agent,
    tenant: scopeFlags.tenant,
    ...windowFlags,
    endpoint: Flags.string({ description: "base URL of the receiver, or the full one", helpValue: "URL" }),
    protocol: Flags.string({ description: "http/protobuf (default) or http/json", helpValue: "NAME" }),
    header: Flags.string({ description: "header to send, as name=value", multiple: true, helpValue: "K=V" }),
    timeout: Flags.integer({ description: "give up after so many seconds without success", default: 30, min: 1 }),
    content: Flags.boolean({ description: "send texts of tool calls too, as far as they were kept" }),
    again: Flags.boolean({ description: "send what was sent before, too" }),
    "dry-run": Flags.boolean({ description: "only say what would go where" }),
    file: Flags.string({ description: "write OTLP/JSON lines instead of sending", helpValue: "PATH" }),
  };

  async run() {
    const { flags } = await this.parse(TraceExport);
    const { scope } = scopeOf(flags, this.env, this.nowMs);
    const { variables } = this.env;
    const endpoint = endpointOf(flags, flags.file === undefined ? variables : {}, "traces");
    const latest = /\bgen_ai_latest_experimental\b/.test(variables.OTEL_SEMCONV_STABILITY_OPT_IN ?? "");
    const report: ExportReport = {
      schemaVersion: 1,
      store: "",
      to: flags.file ?? withoutUser(endpoint.url),
      dryRun: flags["dry-run"],
      sessions: 0,
      traces: 0,
      spans: { produced: 0, sent: 0, accepted: 0, rejected: 0, pending: 0 },
      metrics: null,
      reasons: [],
      unsendable: [],
      warnings: endpoint.warnings,
    };
    for (const warning of endpoint.warnings) this.logToStderr(`sonny: warning: ${warning}`);
    const target = JSON.stringify([endpoint.url, scope.agent, scope.tenant, scope.sinceMs, scope.untilMs]);

    const work = async (store: Store) => {
      report.store = store.path;
      const outbox = storedOutbox<OutSpan>(store);
      const whole = flags.session !== undefined || flags.again || flags.file !== undefined;
      const cursor = whole ? 0 : outbox.cursorOf(target);
      const growth = grownSince(store, cursor);
      const sessions = flags.session === undefined ? growth.sessions : [sessionKey(store, flags.session, flags.agent)];
      const options = { latest, texts: flags.content ? textsOf(store) : null };

      async function* produced(): AsyncGenerator<OutSpan[]> {
        for (const session of sessions) {
          const inherited = new Set<SessionEvent>();
          const events = await eventsOf(store.db, session, inherited);
          if (scope.agent !== undefined && events[0]?.agent !== scope.agent) continue;
          const turns = cursor === 0 ? null : turnsGrownSince(store, session, cursor);
          const spans = spansOf(eventsIn(events, { ...scope, turns }), { ...options, inherited });
          if (spans.length === 0) continue;
          report.sessions += 1;
          report.spans.produced += spans.length;
          report.traces += new Set(spans.map(({ traceId }) => traceId)).size;
          yield spans;
        }
      }
      if (flags["dry-run"]) for await (const _ of produced());
      else if (flags.file !== undefined) await this.toFile(flags.file, produced());
      else {
        const { encodeSpans } = await import("../../src/otel/encode.js");
        const { poster } = await import("../../src/otel/post.js");
        const { version } = this.config;
        const post = await poster(endpoint, { version, variables, nowMs: Date.now });
        const stop = untilStopped();
        const delivery = await exportAll(
          produced(),
          outbox,
          target,
          flags.session === undefined ? growth.lastBatch : null,
          {
            post: (spans) => post(encodeSpans(spans, { encoding: endpoint.encoding, version })),
            nowMs: Date.now,
            sleep: stop.sleep,
            timeoutMs: flags.timeout * 1_000,
            random: Math.random,
            stopped: stop.asked,
          },
        );
        stop.done();
        const { reasons, unsendable, ...counts } = delivery;
        Object.assign(report, { reasons, unsendable, spans: { produced: report.spans.produced, ...counts } });
      }
    };
    await (flags["dry-run"] || flags.file !== undefined
      ? this.reading(flags.store, work)
      : this.writing(flags.store, work));
    this.log(exportText(report));
    if (report.spans.pending > 0 || report.spans.rejected > 0) process.exitCode = 2;
    return report;
  }

  private async toFile(file: string, sessions: AsyncIterable<OutSpan[]>): Promise<void> {
    const { encodeSpans } = await import("../../src/otel/encode.js");
    const { bodiesOf } = await import("../../src/otel/export.js");
    const lines: string[] = [];
    for await (const spans of sessions) {
      for (const body of bodiesOf(spans)) {
        lines.push(Buffer.from(encodeSpans(body, { encoding: "json", version: this.config.version })).toString("utf8"));
      }
    }
    this.write("--file", resolve(this.env.cwd, file), lines.map((line) => `${line}\n`).join(""));
  }
}
