import { resolve } from "node:path";
import { Args, Flags } from "@oclif/core";
import { StoreCommand } from "../src/cli/command.js";
import { scopeFlags, scopeOf, storeFlag, windowFlags } from "../src/cli/flags.js";
import { untilStopped } from "../src/cli/listening.js";
import { newestRequest, requestsAfter } from "../src/diagnostics/live.js";
import { importers } from "../src/ingest/agents.js";
import { importFiles } from "../src/ingest/import.js";
import { existingPlaces } from "../src/ingest/list.js";
import { priceBook } from "../src/pricing/book.js";
import { userPrices } from "../src/pricing/user-prices.js";
import { liveText } from "../src/report/live.js";
import { storeSink } from "../src/store/sink.js";

const EVERY_MS = 2_000;

export default class Watch extends StoreCommand {
  static override summary = "a live line per request while transcripts grow, or while another process receives";
  static override description =
    "Reads what grows in the folders of the known agents (or in PATHs) into the store, and shows each request that reaches the store from now on, whoever wrote it there. Ctrl-C ends it. With --json one JSON object per line.";
  static override examples = [
    "<%= config.bin %> <%= command.id %>",
    "<%= config.bin %> <%= command.id %> --agent codex",
    "<%= config.bin %> <%= command.id %> --no-import",
  ];
  static override strict = false;
  static override args = { path: Args.string({ name: "PATH", description: "files and folders with transcripts" }) };
  static override flags = {
    store: storeFlag,
    session: scopeFlags.session,
    agent: scopeFlags.agent,
    tenant: scopeFlags.tenant,
    timezone: windowFlags.timezone,
    import: Flags.boolean({ description: "read transcripts that grow", default: true, allowNo: true }),
  };

  async run(): Promise<void> {
    const { argv, flags } = await this.parse(Watch);
    const { scope, timezone } = scopeOf(flags, this.env, this.nowMs);
    const prices = priceBook(userPrices(this.env.settings.prices));
    const page = { width: this.columns, colour: this.colour, timezone };
    await this.writing(flags.store, async (store) => {
      const sink = storeSink(store, { nowMs: Date.now, machine: this.env.machine });
      const paths = () =>
        argv.length > 0
          ? (argv as string[]).map((path) => resolve(this.env.cwd, path))
          : existingPlaces(importers, this.env);
      const grow = () => flags.import && importFiles(paths(), sink, { tenant: flags.tenant ?? null });
      grow();
      let newest = await newestRequest(store.db);
      this.logToStderr(`watching ${flags.import ? paths().join(", ") || "nothing" : "the store"}; stop with Ctrl-C`);
      const stop = untilStopped();
      while (!stop.asked()) {
        await stop.sleep(EVERY_MS);
        grow();
        const news = await requestsAfter(store.db, scope, newest, prices);
        newest = news.newest;
        for (const request of news.requests) {
          if (this.jsonEnabled()) this.jsonLine(request);
          else this.log(liveText(request, page));
        }
      }
      stop.done();
    });
  }
}
