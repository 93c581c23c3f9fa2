import { Args, Flags } from "@oclif/core";
import { StoreCommand } from "../../src/cli/command.js";
import { scopeFlags, scopeOf, storeFlag, windowFlags } from "../../src/cli/flags.js";
import { type CompactionLosses, losses } from "../../src/diagnostics/losses.js";
import { inSnapshot } from "../../src/diagnostics/snapshot.js";
import { Failure } from "../../src/failure.js";
import { importers } from "../../src/ingest/agents.js";
import { wordsAt } from "../../src/ingest/reread.js";
import { lossesJson, lossesText, type NumberedLosses } from "../../src/report/losses.js";
import { type FactKind, WEIGHTS } from "../../src/retention/mentions.js";
import { select } from "../../src/store/scope.js";
import { sessionKey } from "../../src/store/sessions.js";

export default class ContextLosses extends StoreCommand {
  static override summary = "what each compaction lost: facts of the replaced text that its checkpoint does not say";
  static override description =
    "The judgment was made at import. The words are read again from the transcript, unless they were kept with --content; when the file is gone, only their places are shown. Exit code 3 when no compaction in the scope was judged.";
  static override examples = [
    "<%= config.bin %> <%= command.id %> s-42",
    "<%= config.bin %> <%= command.id %> s-42 --compaction 2 --kind user_constraint",
    "<%= config.bin %> <%= command.id %> s-42 --json",
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
    kind: Flags.option({
      options: Object.keys(WEIGHTS) as FactKind[],
      description: "only lost facts of this kind",
      helpValue: "KIND",
    })(),
    compaction: Flags.integer({ description: "only the compaction with this number", helpValue: "N", min: 1 }),
  };

  async run() {
    const { args, flags } = await this.parse(ContextLosses);
    const { scope, timezone } = scopeOf({ ...flags, session: args.session }, this.env, this.nowMs);
    return this.reading(flags.store, async (store) => {
      sessionKey(store, args.session, flags.agent);
      const all = await inSnapshot(store.db, async (db) => losses(db, await select(db, scope)));
      const shown = all
        .map((compaction, at) => ({ ...compaction, number: at + 1 }))
        .filter(({ number }) => flags.compaction === undefined || number === flags.compaction)
        .map((compaction) => withWords(onlyKind(compaction, flags.kind)));
      if (flags.compaction !== undefined && shown.length === 0) {
        throw new Failure("compaction.unknown", `session ${args.session} has ${all.length} compactions in this scope`, {
          tries: [`sonny context losses ${args.session}`],
        });
      }
      this.log(lossesText(args.session, shown, store.path, { width: this.columns, colour: this.colour, timezone }));
      if (!shown.some(({ judgment }) => judgment !== null)) process.exitCode = 3;
      return { schemaVersion: 1, store: store.path, session: args.session, compactions: shown.map(lossesJson) };
    });
  }
}

type Numbered = CompactionLosses & { number: number };

function onlyKind(compaction: Numbered, kind: string | undefined): Numbered {
  const { judgment } = compaction;
  if (judgment === null || kind === undefined) return compaction;
  const ofKind = <T extends { kind: string }>(facts: T[]) => facts.filter((fact) => fact.kind === kind);
  return { ...compaction, judgment: { ...judgment, kinds: ofKind(judgment.kinds), lost: ofKind(judgment.lost) } };
}

/** The words of lost facts, as far as the transcript still tells them. */
function withWords(compaction: Numbered): NumberedLosses {
  const { judgment } = compaction;
  const silent = judgment?.lost.filter(({ words }) => words === null) ?? [];
  const importer = importers.find(({ agent }) => agent === compaction.agent);
  if (judgment === null || silent.length === 0 || importer === undefined)
    return { ...compaction, sourceReadable: true };
  const positions = silent.flatMap(({ position }) => position ?? []);
  const words = wordsAt(judgment.source, importer, compaction.lane ?? "main", positions);
  const lost = judgment.lost.map((fact) => ({ ...fact, words: fact.words ?? words?.get(fact.digest) ?? null }));
  return { ...compaction, judgment: { ...judgment, lost }, sourceReadable: words !== null };
}
