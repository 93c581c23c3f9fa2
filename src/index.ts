/** The public door of the library. */
export type * from "./events/event.js";
export { digestOf, eventIdOf, freshEventId } from "./events/identity.js";
export type * from "./events/sink.js";
export { Failure } from "./failure.js";
export { type InstrumentOptions, instrument } from "./otel/instrument.js";
export { openStore, type Store } from "./store/open.js";
export { storeRecorder } from "./store/recorder.js";
export type { Scope } from "./store/scope.js";
export { storeSink } from "./store/sink.js";
