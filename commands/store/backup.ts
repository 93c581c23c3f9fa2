import { SonnyCommand } from "../../src/cli/command.js";
import { storePath } from "../../src/cli/environment.js";
import { storeFlag } from "../../src/cli/flags.js";
import { backUpStore } from "../../src/store/care.js";

export default class StoreBackup extends SonnyCommand {
  static override summary = "take a verified copy of the store, in backups/ beside it";
  static override examples = [
    "<%= config.bin %> <%= command.id %>",
    "<%= config.bin %> <%= command.id %> --store ./other.db",
  ];
  static override flags = { store: storeFlag };

  async run() {
    const { flags } = await this.parse(StoreBackup);
    const { path, backup } = backUpStore(storePath(flags.store, this.env), this.nowMs);
    this.log(`backed up to ${backup}`);
    return { schemaVersion: 1, store: path, backup };
  }
}
