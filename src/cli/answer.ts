import { checkSession } from "../diagnostics/checks/session.js";
import { isMeasured } from "../diagnostics/stats.js";
import { Failure } from "../failure.js";
import { statsAndAvoidable } from "../gate/avoidable.js";
import type { Asker } from "../gate/check-fixture.js";
import { exitOf } from "../gate/exit.js";
import type { Question } from "../gate/fixture.js";
import { checkOptions, floorOf } from "../gate/options.js";
import { statsJson } from "../report/stats-json.js";
import { verdictJson } from "../report/verdict-json.js";
import type { Store } from "../store/open.js";
import { dayIn } from "./day.js";
import type { Environment } from "./environment.js";
import { scopeOf } from "./flags.js";

/** Answers the questions of a fixture with what `context stats` and `context validate` would print and exit with. */
export function answering(env: Environment): Asker {
  return (store, question, nowMs) =>
    question.ask === "stats"
      ? statsAnswer(store, textsOf(question), env, nowMs)
      : verdictAnswer(store, question, env, nowMs);
}

type Flags = Record<string, string | undefined>;

async function statsAnswer({ db, path }: Store, flags: Flags, env: Environment, nowMs: number) {
  known(flags, ["session", "tenant", "agent", "lane", "model", "since", "until", "timezone", "floor", "judge"]);
  const { scope, timezone } = scopeOf({ timezone: "UTC", ...flags }, env, nowMs);
  const { stats, spend } = await statsAndAvoidable(db, scope, {
    floor: floorOf(flags.floor),
    judge: flags.judge,
    dayOf: dayIn(timezone),
  });
  return { ...statsJson(stats, path, spend), exit: isMeasured(stats) ? 0 : 3 };
}

async function verdictAnswer({ db, path }: Store, question: Pick<Question, "flags">, env: Environment, nowMs: number) {
  const { session, ...flags } = textsOf(question);
  const switches = ["allow-unjudged", "allow-lost-constraints", "strict-declared"] as const;
  known(flags, ["tenant", "agent", "since", "until", "timezone", "floor", "judge", "require", ...switches]);
  if (session === undefined)
    throw new Failure("fixture.invalid", "validate needs a session", { tries: ["validate: { session: ID }"] });
  const { scope } = scopeOf({ timezone: "UTC", ...flags }, env, nowMs);
  const on = Object.fromEntries(switches.map((name) => [name, question.flags[name] === true]));
  const verdict = await checkSession(db, { ...scope, session }, checkOptions({ ...flags, ...on }, nowMs));
  return { ...verdictJson(verdict, path), exit: exitOf(verdict.verdict) };
}

function textsOf({ flags }: Pick<Question, "flags">): Flags {
  return Object.fromEntries(Object.entries(flags).map(([name, value]) => [name, String(value)]));
}

function known(flags: Flags, names: string[]): void {
  const wrong = Object.keys(flags).find((name) => !names.includes(name) && name !== "session");
  if (wrong !== undefined)
    throw new Failure("fixture.invalid", `"${wrong}" is not a flag of this question`, { tries: names.slice(0, 3) });
}
