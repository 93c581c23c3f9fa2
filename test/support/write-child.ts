/** Appends events in batches to the store at the given path, as one of several writers; a dot says that one is kept. */
import { openStore } from "../../src/store/open.js";
import { cache } from "./events.js";
import { append } from "./store.js";

const [path, writer, events, perBatch] = process.argv.slice(2) as [string, string, string, string];
const store = openStore(path, { mode: "write", nowMs: 1 });
for (let i = 0; i < Number(events); i += Number(perBatch)) {
  const batch = Array.from({ length: Number(perBatch) }, (_, at) =>
    cache({ id: `${writer} ${i + at}`, session: `s${i % 3}`, turn: `p${i}` }),
  );
  append(store, batch, `/writer-${writer}`);
  process.stdout.write(".");
}
store.close();
