import { SessionCommand, sessionArgs, sessionFlags } from "../../src/cli/session-command.js";
import { cacheMisses } from "../../src/diagnostics/misses/cache-misses.js";
import { whatIf } from "../../src/diagnostics/misses/what-if.js";
import { inSnapshot } from "../../src/diagnostics/snapshot.js";
import { priceBook } from "../../src/pricing/book.js";
import { userPrices } from "../../src/pricing/user-prices.js";
import { missesJson, missesText } from "../../src/report/misses.js";
import { select } from "../../src/store/scope.js";

export default class ContextMisses extends SessionCommand {
  static override summary = "why the provider's cache missed: cause, tokens, money, and what to do about it";
  static override description =
    "Compares each request with the one before it in its lane. Losses after a compaction are expected and stand apart; what nothing explains is unknown, and is counted.";
  static override examples = [
    "<%= config.bin %> <%= command.id %> s-42",
    "<%= config.bin %> <%= command.id %> s-42 --lane main --json",
  ];
  static override args = sessionArgs;
  static override flags = sessionFlags;

  async run() {
    const { args, flags } = await this.parse(ContextMisses);
    const prices = priceBook(userPrices(this.env.settings.prices));
    return this.askAbout(args.session, flags, async ({ store, session, scope, page }) => {
      const { misses, simulated } = await inSnapshot(store.db, async (db) => {
        const selection = await select(db, scope);
        return { misses: await cacheMisses(db, selection, prices), simulated: await whatIf(db, selection, prices) };
      });
      this.log(missesText(session, misses, simulated, store.path, page));
      if (misses.value === null) process.exitCode = 3;
      return { schemaVersion: 1, store: store.path, session, ...missesJson(misses), whatIf: simulated };
    });
  }
}
