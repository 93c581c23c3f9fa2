import type { SessionEvent } from "../events/event.js";
import { hexOf } from "../events/identity.js";
import type { Appended, Sink } from "../events/sink.js";

/** A sink that keeps nothing and counts as an empty store would: each thing once, copies in other sources apart. */
export function drySink(): Sink {
  const sources = new Map<string, string>();
  return {
    cursorOf: () => null,
    append(parts) {
      const result: Appended = { added: {}, known: 0, copies: 0, tenantConflicts: 0, forgotten: 0, refused: [] };
      const add = (kind: SessionEvent["kind"]) => {
        result.added[kind] = (result.added[kind] ?? 0) + 1;
      };
      for (const { source, events } of parts) {
        for (const { kind, eventId } of events) {
          const thing = `${kind} ${hexOf(eventId)}`;
          const first = sources.get(thing);
          if (first === undefined) {
            sources.set(thing, source.locator);
            add(kind);
          } else if (first === source.locator || sources.has(`${thing} ${source.locator}`)) result.known += 1;
          else {
            sources.set(`${thing} ${source.locator}`, source.locator);
            add(kind);
            if (kind === "request") result.copies += 1;
          }
        }
      }
      return result;
    },
  };
}
