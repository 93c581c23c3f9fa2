import type { Appended, Sink, SourceBatch } from "../events/sink.js";
import { Failure } from "../failure.js";
import { createWriter, type WriterOptions } from "./append.js";
import type { Store } from "./open.js";
import { createReplaced } from "./replaced.js";
import { createSources } from "./sources.js";

/** A sink that can be asked not to wait. */
export interface StoreSink extends Sink {
  /** Like `append`, but gives up at once: null when somebody else is writing. */
  appendNow(parts: SourceBatch[]): Appended | null;
}

/** The store as a taker of whole batches. Open the store for writing. */
export function storeSink(store: Store, options: WriterOptions): StoreSink {
  const { cursorOf } = createSources(store.raw);
  const write = createWriter(store, options);
  const replacedIn = createReplaced(store.raw);
  const append = (parts: SourceBatch[]): Appended => {
    if (!parts.some(({ replace }) => replace)) return write(parts);
    const replaced = replacedIn(parts);
    return { ...write(parts), replaced };
  };
  return {
    cursorOf,
    append,
    appendNow(parts) {
      const waits = store.raw.pragma("busy_timeout", { simple: true });
      store.raw.pragma("busy_timeout = 0");
      try {
        return append(parts);
      } catch (error) {
        if (error instanceof Failure && error.code === "store.busy") return null;
        throw error;
      } finally {
        store.raw.pragma(`busy_timeout = ${waits}`);
      }
    },
  };
}
