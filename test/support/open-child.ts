/** Opens the store at the given path in the given mode and prints what came of it as JSON. */
import { readdirSync } from "node:fs";
import { tmpdir } from "node:os";
import { Failure } from "../../src/failure.js";
import { openStore } from "../../src/store/open.js";
import { request } from "./events.js";
import { append } from "./store.js";

const [path, mode] = process.argv.slice(2) as [string, "read" | "write"];
try {
  const store = openStore(path, { mode, nowMs: 1 });
  if (mode === "write") append(store, [request({ id: "by the child" })]);
  const requests = store.raw.prepare("SELECT count(*) FROM requests").pluck().get();
  const copies = () => readdirSync(tmpdir()).filter((name) => name.startsWith("sonny-read-")).length;
  const during = copies();
  store.close();
  process.stdout.write(JSON.stringify({ requests, copies: during, copiesLeft: copies() }));
} catch (error) {
  if (!(error instanceof Failure)) throw error;
  process.stdout.write(JSON.stringify({ code: error.code, message: error.message }));
}
