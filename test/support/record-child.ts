/** Records ten events into the store at the given path and ends without flushing, normally or by an uncaught error. */
import { openStore } from "../../src/store/open.js";
import { storeRecorder } from "../../src/store/recorder.js";
import { storeSink } from "../../src/store/sink.js";
import { NOON, request } from "./events.js";
import { sourceOf } from "./store.js";

const [path, way] = process.argv.slice(2) as [string, "normally" | "thrown"];
const store = openStore(path, { mode: "write", nowMs: NOON });
const recorder = storeRecorder(storeSink(store, { nowMs: () => NOON, machine: null }), sourceOf("run"));
for (let i = 0; i < 10; i += 1) recorder.record(request());
if (way === "thrown") throw new Error("the agent crashed");
