import { PREFIX } from "../own.js";
import type { Attributes, Span } from "../signals.js";
import type { Said } from "./emitter.js";

/** Name of the scope under which sonny sends. */
export const OWN_SCOPE = "sonny";

/** Spans that sonny sent itself: they and their events carry whole events. */
export function own({ scope, attributes, events }: Span): Said | null {
  if (scope !== OWN_SCOPE) return null;
  const said = [attributes, ...events.map((event) => event.attributes)];
  return { own: said.filter((carried) => carried.has(`${PREFIX}event`)).map(ownAttributesIn) };
}

function ownAttributesIn(attributes: Attributes): Record<string, unknown> {
  return Object.fromEntries([...attributes].filter(([name]) => name.startsWith(PREFIX)));
}
