import { Args, Flags } from "@oclif/core";
import { StoreCommand } from "../../src/cli/command.js";
import { scopeFlags, scopeOf, storeFlag, windowFlags } from "../../src/cli/flags.js";
import { CHECKS } from "../../src/diagnostics/checks/check.js";
import { checkSession, checkSessions, combined } from "../../src/diagnostics/checks/session.js";
import { Failure } from "../../src/failure.js";
import { exitOf } from "../../src/gate/exit.js";
import { checkOptions } from "../../src/gate/options.js";
import { verdictJson, verdictsJson } from "../../src/report/verdict-json.js";
import { verdictJunit } from "../../src/report/verdict-junit.js";
import { verdictsText, verdictText } from "../../src/report/verdict-text.js";

export default class ContextValidate extends StoreCommand {
  static override summary = "check a recorded session: shell, tenant, retention and return contract";
  static override description =
    "Exit code 0 pass, 1 violated, 3 unmeasured (too little was recorded to judge), 2 could not be done. A violation wins over missing evidence.";
  static override hiddenAliases = ["context-validate"];
  static override examples = [
    "<%= config.bin %> context validate s-42",
    "<%= config.bin %> context validate s-42 --tenant acme --floor 0.8 --junit validate.xml",
    "<%= config.bin %> context validate --all --since 24h",
  ];
  static override args = { session: Args.string({ description: "session to check (an id matches only itself)" }) };
  static override flags = {
    store: storeFlag,
    all: Flags.boolean({ description: "check every session with anything in the scope" }),
    tenant: Flags.string({ description: "every row must be this tenant's", helpValue: "NAME" }),
    agent: scopeFlags.agent,
    ...windowFlags,
    floor: Flags.string({ description: "lowest acceptable retention (default 0.70)", helpValue: "SHARE" }),
    judge: Flags.string({ description: "whose judgments of retention decide", helpValue: "NAME" }),
    "allow-unjudged": Flags.boolean({ description: "accept compactions that nobody judged" }),
    "allow-lost-constraints": Flags.boolean({ description: "accept lost user constraints" }),
    "strict-declared": Flags.boolean({ description: "declared changes of the shell are violations too" }),
    require: Flags.string({
      description: `checks that must be measured, comma-separated: ${CHECKS.join(", ")}`,
      helpValue: "CHECKS",
    }),
    junit: Flags.string({ description: "also write the verdicts as JUnit XML", helpValue: "FILE" }),
  };

  async run() {
    const { args, flags } = await this.parse(ContextValidate);
    if ((args.session === undefined) !== (flags.all === true)) throw needsOne();
    const { scope, timezone } = scopeOf(flags, this.env, this.nowMs);
    const options = checkOptions(flags, this.nowMs);
    const page = { width: this.columns, colour: this.colour, timezone };
    return this.reading(flags.store, async ({ db, path }) => {
      const results =
        args.session === undefined
          ? await checkSessions(db, scope, options)
          : [await checkSession(db, { ...scope, session: args.session }, options)];
      process.exitCode = exitOf(combined(results.map(({ verdict }) => verdict)));
      if (flags.junit !== undefined) this.write("--junit", flags.junit, verdictJunit(results));
      const [only] = results;
      this.log(flags.all || only === undefined ? verdictsText(results, path, page) : verdictText(only, path, page));
      return flags.all || only === undefined ? verdictsJson(results, scope, path) : verdictJson(only, path);
    });
  }
}

function needsOne(): Failure {
  return new Failure("usage", "name one session, or ask for --all", {
    tries: ["sonny context validate SESSION", "sonny context validate --all --since 24h"],
  });
}
