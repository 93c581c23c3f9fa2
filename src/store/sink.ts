import type { Sink } from "../events/sink.js";
import { createWriter, type WriterOptions } from "./append.js";
import type { Store } from "./open.js";
import { createSources } from "./sources.js";

/** The store as a taker of whole batches. Open the store for writing. */
export function storeSink(store: Store, options: WriterOptions): Sink {
  const { cursorOf } = createSources(store.raw);
  const append = createWriter(store, options);
  return { cursorOf, append };
}
