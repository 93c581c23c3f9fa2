import { Args } from "@oclif/core";
import { StoreCommand } from "../../src/cli/command.js";
import { scopeFlags, scopeOf, storeFlag, windowFlags } from "../../src/cli/flags.js";
import { cacheMisses } from "../../src/diagnostics/misses/cache-misses.js";
import { whatIf } from "../../src/diagnostics/misses/what-if.js";
import { inSnapshot } from "../../src/diagnostics/snapshot.js";
import { priceBook } from "../../src/pricing/book.js";
import { userPrices } from "../../src/pricing/user-prices.js";
import { missesJson, missesText } from "../../src/report/misses.js";
import { select } from "../../src/store/scope.js";
import { sessionKey } from "../../src/store/sessions.js";

export default class ContextMisses extends StoreCommand {
  static override summary = "why the provider's cache missed: cause, tokens, money, and what to do about it";
  static override description =
    "Compares each request with the one before it in its lane. Losses after a compaction are expected and stand apart; what nothing explains is unknown, and is counted.";
  static override examples = [
    "<%= config.bin %> <%= command.id %> s-42",
    "<%= config.bin %> <%= command.id %> s-42 --lane main --json",
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
  };

  async run() {
    const { args, flags } = await this.parse(ContextMisses);
    const { scope, timezone } = scopeOf({ ...flags, session: args.session }, this.env, this.nowMs);
    const prices = priceBook(userPrices(this.env.settings.prices));
    return this.reading(flags.store, async (store) => {
      sessionKey(store, args.session, flags.agent);
      const { misses, simulated } = await inSnapshot(store.db, async (db) => {
        const selection = await select(db, scope);
        return { misses: await cacheMisses(db, selection, prices), simulated: await whatIf(db, selection, prices) };
      });
      const page = { width: this.columns, colour: this.colour, timezone };
      this.log(missesText(args.session, misses, simulated, store.path, page));
      if (misses.value === null) process.exitCode = 3;
      return { schemaVersion: 1, store: store.path, session: args.session, ...missesJson(misses), whatIf: simulated };
    });
  }
}
