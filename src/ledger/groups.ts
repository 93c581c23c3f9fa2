import type { PriceBook } from "../pricing/book.js";
import { type Account, account } from "./account.js";
import { type PeriodKind, periodIn } from "./calendar.js";
import type { Cell } from "./cells.js";
import type { RequestGrouping } from "./groupings.js";

/** The account of one part of the scope. */
export interface AccountGroup {
  /** Null: the record does not say which group it belongs to. */
  key: string | null;
  /** Row of the session, where the grouping is by session: two agents can use one id. */
  session: number | null;
  account: Account;
}

/** Cells sorted into groups. Every request is in exactly one group, so the groups add up to the whole. */
export function groupsOf(cells: Cell[], by: RequestGrouping, timezone: string, book: PriceBook): AccountGroup[] {
  const keyOf = PERIOD_OF[by] === undefined ? (cell: Cell) => cell.label : periodKeys(timezone, PERIOD_OF[by]);
  const parts = new Map<string, { key: string | null; session: number | null; cells: Cell[] }>();
  for (const cell of cells) {
    const key = keyOf(cell);
    const session = by === "session" ? cell.session : null;
    const id = JSON.stringify([key, session]);
    const part = parts.get(id);
    if (part === undefined) parts.set(id, { key, session, cells: [cell] });
    else part.cells.push(cell);
  }
  const groups = [...parts.values()].map(({ cells: own, ...part }) => ({ ...part, account: account(own, book) }));
  return groups.sort(PERIOD_OF[by] === undefined ? dearestFirst : byKey);
}

const PERIOD_OF: Partial<Record<RequestGrouping, PeriodKind>> = { day: "day", week: "week", month: "month" };

function periodKeys(timezone: string, kind: PeriodKind): (cell: Cell) => string | null {
  const periodOf = periodIn(timezone, kind);
  return ({ slot }) => (slot === null ? null : periodOf(slot).key);
}

function byKey(a: AccountGroup, b: AccountGroup): number {
  return (a.key ?? "").localeCompare(b.key ?? "");
}

function dearestFirst(a: AccountGroup, b: AccountGroup): number {
  const [one, other] = [a.account.cost.picos, b.account.cost.picos];
  if (one !== other) return one > other ? -1 : 1;
  return b.account.requests - a.account.requests || byKey(a, b);
}
