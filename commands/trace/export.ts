import { resolve } from "node:path";
import { Flags } from "@oclif/core";
import { StoreCommand } from "../../src/cli/command.js";
import { dayIn } from "../../src/cli/day.js";
import { scopeFlags, scopeOf, storeFlag, windowFlags } from "../../src/cli/flags.js";
import { untilStopped } from "../../src/cli/listening.js";
import type { SessionEvent } from "../../src/events/event.js";
import { statsAndAvoidable } from "../../src/gate/avoidable.js";
import { floorOf } from "../../src/gate/options.js";
import { type DeliverOptions, deliverOnce } from "../../src/otel/deliver.js";
import { type Endpoint, endpointOf, withoutUser } from "../../src/otel/endpoint.js";
import { bodiesOf, eventsIn, exportAll } from "../../src/otel/export.js";
import { type OutSpan, spansOf } from "../../src/otel/spans.js";
import { priceBook } from "../../src/pricing/book.js";
import { userPrices } from "../../src/pricing/user-prices.js";
import { type ExportReport, emptyExport, exportText } from "../../src/report/export.js";
import { figuresOf } from "../../src/report/figures.js";
import { grownSince, turnsGrownSince } from "../../src/store/grown.js";
import type { Store } from "../../src/store/open.js";
import { storedOutbox } from "../../src/store/outbox.js";
import { eventsOf } from "../../src/store/read.js";
import type { Scope } from "../../src/store/scope.js";
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
    metrics: Flags.boolean({ description: "send the figures of context stats too, as they stand now" }),
    content: Flags.boolean({ description: "send texts of tool calls too, as far as they were kept" }),
    again: Flags.boolean({ description: "send what was sent before, too" }),
    "dry-run": Flags.boolean({ description: "only say what would go where" }),
    file: Flags.string({ description: "write OTLP/JSON lines instead of sending", helpValue: "PATH" }),
  };

  async run() {
    const { flags } = await this.parse(TraceExport);
    const { variables } = this.env;
    const { scope, timezone } = scopeOf(flags, this.env, this.nowMs);
    const endpoint = endpointOf(flags, flags.file === undefined ? variables : {}, "traces");
    for (const warning of endpoint.warnings) this.logToStderr(`sonny: warning: ${warning}`);
    const sends = !flags["dry-run"] && flags.file === undefined;
    const report = emptyExport(flags.file ?? withoutUser(endpoint.url), flags["dry-run"]);

    await (sends ? this.writing.bind(this) : this.reading.bind(this))(flags.store, async (store) => {
      report.store = store.path;
      const target = JSON.stringify([endpoint.url, scope.agent, scope.tenant, scope.sinceMs, scope.untilMs]);
      const whole = flags.session !== undefined || flags.again || flags.file !== undefined;
      const after = whole ? 0 : storedOutbox<OutSpan>(store).cursorOf(target);
      const latest = /\bgen_ai_latest_experimental\b/.test(variables.OTEL_SEMCONV_STABILITY_OPT_IN ?? "");
      const options = { latest, texts: flags.content ? textsOf(store) : null };
      const spans = produced(store, scope, after, options, report);
      if (flags["dry-run"]) for await (const _ of spans);
      else if (flags.file !== undefined) await this.toFile(flags.file, spans);
      else await this.send(store, { endpoint, scope, timezone, target, spans, report });
    });
    this.log(exportText(report));
    const { spans, metrics } = report;
    if (spans.pending + spans.rejected + (metrics?.pending ?? 0) + (metrics?.rejected ?? 0) > 0) process.exitCode = 2;
    return report;
  }

  private async toFile(file: string, sessions: AsyncIterable<OutSpan[]>): Promise<void> {
    const { encodeSpans } = await import("../../src/otel/encode.js");
    const lines: string[] = [];
    for await (const spans of sessions) {
      for (const body of bodiesOf(spans)) {
        lines.push(Buffer.from(encodeSpans(body, { encoding: "json", version: this.config.version })).toString("utf8"));
      }
    }
    this.write("--file", resolve(this.env.cwd, file), lines.map((line) => `${line}\n`).join(""));
  }

  private async send(store: Store, { endpoint, scope, timezone, target, spans, report }: Sending): Promise<void> {
    const { flags } = await this.parse(TraceExport);
    const { encodeSpans } = await import("../../src/otel/encode.js");
    const { poster } = await import("../../src/otel/post.js");
    const { version } = this.config;
    const around = { version, variables: this.env.variables, nowMs: Date.now };
    const form = { encoding: endpoint.encoding, version };
    const post = await poster(endpoint, around);
    const stop = untilStopped();
    const options: Omit<DeliverOptions, "post"> = {
      nowMs: Date.now,
      sleep: stop.sleep,
      timeoutMs: flags.timeout * 1_000,
      random: Math.random,
      stopped: stop.asked,
    };
    // A session that was asked for by name leaves the cursor of everything where it is.
    const upTo = scope.session === undefined ? grownSince(store, 0).lastBatch : null;
    const delivery = await exportAll(spans, storedOutbox<OutSpan>(store), target, upTo, {
      ...options,
      post: (body) => post(encodeSpans(body, form)),
    });
    const { reasons, unsendable, ...counts } = delivery;
    Object.assign(report, { reasons, unsendable, spans: { produced: report.spans.produced, ...counts } });
    if (flags.metrics) {
      const { encodeFigures } = await import("../../src/otel/figures.js");
      const place = endpointOf(flags, this.env.variables, "metrics");
      const prices = priceBook(userPrices(this.env.settings.prices));
      const asked = { floor: floorOf(undefined), dayOf: dayIn(timezone), prices };
      const { stats, spend } = await statsAndAvoidable(store.db, scope, asked);
      const figures = figuresOf(stats, spend);
      const body = encodeFigures(figures, this.nowMs, { ...form, encoding: place.encoding });
      const postFigures = await poster(place, around);
      const sent = await deliverOnce(() => postFigures(body), figures.length, options);
      report.metrics = sent;
      report.reasons.push(...sent.reasons);
    }
    stop.done();
  }
}

interface Sending {
  endpoint: Endpoint;
  scope: Scope;
  timezone: string;
  target: string;
  spans: AsyncIterable<OutSpan[]>;
  report: ExportReport;
}

/** The spans of each session with something new after a batch; counted into the report as they are asked for. */
async function* produced(
  store: Store,
  scope: Scope,
  after: number,
  options: Pick<Parameters<typeof spansOf>[1], "latest" | "texts">,
  report: ExportReport,
): AsyncGenerator<OutSpan[]> {
  const { session, agent } = scope;
  const sessions = session === undefined ? grownSince(store, after).sessions : [sessionKey(store, session, agent)];
  for (const key of sessions) {
    const inherited = new Set<SessionEvent>();
    const events = await eventsOf(store.db, key, inherited);
    if (agent !== undefined && events[0]?.agent !== agent) continue;
    const turns = after === 0 ? null : turnsGrownSince(store, key, after);
    const spans = spansOf(eventsIn(events, { ...scope, turns }), { ...options, inherited });
    if (spans.length === 0) continue;
    report.sessions += 1;
    report.spans.produced += spans.length;
    report.traces += new Set(spans.map(({ traceId }) => traceId)).size;
    yield spans;
  }
}
