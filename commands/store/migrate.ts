import { SonnyCommand } from "../../src/cli/command.js";
import { storePath } from "../../src/cli/environment.js";
import { storeFlag } from "../../src/cli/flags.js";
import { migrateStore } from "../../src/store/care.js";

export default class StoreMigrate extends SonnyCommand {
  static override summary = "bring an older store to this version's schema";
  static override description =
    "Takes a verified backup first, then runs all steps in one transaction. A store that is current stays as it is.";
  static override examples = [
    "<%= config.bin %> <%= command.id %>",
    "<%= config.bin %> <%= command.id %> --store ./other.db",
  ];
  static override flags = { store: storeFlag };

  async run() {
    const { flags } = await this.parse(StoreMigrate);
    const { path, applied, backup } = migrateStore(storePath(flags.store, this.env), this.nowMs);
    this.log(
      applied.length === 0
        ? `${path} is current`
        : `${path}: applied ${applied.join(", ")}; the old state is in ${backup}`,
    );
    return { schemaVersion: 1, store: path, applied, backup };
  }
}
