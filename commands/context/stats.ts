import { Flags } from "@oclif/core";
import { StoreCommand } from "../../src/cli/command.js";
import { dayIn } from "../../src/cli/day.js";
import { scopeFlags, scopeOf, storeFlag, windowFlags } from "../../src/cli/flags.js";
import { GROUPINGS } from "../../src/diagnostics/groups.js";
import { isMeasured } from "../../src/diagnostics/stats.js";
import { statsAndAvoidable } from "../../src/gate/avoidable.js";
import { floorOf } from "../../src/gate/options.js";
import { priceBook } from "../../src/pricing/book.js";
import { userPrices } from "../../src/pricing/user-prices.js";
import { statsCsv } from "../../src/report/stats-csv.js";
import { statsJson } from "../../src/report/stats-json.js";
import { statsText } from "../../src/report/stats-text.js";

export default class ContextStats extends StoreCommand {
  static override summary = "what the context is doing: coverage first, then cache, prefix, recipes, leaks and totals";
  static override description =
    "Every filter restricts every figure. A value that was not recorded is –, which is not zero. Exit code 3 when nothing is recorded in the scope.";
  static override hiddenAliases = ["context-stats"];
  static override examples = [
    "<%= config.bin %> context stats --since 7d",
    "<%= config.bin %> context stats --session s-42 --json",
    "<%= config.bin %> context stats --tenant acme --by model --csv",
  ];
  static override flags = {
    store: storeFlag,
    ...scopeFlags,
    ...windowFlags,
    by: Flags.option({
      options: GROUPINGS,
      description: "the same figures per group",
      helpValue: GROUPINGS.join("|"),
    })(),
    floor: Flags.string({ description: "retention below this counts as below (default 0.70)", helpValue: "SHARE" }),
    judge: Flags.string({ description: "whose judgments of retention to show", helpValue: "NAME" }),
    csv: Flags.boolean({ description: "one line per figure, comma-separated", exclusive: ["json"] }),
  };

  async run() {
    const { flags } = await this.parse(ContextStats);
    const { scope, timezone } = scopeOf(flags, this.env, this.nowMs);
    const prices = priceBook(userPrices(this.env.settings.prices));
    const options = { floor: floorOf(flags.floor), judge: flags.judge, by: flags.by, dayOf: dayIn(timezone), prices };
    const page = { width: this.columns, colour: this.colour, timezone };
    return this.reading(flags.store, async ({ db, path }) => {
      const { stats, spend } = await statsAndAvoidable(db, scope, options);
      this.log(flags.csv ? statsCsv(stats, spend).trimEnd() : statsText(stats, path, spend, options.floor, page));
      if (!isMeasured(stats)) process.exitCode = 3;
      return statsJson(stats, path, spend);
    });
  }
}
