import { Flags } from "@oclif/core";
import { StoreCommand } from "../src/cli/command.js";
import { scopeFlags, scopeOf, storeFlag, windowFlags } from "../src/cli/flags.js";
import { watching } from "../src/cli/watch.js";
import { isUsed, TABS, USAGE_GROUPINGS, usage } from "../src/ledger/usage.js";
import { priceBook } from "../src/pricing/book.js";
import { userPrices } from "../src/pricing/user-prices.js";
import { usageCsv } from "../src/report/usage-csv.js";
import { usageJson } from "../src/report/usage-json.js";
import { usageText } from "../src/report/usage-text.js";

const WATCH_MS = 3_000;

export default class Usage extends StoreCommand {
  static override summary = "tokens and money: what was used, what it costs at list price, what the cache saved";
  static override description =
    "A cost that is not whole is a floor, marked with ≥, and says what is missing: a model without a price is named and never free. Exit code 3 when nothing is recorded in the scope.";
  static override examples = [
    "<%= config.bin %> <%= command.id %> --since 7d",
    "<%= config.bin %> <%= command.id %> --by branch --since 2026-08-01 --json",
    "<%= config.bin %> <%= command.id %> --tab activity --timezone Europe/Berlin",
    "<%= config.bin %> <%= command.id %> --tab sessions --watch",
  ];
  static override flags = {
    store: storeFlag,
    ...scopeFlags,
    ...windowFlags,
    tab: Flags.option({ options: TABS, description: "which view (default: cost)", helpValue: TABS.join("|") })(),
    by: Flags.option({
      options: USAGE_GROUPINGS,
      description: "one row per group",
      helpValue: USAGE_GROUPINGS.join("|"),
    })(),
    csv: Flags.boolean({ description: "one line per group, comma-separated", exclusive: ["json"] }),
    watch: Flags.boolean({ description: "draw again every few seconds until Ctrl-C", exclusive: ["json", "csv"] }),
  };

  async run() {
    const { flags } = await this.parse(Usage);
    const book = priceBook(userPrices(this.env.settings.prices));
    const ask = (nowMs: number) => {
      const { scope, timezone } = scopeOf(flags, this.env, nowMs);
      return this.reading(flags.store, async ({ db, path }) => {
        const used = await usage(db, scope, { tab: flags.tab, by: flags.by, timezone, nowMs, book });
        const page = { width: this.columns, colour: this.colour, timezone };
        return { used, path, text: () => usageText(used, path, page) };
      });
    };
    if (flags.watch) {
      const draw = async () => (await ask(Date.now())).text();
      await watching(WATCH_MS, draw, (text) => this.log(text));
      return {};
    }
    const { used, path, text } = await ask(this.nowMs);
    this.log(flags.csv ? usageCsv(used).trimEnd() : text());
    if (!isUsed(used)) process.exitCode = 3;
    return usageJson(used, path);
  }
}
