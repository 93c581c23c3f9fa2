import type { SessionEvent } from "../events/event.js";
import { hexOf } from "../events/identity.js";
import type { Appended, Cursor, Sink, Source } from "../events/sink.js";

/** What the store holds already; see `store/known.ts`. */
interface Known {
  cursorOf(source: Source): Cursor | null;
  find(
    event: SessionEvent,
    source: Source,
  ): { where: "here" | "elsewhere" | "nowhere" | "forgotten"; tenant: string | null };
}

const EMPTY: Known = { cursorOf: () => null, find: () => ({ where: "nowhere", tenant: null }) };

/** A sink that keeps nothing and counts as the store would: each thing once, copies in other sources apart. */
export function drySink(store: Known = EMPTY): Sink {
  /** Who said a thing first, and who else did. */
  const first = new Map<string, string>();
  const others = new Set<string>();
  return {
    cursorOf: store.cursorOf,
    append(parts) {
      const result: Appended = { added: {}, known: 0, copies: 0, tenantConflicts: 0, forgotten: 0, refused: [] };
      for (const { source, events } of parts) {
        for (const event of events) {
          const { where, tenant } = store.find(event, source);
          if (where === "forgotten") {
            result.forgotten += 1;
            continue;
          }
          if (tenant !== null && event.tenant !== null && event.tenant !== tenant) result.tenantConflicts += 1;
          const thing = `${event.kind} ${hexOf(event.eventId)}`;
          const teller = first.get(thing);
          const again = teller === source.locator || others.has(`${thing} ${source.locator}`);
          if (teller === undefined) first.set(thing, source.locator);
          else if (!again) others.add(`${thing} ${source.locator}`);
          if (where === "here" || again) result.known += 1;
          else {
            result.added[event.kind] = (result.added[event.kind] ?? 0) + 1;
            if (event.kind === "request" && (where === "elsewhere" || teller !== undefined)) result.copies += 1;
          }
        }
      }
      return result;
    },
  };
}
