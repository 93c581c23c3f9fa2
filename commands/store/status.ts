import { StoreCommand } from "../../src/cli/command.js";
import { scopeOf, storeFlag, windowFlags } from "../../src/cli/flags.js";
import { statusJson, statusText } from "../../src/report/store.js";
import { statusOf } from "../../src/store/status.js";

export default class StoreStatus extends StoreCommand {
  static override summary = "what is in the store, where, and whether anything was lost";
  static override examples = [
    "<%= config.bin %> <%= command.id %>",
    "<%= config.bin %> <%= command.id %> --store ./other.db --json",
  ];
  static override flags = { store: storeFlag, timezone: windowFlags.timezone };

  async run() {
    const { flags } = await this.parse(StoreStatus);
    const { timezone } = scopeOf(flags, this.env, this.nowMs);
    return this.reading(flags.store, (store) => {
      const status = statusOf(store);
      this.log(statusText(status, { width: this.columns, colour: this.colour, timezone }));
      return statusJson(status);
    });
  }
}
