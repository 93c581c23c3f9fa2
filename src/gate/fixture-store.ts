import type { SessionEvent } from "../events/event.js";
import type { Sink } from "../events/sink.js";
import { Failure } from "../failure.js";
import { doorReader } from "../ingest/door/parse.js";
import { importFiles } from "../ingest/import.js";
import { openStore, type Store } from "../store/open.js";
import { storeSink } from "../store/sink.js";
import type { Fixture } from "./fixture.js";

/** A new store at `path` that holds the fixture's events and transcripts. Fails on an event that cannot be understood. */
export async function storeOfFixture(fixture: Fixture, path: string): Promise<Store> {
  const store = await openStore(path, { mode: "write", nowMs: fixture.nowMs });
  try {
    const sink = storeSink(store, { nowMs: () => fixture.nowMs, machine: null });
    const events = eventsOf(fixture);
    if (events.length > 0) {
      const source = { kind: "fixture" as const, format: "sonny-events", locator: fixture.file };
      sink.append([{ source, events, skipped: [], cursor: null, expectedOffset: null, replace: false }]);
    }
    if (fixture.transcripts.length > 0) importTranscripts(fixture, sink);
    return store;
  } catch (error) {
    await store.close();
    throw error;
  }
}

function eventsOf({ events, name, file }: Fixture): SessionEvent[] {
  const read = doorReader({ agentOf: () => "custom", tenant: null });
  return events.map((value, at) => {
    const result = read(value, at + 1, null);
    if ("refused" in result)
      throw new Failure("fixture.invalid", `${file}: events: number ${at + 1} of ${name}: ${result.refused}`);
    return result.event;
  });
}

/** A fixture that points at no transcript is a mistake, not an empty history. */
function importTranscripts({ transcripts, file }: Fixture, sink: Sink): void {
  const report = importFiles(transcripts, sink, { tenant: null, content: false });
  const [refused] = report.refused;
  if (refused !== undefined)
    throw new Failure("fixture.invalid", `${file}: transcript ${refused.path}: ${refused.reason}`);
  if (report.files.read === 0)
    throw new Failure("fixture.invalid", `${file}: no transcript at ${transcripts.join(", ")}`);
}
