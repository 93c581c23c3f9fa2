import { open } from "node:fs/promises";
import { resolve } from "node:path";
import { Flags } from "@oclif/core";
import { StoreCommand } from "../src/cli/command.js";
import { storeFlag } from "../src/cli/flags.js";
import { Failure } from "../src/failure.js";
import { readDoor } from "../src/ingest/door/read.js";
import { doorText } from "../src/report/door.js";
import { agentsOf, holdsSubject } from "../src/store/sessions.js";
import { storeSink } from "../src/store/sink.js";

export default class Record extends StoreCommand {
  static override summary = "append events of your own: judgments, contract results, waivers, whole sessions";
  static override description =
    "Reads JSON lines, one event each, from standard input or a file. Reading the same lines twice changes nothing. The vocabulary is docs/reference/events.md.";
  static override examples = [
    "<%= config.bin %> <%= command.id %> < judgments.jsonl",
    "<%= config.bin %> <%= command.id %> --file judgments.jsonl --tenant acme",
  ];
  static override flags = {
    store: storeFlag,
    file: Flags.string({ description: "read this file instead of standard input", helpValue: "PATH" }),
    tenant: Flags.string({ description: "tenant of the events that name none", helpValue: "NAME" }),
  };

  async run() {
    const { flags } = await this.parse(Record);
    const file = flags.file === undefined ? undefined : resolve(this.env.cwd, flags.file);
    const input = file === undefined ? process.stdin : (await open(file).catch(unreadable(file))).createReadStream();
    const tenant = flags.tenant ?? this.env.settings.tenant ?? null;
    const report = await this.writing(flags.store, async (store) => ({
      schemaVersion: 1,
      store: store.path,
      ...(await readDoor(input, file ?? "stdin", storeSink(store, { nowMs: Date.now, machine: this.env.machine }), {
        tenant,
        agentOf: (session) => agentsOf(store, session)[0] ?? "custom",
        holds: (id) => holdsSubject(store, id),
      }).catch(unreadable(file))),
    }));
    this.log(doorText(report));
    if (report.lines.skipped > 0) process.exitCode = 2;
    return report;
  }
}

function unreadable(file: string | undefined) {
  return (cause: NodeJS.ErrnoException): never => {
    if (file === undefined || cause.syscall === undefined) throw cause;
    throw new Failure("record.unreadable", `${file} cannot be read: ${cause.code}`, { tries: ["--file PATH"], cause });
  };
}
