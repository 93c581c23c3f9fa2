import { Args, Flags } from "@oclif/core";
import { StoreCommand } from "../../src/cli/command.js";
import { scopeFlags, scopeOf, storeFlag, windowFlags } from "../../src/cli/flags.js";
import { cacheMisses } from "../../src/diagnostics/misses/cache-misses.js";
import { inSnapshot } from "../../src/diagnostics/snapshot.js";
import { type TimelineEntry, type TimelineRequest, timeline } from "../../src/diagnostics/timeline.js";
import { Failure } from "../../src/failure.js";
import { priceBook } from "../../src/pricing/book.js";
import { userPrices } from "../../src/pricing/user-prices.js";
import { requestText, timelineJson, timelineText } from "../../src/report/timeline.js";
import { select } from "../../src/store/scope.js";
import { sessionKey } from "../../src/store/sessions.js";

export default class ContextShow extends StoreCommand {
  static override summary = "one session step by step: requests with sizes, reads, writes, misses, and compactions";
  static override examples = [
    "<%= config.bin %> <%= command.id %> s-42",
    "<%= config.bin %> <%= command.id %> s-42 --request 7 --json",
  ];
  static override args = {
    session: Args.string({ description: "session to look at (an id matches only itself)", required: true }),
  };
  static override flags = {
    store: storeFlag,
    agent: scopeFlags.agent,
    tenant: scopeFlags.tenant,
    lane: scopeFlags.lane,
    ...windowFlags,
    request: Flags.integer({ description: "only this request of the list, whole", helpValue: "N", min: 1 }),
  };

  async run() {
    const { args, flags } = await this.parse(ContextShow);
    const { scope, timezone } = scopeOf({ ...flags, session: args.session }, this.env, this.nowMs);
    const prices = priceBook(userPrices(this.env.settings.prices));
    const page = { width: this.columns, colour: this.colour, timezone };
    return this.reading(flags.store, async (store) => {
      sessionKey(store, args.session, flags.agent);
      const { entries, misses } = await inSnapshot(store.db, async (db) => {
        const selection = await select(db, scope);
        return { entries: await timeline(db, selection), misses: await cacheMisses(db, selection, prices) };
      });
      const byRequest = new Map(misses.all.map((miss) => [miss.eventId, miss]));
      if (entries.length === 0) process.exitCode = 3;
      const shown = flags.request === undefined ? entries : [requestOf(entries, flags.request)];
      const [only] = shown;
      this.log(
        flags.request !== undefined && only?.kind === "request"
          ? requestText(only, byRequest.get(only.eventId), page)
          : timelineText(args.session, shown, byRequest, store.path, page),
      );
      return { schemaVersion: 1, store: store.path, session: args.session, entries: timelineJson(shown, byRequest) };
    });
  }
}

function requestOf(entries: TimelineEntry[], number: number): TimelineRequest {
  const requests = entries.filter((entry) => entry.kind === "request");
  const found = requests.find((request) => request.number === number);
  if (found !== undefined) return found;
  throw new Failure("request.unknown", `there is no request ${number}: the list has ${requests.length}`, {
    tries: ["--request 1"],
  });
}
