import { resolve } from "node:path";
import { Args, Flags } from "@oclif/core";
import { StoreCommand } from "../src/cli/command.js";
import { scopeOf, storeFlag } from "../src/cli/flags.js";
import { importers as allImporters } from "../src/ingest/agents.js";
import { drySink } from "../src/ingest/dry-run.js";
import { type ImportOptions, importFound, type Progress, transcriptsAmong } from "../src/ingest/import.js";
import { existingPlaces, listed, placeOf } from "../src/ingest/list.js";
import { importText } from "../src/report/import.js";
import { listJson, listText, pathsText } from "../src/report/import-list.js";
import { createKnown } from "../src/store/known.js";
import { storeSink } from "../src/store/sink.js";

export default class Import extends StoreCommand {
  static override summary = "read agent transcripts into the store, each request once";
  static override description =
    "Without a PATH looks where the known agents keep their transcripts. Goes on where the last import stopped; doing it again changes nothing. A file is recognised by its content. Exit code 2 when a named PATH could not be imported; with --strict also when any line, event or file was left out. Everything else is stored first.";
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
    "dry-run": Flags.boolean({ description: "count what an import would add, store nothing" }),
    strict: Flags.boolean({ description: "exit 2 when a line, an event or a file was left out" }),
    list: Flags.boolean({ description: "only say what is where, how far back it reaches, and what it can tell" }),
  };

  async run() {
    const { argv, flags } = await this.parse(Import);
    const importers = allImporters.filter(({ agent }) => flags.agent === "auto" || agent === flags.agent);
    const named = argv.map((path) => resolve(this.env.cwd, String(path)));
    if (flags.list) {
      const page = { width: this.columns, colour: this.colour, timezone: scopeOf({}, this.env, this.nowMs).timezone };
      const agents = named.length > 0 ? [] : listed(importers, this.env);
      const places = named.map((path) => placeOf(path, importers));
      this.log(named.length > 0 ? pathsText(places, page) : listText(agents, page));
      return listJson(agents, places);
    }
    const options: ImportOptions = {
      importers,
      tenant: flags.tenant ?? this.env.settings.tenant ?? null,
      content: flags.content,
      onProgress: (progress) => this.progress(progressText(progress)),
    };
    const found = transcriptsAmong(named.length > 0 ? named : existingPlaces(importers, this.env), importers);
    // A mistyped path makes no store.
    const nothing = named.length > 0 && found.files.length === 0;
    const report =
      flags["dry-run"] || nothing
        ? await this.readingIfThere(flags.store, (store) => ({
            store: null,
            comparedWith: store?.path ?? null,
            ...importFound(found, drySink(store === null ? undefined : createKnown(store)), options),
          }))
        : await this.writing(flags.store, (store) => ({
            store: store.path,
            comparedWith: null,
            ...importFound(found, storeSink(store, { nowMs: Date.now, machine: this.env.machine }), options),
          }));
    this.progress("");
    this.log(importText(report));
    const leftOut = report.files.refused + report.lines.skipped + report.events.refused;
    if ((named.length > 0 && report.named.refused > 0) || (flags.strict && leftOut > 0)) process.exitCode = 2;
    return { schemaVersion: 1, ...report };
  }
}

function progressText({ files, filesDone, bytes, bytesDone }: Progress): string {
  const share = bytes === 0 ? 100 : Math.floor((100 * bytesDone) / bytes);
  return `reading transcripts: ${filesDone} of ${files} files, ${share} %`;
}
