import { type Kysely, sql } from "kysely";
import { Failure } from "../failure.js";
import type { PriceBook } from "../pricing/book.js";
import { provenance } from "../pricing/lists.js";
import { newestMs } from "../store/newest.js";
import type { Tables } from "../store/schema.js";
import { type Excluded, excluded, inScope, ofSessions, type Scope, type Selection, select } from "../store/scope.js";
import { type Account, account } from "./account.js";
import { type Activity, activity } from "./activity.js";
import { slotMsOf } from "./calendar.js";
import { type Cell, cellsOf } from "./cells.js";
import { columnsOf, REQUEST_GROUPINGS, type RequestGrouping } from "./groupings.js";
import { type AccountGroup, groupsOf } from "./groups.js";
import { type ToolUse, tools } from "./tools.js";

export const TABS = ["activity", "models", "cost", "sessions", "tools", "cache"] as const;
export type Tab = (typeof TABS)[number];

/** Requests by these; tool calls by the last two. */
export const USAGE_GROUPINGS = [...REQUEST_GROUPINGS, "tool", "server"] as const;
export type UsageGrouping = (typeof USAGE_GROUPINGS)[number];

export interface UsageOptions {
  tab?: Tab | undefined;
  by?: UsageGrouping | undefined;
  /** IANA zone of days, weeks, months and the heatmap. */
  timezone: string;
  nowMs: number;
  book: PriceBook;
}

export interface UsageGroup extends AccountGroup {
  /** Only by session. */
  about: { agent: string; title: string | null; project: string | null } | null;
}

export interface Usage {
  scope: Scope;
  timezone: string;
  tab: Tab;
  by: UsageGrouping;
  coverage: {
    firstAtMs: number | null;
    lastAtMs: number | null;
    /** Where the rest of the scope ends, when the window holds nothing of it; else null. */
    newestAtMs: number | null;
    /** Sessions with a request in scope; these do not add up over windows. */
    sessions: number;
    requests: number;
    completeUsage: number;
    finalOutput: number;
    /** Priced or explicitly free. */
    priced: number;
    cacheCounters: number;
    startTimes: number;
    excluded: Excluded;
    priceLists: typeof provenance;
  };
  total: Account;
  /** Null on the tab of tools. */
  groups: UsageGroup[] | null;
  /** Only on the tab of activity. */
  activity: Activity | null;
  /** Only on the tab of tools. */
  tools: ToolUse[] | null;
}

/**
 * Usage: the account of everything in scope and of its groups, on one state of the store.
 *
 * - A request is in exactly one group, so groups add up to the total: by day, week (from Monday) and month of the zone,
 *   model, agent, project, branch, session, kind of lane, kind of subagent (other lanes by what they are for), and version of the client.
 * - Project, branch and version are those of the turn; where a turn does not say, those of its session.
 * - Sessions total over all their lanes. What a session inherited from another is counted there, not here.
 * - Every filter restricts every figure, tools and activity too.
 */
export function usage(db: Kysely<Tables>, scope: Scope, options: UsageOptions): Promise<Usage> {
  const { tab, by } = chosen(options.tab, options.by);
  const { timezone, book, nowMs } = options;
  const slotMs = slotMsOf(timezone);
  return db.transaction().execute(async (db) => {
    const selection = await select(db, scope);
    const grouping = by === "tool" || by === "server" ? null : by;
    const cells = await cellsOf(db, selection, book, grouping === null ? undefined : columnsOf(grouping, slotMs));
    const total = account(cells, book);
    return {
      scope,
      timezone,
      tab,
      by,
      coverage: await coverageOf(db, selection, cells, total),
      total,
      groups: grouping === null ? null : await named(db, selection, groupsOf(cells, grouping, timezone, book)),
      activity:
        tab === "activity"
          ? activity(
              isByTime(grouping) ? cells : await cellsOf(db, selection, book, columnsOf("day", slotMs)),
              timezone,
              nowMs,
            )
          : null,
      tools: tab === "tools" ? await tools(db, selection, by === "server" ? "server" : "tool") : null,
    };
  });
}

/** True when the scope holds a request or a tool call. */
export function isUsed({ total, tools }: Usage): boolean {
  return total.requests > 0 || (tools?.length ?? 0) > 0;
}

const FITTING: Record<Tab, readonly UsageGrouping[]> = {
  activity: ["day", ...REQUEST_GROUPINGS],
  models: ["model"],
  cost: ["day", ...REQUEST_GROUPINGS],
  sessions: ["session"],
  tools: ["tool", "server"],
  cache: ["day", ...REQUEST_GROUPINGS],
};

/** Without a tab the grouping decides, without both it is the cost by day. */
function chosen(tab: Tab | undefined, by: UsageGrouping | undefined): { tab: Tab; by: UsageGrouping } {
  const shown = tab ?? (by === "tool" || by === "server" ? "tools" : "cost");
  const fitting = FITTING[shown];
  if (by !== undefined && !fitting.includes(by))
    throw new Failure("usage.grouping", `the tab ${shown} is not shown by ${by}`, {
      tries: [`--tab ${shown} --by ${fitting[0]}`, `--by ${by}`],
    });
  return { tab: shown, by: by ?? fitting[0]! };
}

function isByTime(grouping: RequestGrouping | null): boolean {
  return grouping === "day" || grouping === "week" || grouping === "month";
}

async function coverageOf(
  db: Kysely<Tables>,
  selection: Selection,
  cells: Cell[],
  { requests, basis, missing, caching }: Account,
): Promise<Usage["coverage"]> {
  const { sessions } = await db
    .selectFrom("sessions")
    .select(sql<number>`count(*)`.as("sessions"))
    .where(ofSessions(selection, "sessions.id"))
    .where(
      sql<boolean>`exists (select 1 from requests where requests.session = sessions.id and ${inScope(selection, "requests")})`,
    )
    .executeTakeFirstOrThrow();
  let firstAtMs: number | null = null;
  let lastAtMs: number | null = null;
  let timeless = 0;
  for (const cell of cells) {
    if (cell.firstAtMs === null || cell.atMs === null) timeless += cell.requests;
    else {
      firstAtMs = Math.min(firstAtMs ?? cell.firstAtMs, cell.firstAtMs);
      lastAtMs = Math.max(lastAtMs ?? cell.atMs, cell.atMs);
    }
  }
  const usable = requests - basis.withoutUsage;
  return {
    firstAtMs,
    lastAtMs,
    newestAtMs: requests === 0 ? await newestMs(db, selection) : null,
    sessions,
    requests,
    completeUsage: usable - missing.partial,
    finalOutput: usable - missing.unsureOutput,
    priced: basis.priced + basis.free,
    cacheCounters: caching.requests,
    startTimes: requests - timeless,
    excluded: await excluded(db, selection),
    priceLists: provenance,
  };
}

async function named(db: Kysely<Tables>, selection: Selection, groups: AccountGroup[]): Promise<UsageGroup[]> {
  if (groups.every(({ session }) => session === null)) return groups.map((group) => ({ ...group, about: null }));
  const rows = await db
    .selectFrom("sessions")
    .innerJoin("words", "words.id", "sessions.agent")
    .select(["sessions.id", "words.text as agent", "sessions.title", "sessions.project"])
    .where(ofSessions(selection, "sessions.id"))
    .execute();
  const about = new Map(rows.map(({ id, ...rest }) => [id, rest]));
  return groups.map((group) => ({ ...group, about: about.get(group.session ?? -1) ?? null }));
}
