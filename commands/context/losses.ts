import { Flags } from "@oclif/core";
import { SessionCommand, sessionArgs, sessionFlags } from "../../src/cli/session-command.js";
import { type CompactionLosses, losses } from "../../src/diagnostics/losses.js";
import { inSnapshot } from "../../src/diagnostics/snapshot.js";
import { Failure } from "../../src/failure.js";
import { worded } from "../../src/ingest/retell.js";
import { lossesJson, lossesText, type NumberedLosses } from "../../src/report/losses.js";
import { type FactKind, WEIGHTS } from "../../src/retention/mentions.js";
import { select } from "../../src/store/scope.js";

export default class ContextLosses extends SessionCommand {
  static override summary = "what each compaction lost: facts of the replaced text that its checkpoint does not say";
  static override description =
    "The judgment was made at import. The words are read again from the transcript, unless they were kept with --content; when the file is gone, only their places are shown. Exit code 3 when no compaction in the scope was judged.";
  static override examples = [
    "<%= config.bin %> <%= command.id %> s-42",
    "<%= config.bin %> <%= command.id %> s-42 --compaction 2 --kind user_constraint",
    "<%= config.bin %> <%= command.id %> s-42 --json",
  ];
  static override args = sessionArgs;
  static override flags = {
    ...sessionFlags,
    kind: Flags.option({
      options: Object.keys(WEIGHTS) as FactKind[],
      description: "only lost facts of this kind",
      helpValue: "KIND",
    })(),
    compaction: Flags.integer({ description: "only the compaction with this number", helpValue: "N", min: 1 }),
  };

  async run() {
    const { args, flags } = await this.parse(ContextLosses);
    return this.askAbout(args.session, flags, async ({ store, session, scope, page }) => {
      const all = await inSnapshot(store.db, async (db) => losses(db, await select(db, scope)));
      const shown = all
        .map((compaction, at) => ({ ...compaction, number: at + 1 }))
        .filter(({ number }) => flags.compaction === undefined || number === flags.compaction)
        .map((compaction) => withWords(onlyKind(compaction, flags.kind)));
      if (flags.compaction !== undefined && shown.length === 0) {
        throw new Failure("compaction.unknown", `session ${session} has ${all.length} compactions in this scope`, {
          tries: [`sonny context losses ${session}`],
        });
      }
      this.log(lossesText(session, shown, store.path, page));
      if (!shown.some(({ judgment }) => judgment !== null)) process.exitCode = 3;
      return { schemaVersion: 1, store: store.path, session, compactions: shown.map(lossesJson) };
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
  const { judgment, agent, lane } = compaction;
  if (judgment === null) return { ...compaction, sourceReadable: true };
  const { facts, readable } = worded(judgment.lost, { agent, path: judgment.source, lane: lane ?? "main" });
  return { ...compaction, judgment: { ...judgment, lost: facts }, sourceReadable: readable };
}
