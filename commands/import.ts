import { resolve } from "node:path";
import { Args, Flags } from "@oclif/core";
import { StoreCommand } from "../src/cli/command.js";
import { storeFlag } from "../src/cli/flags.js";
import { importers as allImporters } from "../src/ingest/agents.js";
import { drySink } from "../src/ingest/dry-run.js";
import { findFiles } from "../src/ingest/find.js";
import { type ImportOptions, importFiles, type Progress } from "../src/ingest/import.js";
import { existingPlaces, listed } from "../src/ingest/list.js";
import { importText, listText } from "../src/report/import.js";
import { storeSink } from "../src/store/sink.js";

export default class Import extends StoreCommand {
  static override summary = "read agent transcripts into the store, each request once";
  static override description =
    "Without a PATH looks where the known agents keep their transcripts. Goes on where the last import stopped; doing it again changes nothing. A file is recognised by its content. Exit code 2 when a named PATH could not be imported; with --strict also when any line or file was left out. Everything else is stored first.";
  static override examples = [
    "<%= config.bin %> <%= command.id %>",
    "<%= config.bin %> <%= command.id %> ~/.claude/projects --tenant acme",
    "<%= config.bin %> <%= command.id %> --list",
    "<%= config.bin %> <%= command.id %> --dry-run --agent claude-code --json",
    "<%= config.bin %> <%= command.id %> session.jsonl --content --strict",
  ];
  static override strict = false;
  static override args = { path: Args.string({ name: "PATH", description: "files and folders with transcripts" }) };
  static override flags = {
    store: storeFlag,
    agent: Flags.option({
      options: ["auto", ...allImporters.map(({ agent }) => agent)] as const,
      default: "auto",
      description: "only transcripts of this agent",
      helpValue: "NAME",
    })(),
    tenant: Flags.string({ description: "whose data this is", helpValue: "NAME" }),
    content: Flags.boolean({ description: "also keep texts of tool calls and checkpoints, after redaction" }),
    "dry-run": Flags.boolean({ description: "read and count, store nothing" }),
    strict: Flags.boolean({ description: "exit 2 when a line or a file was left out" }),
    list: Flags.boolean({ description: "only say what is where" }),
  };

  async run() {
    const { argv, flags } = await this.parse(Import);
    const importers = allImporters.filter(({ agent }) => flags.agent === "auto" || agent === flags.agent);
    const places = existingPlaces(importers, this.env);
    const paths = argv.length > 0 ? argv.map((path) => resolve(this.env.cwd, String(path))) : [...places.keys()];
    if (flags.list) {
      const found = listed(paths, importers, places);
      this.log(
        listText(
          found,
          importers.flatMap((importer) => importer.places(this.env)),
        ),
      );
      return { schemaVersion: 1, places: found };
    }
    const options: ImportOptions = {
      importers,
      tenant: flags.tenant ?? this.env.settings.tenant ?? null,
      content: flags.content,
      onProgress: (progress) => this.progress(progressText(progress)),
    };
    // A mistyped path makes no store.
    const nothing = argv.length > 0 && !findFiles(paths, () => true).files.length;
    const report =
      flags["dry-run"] || nothing
        ? { store: null, ...importFiles(paths, drySink(), options) }
        : await this.writing(flags.store, (store) => ({
            store: store.path,
            ...importFiles(paths, storeSink(store, { nowMs: Date.now, machine: this.env.machine }), options),
          }));
    this.progress("");
    this.log(importText(report));
    const leftOut = report.files.refused + report.lines.skipped;
    if ((argv.length > 0 && report.named.refused > 0) || (flags.strict && leftOut > 0)) process.exitCode = 2;
    return { schemaVersion: 1, ...report };
  }
}

function progressText({ files, filesDone, bytes, bytesDone }: Progress): string {
  const share = bytes === 0 ? 100 : Math.floor((100 * bytesDone) / bytes);
  return `reading transcripts: ${filesDone} of ${files} files, ${share} %`;
}
