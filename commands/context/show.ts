import { Flags } from "@oclif/core";
import { type Asked, SessionCommand, sessionArgs, sessionFlags } from "../../src/cli/session-command.js";
import { type LaneFacts, laneFacts, laneTexts, type ToldCompaction } from "../../src/diagnostics/lane-record.js";
import { cacheMisses } from "../../src/diagnostics/misses/cache-misses.js";
import { inSnapshot } from "../../src/diagnostics/snapshot.js";
import { type TimelineEntry, type TimelineRequest, timeline } from "../../src/diagnostics/timeline.js";
import { Failure } from "../../src/failure.js";
import { retold, worded } from "../../src/ingest/retell.js";
import { priceBook } from "../../src/pricing/book.js";
import { userPrices } from "../../src/pricing/user-prices.js";
import { requestText, timelineJson, timelineText } from "../../src/report/timeline.js";
import {
  isComplete,
  type Material,
  tellsCheckpoints,
  VIEWS,
  type ViewName,
  viewJson,
  viewOf,
} from "../../src/report/views.js";
import { viewText } from "../../src/report/views-text.js";
import { courseOf, isDivided } from "../../src/retention/context.js";
import type { Store } from "../../src/store/open.js";
import { select } from "../../src/store/scope.js";

export default class ContextShow extends SessionCommand {
  static override summary = "one session step by step: requests with sizes, reads, writes, misses, and compactions";
  static override description =
    "With --view the words of one lane: all that was said (user), what the model has in its context (model), the checkpoints (summary), or what each compaction dropped and kept (diff). They are read again from the transcript, without recognised credentials; a text that cannot be read is exit code 2, a session without compactions 3.";
  static override examples = [
    "<%= config.bin %> <%= command.id %> s-42",
    "<%= config.bin %> <%= command.id %> s-42 --request 7 --json",
    "<%= config.bin %> <%= command.id %> s-7 --view diff",
    "<%= config.bin %> <%= command.id %> s-7 --view model --request 2",
  ];
  static override args = sessionArgs;
  static override flags = {
    ...sessionFlags,
    request: Flags.integer({
      description: "only this request of the list, whole; with --view, how things were before it was sent",
      helpValue: "N",
      min: 1,
    }),
    view: Flags.option({
      options: VIEWS,
      description: "the words of one lane (the parent's, unless --lane names one)",
      helpValue: "VIEW",
      exclusive: ["since", "until"],
    })(),
  };

  async run() {
    const { args, flags } = await this.parse(ContextShow);
    return this.askAbout(args.session, flags, (asked) =>
      flags.view === undefined ? this.list(asked, flags.request) : this.view(asked, flags.view, flags.request),
    );
  }

  private async list({ store, session, scope, page }: Asked, number: number | undefined) {
    const prices = priceBook(userPrices(this.env.settings.prices));
    const { entries, misses } = await inSnapshot(store.db, async (db) => {
      const selection = await select(db, scope);
      return { entries: await timeline(db, selection), misses: await cacheMisses(db, selection, prices) };
    });
    const byRequest = new Map(misses.all.map((miss) => [miss.eventId, miss]));
    if (entries.length === 0) process.exitCode = 3;
    const only = number === undefined ? null : requestOf(entries, number);
    this.log(
      only === null
        ? timelineText(session, entries, byRequest, store.path, page)
        : requestText(only, byRequest.get(only.eventId), page),
    );
    const shown = timelineJson(only === null ? entries : [only], byRequest);
    return { schemaVersion: 1, store: store.path, session, entries: shown };
  }

  private async view({ store, session, scope, page }: Asked, name: ViewName, number: number | undefined) {
    const told = await inSnapshot(store.db, (db) => laneTold(db, scope, name, number));
    const material = { store: store.path, session, ...told };
    const missing = missingFor(name, told);
    if (missing !== null) throw missing;
    const view = viewOf(name, material);
    if ("compactions" in view && view.compactions.length === 0) process.exitCode = 3;
    this.log(viewText(material, view, page));
    return viewJson(material, view);
  }
}

type Told = Omit<Material, "store" | "session"> & { why: string | null; path: string | undefined };

/** What was said in one lane and what became of it; or `why` that cannot be told. */
async function laneTold(
  db: Store["db"],
  scope: Asked["scope"],
  view: ViewName,
  number: number | undefined,
): Promise<Told> {
  const entries = await timeline(db, await select(db, scope));
  const request = number === undefined ? null : requestOf(entries, number);
  const selection = await select(db, request === null ? scope : { ...scope, lane: request.lane ?? "main" });
  const { agent, lane, texts } = await laneTexts(db, selection);
  const places = request === null ? texts : texts.filter(({ path }) => path === request.source);
  const text = retold(places, lane);
  const place = text.why === null ? text.place : places[0];
  const { compactions, calls } = place === undefined ? NOTHING : await laneFacts(db, selection, lane, place.source);
  const passages = text.why === null ? text.passages : [];
  const until = request === null ? undefined : (request.offset ?? 0);
  const why = until === undefined || isDivided(passages, until) ? text.why : "its places do not tell what came before";
  const sent = entries.filter((entry) => entry.kind === "request" && entry.lane === lane) as TimelineRequest[];
  return {
    agent,
    lane,
    path: place?.path,
    source: text.why === null ? text.place.path : null,
    sourceChanged: text.why === null && text.changed,
    request,
    latest: request ?? sent.at(-1) ?? null,
    course: courseOf(passages, view === "diff" ? compactions.map(withWords) : compactions, until),
    calls,
    why,
  };
}

/** The words of what was lost, as far as the transcript still tells them. */
function withWords(compaction: ToldCompaction): ToldCompaction {
  const { losses } = compaction;
  if (losses === null || losses.judgment === null) return compaction;
  const { agent, lane, judgment } = losses;
  const { facts } = worded(judgment.lost, { agent, path: judgment.source, lane: lane ?? "main" });
  return { ...compaction, losses: { ...losses, judgment: { ...judgment, lost: facts } } };
}

const NOTHING: LaneFacts = { compactions: [], calls: new Map() };

/** A view that would show less than it says is none. */
function missingFor(view: ViewName, { why, path, course }: Told): Failure | null {
  const tries = path === undefined ? ["sonny import"] : [`sonny import ${path}`];
  if (why !== null && !(view === "summary" && tellsCheckpoints(course))) {
    return new Failure("text.unavailable", `the text of this session is not available: ${why}`, { tries });
  }
  if (view !== "model" || isComplete(course)) return null;
  const what = `what the model has is not known: ${path} does not tell where the context was compacted`;
  return new Failure("text.unplaced", what, { tries: [...tries, "--view user", "--view summary"] });
}

function requestOf(entries: TimelineEntry[], number: number): TimelineRequest {
  const requests = entries.filter((entry) => entry.kind === "request");
  const found = requests.find((request) => request.number === number);
  if (found !== undefined) return found;
  throw new Failure("request.unknown", `there is no request ${number}: the list has ${requests.length}`, {
    tries: ["--request 1"],
  });
}
